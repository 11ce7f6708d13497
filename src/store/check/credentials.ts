/** What proves who somebody is, beside the password. */
import { isEnrolmentName, openTotpSecret } from '../mfa.js'
import type { Seal } from '../seal.js'
import { objectIn, recordOf, textOf, type CheckContext, type Entry } from './demand.js'

/** A credential: `<name>`. Of a second factor the members are there, and the secret of an app opens. */
export function checkCredential({ findings }: CheckContext, entry: Entry, seal: Seal | undefined): void {
  findings.count('credentials')
  const { account, rest: name } = entry
  const where = `account ${account}, credential ${name}`
  const record = objectIn(textOf(entry))
  if (record === undefined) return findings.report(where, 'has a record that cannot be read')
  if (!isEnrolmentName(name)) return
  const { method, id, content, recoveryCodes } = record
  const totp = recordOf(record['totp'])
  const isWhole =
    typeof id === 'string' &&
    (method === 'totp' || method === 'sms') &&
    recordOf(content) !== undefined &&
    Array.isArray(recoveryCodes) &&
    (method === 'sms') === (totp === undefined)
  if (!isWhole) return findings.report(where, 'is no second factor')
  if (totp === undefined || seal === undefined) return
  try {
    openTotpSecret(seal, account, String(totp['secret']))
  } catch {
    findings.report(where, 'has a secret that this node key does not open')
  }
}
