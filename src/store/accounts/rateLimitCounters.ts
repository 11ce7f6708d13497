/** Tallies of failed attempts at a secret of an account: what delays guessing (accounts supplement 4.4, 5.10). */
import type { Transaction } from '../engine/account.js'
import { accountKeys } from '../engine/keys.js'

/** Attempts that count together: all uses of the password, or all of the second factor. */
export type AttemptsOf = 'password' | 'mfa'

export interface FailureCounter {
  /** Failures so far; an attempt counts as one until it has succeeded. */
  failures: number
  /** When the latest was, in seconds. */
  last: number
}

export function readFailureCounter(reader: { get(key: string): string | undefined }, account: string, of: AttemptsOf): FailureCounter | undefined {
  const text = reader.get(accountKeys.attempts(account, of))
  return text === undefined ? undefined : (JSON.parse(text) as FailureCounter)
}

/** Stages a tally, or its end. On disk when acknowledged: a restart forgets no attempt. */
export function putFailureCounter(t: Transaction, of: AttemptsOf, tally: FailureCounter | undefined): void {
  const key = accountKeys.attempts(t.account, of)
  if (tally === undefined) t.delete(key)
  else t.put(key, JSON.stringify(tally))
  t.sync()
}
