/** What proves who somebody is beside the password, and tallies of failed attempts. */
import { objectIn, textOf, type CheckContext, type Entry } from './demand.js'

const isNumber = (value: unknown): boolean => typeof value === 'number'

/** A credential: `<name>`. Its record can be read. */
export function checkCredential({ findings }: CheckContext, entry: Entry): void {
  findings.count('credentials')
  const { account, rest: name } = entry
  const record = objectIn(textOf(entry))
  if (record === undefined || (name === 'reset' && !isReset(record))) {
    findings.report(`account ${account}, credential ${name}`, 'has a record that cannot be read')
  }
}

function isReset({ token, requests }: Record<string, unknown>): boolean {
  const { digest, expires } = Object(token) as Record<string, unknown>
  const isToken = /^[0-9a-f]{64}$/.test(String(digest)) && isNumber(expires)
  return (token === undefined || isToken) && Array.isArray(requests) && requests.every(isNumber)
}

/** A tally: `<what is attempted>`. */
export function checkTally({ findings }: CheckContext, entry: Entry): void {
  findings.count('tallies')
  const { failures, last } = objectIn(textOf(entry)) ?? {}
  if (isNumber(failures) && isNumber(last)) return
  findings.report(`account ${entry.account}, tally ${entry.rest}`, 'has a record that cannot be read')
}
