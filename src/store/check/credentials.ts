/** Checks credentials other than passwords, and counters of failed attempts. */
import { isEnrolmentName, openTotpSecret } from '../accounts/credentials.js'
import type { Seal } from '../keyring/seal.js'
import { objectIn, recordOf, textOf, type CheckContext, type Entry } from './crossReference.js'

const isNumber = (value: unknown): boolean => typeof value === 'number'

/** Checks a credential, `<name>`: its record is readable, and the secret of an authenticator app can be decrypted. */
export function checkCredential({ findings }: CheckContext, entry: Entry, seal?: Seal): void {
  findings.count('credentials')
  const { account, rest: name } = entry
  const where = `account ${account}, credential ${name}`
  const record = objectIn(textOf(entry))
  const isWhole = record !== undefined && (name !== 'reset' || isReset(record)) && (!isEnrolmentName(name) || isEnrolment(record))
  if (!isWhole) return findings.report(where, 'has a record that cannot be read')
  const totp = isEnrolmentName(name) ? recordOf(record['totp']) : undefined
  if (totp === undefined || seal === undefined) return
  try {
    openTotpSecret(seal, account, String(totp['secret']))
  } catch {
    findings.report(where, 'has a secret that this node key cannot decrypt')
  }
}

function isReset({ token, requests }: Record<string, unknown>): boolean {
  const { digest, expires } = Object(token) as Record<string, unknown>
  const isToken = /^[0-9a-f]{64}$/.test(String(digest)) && isNumber(expires)
  return (token === undefined || isToken) && Array.isArray(requests) && requests.every(isNumber)
}

function isEnrolment({ id, method, content, recoveryCodes, totp }: Record<string, unknown>): boolean {
  const isOfMethod = method === 'sms' ? totp === undefined : method === 'totp' && recordOf(totp) !== undefined
  const areDigests = Array.isArray(recoveryCodes) && recoveryCodes.every((code) => /^[0-9a-f]{64}$/.test(String(code)))
  return typeof id === 'string' && isOfMethod && recordOf(content) !== undefined && areDigests
}

/** Checks a failure counter: `<attempt>`. */
export function checkFailureCounter({ findings }: CheckContext, entry: Entry): void {
  findings.count('tallies')
  const { failures, last } = objectIn(textOf(entry)) ?? {}
  if (isNumber(failures) && isNumber(last)) return
  findings.report(`account ${entry.account}, failure counter ${entry.rest}`, 'has a record that cannot be read')
}
