/** Counters of failed attempts at an account's secrets; they delay guessing (accounts supplement 4.4, 5.10). */
import type { Transaction } from '../engine/account.js'
import { accountKeys } from '../engine/keys.js'

/** Kinds of attempts with a common counter: all uses of the password, or all of the second factor. */
export type AttemptsOf = 'password' | 'mfa'

export interface FailureCounter {
  /** Failures so far; an attempt counts as one until it has succeeded. */
  failures: number
  /** Time of the latest failure, in seconds. */
  last: number
}

export function readFailureCounter(reader: { get(key: string): string | undefined }, account: string, of: AttemptsOf): FailureCounter | undefined {
  const text = reader.get(accountKeys.attempts(account, of))
  return text === undefined ? undefined : (JSON.parse(text) as FailureCounter)
}

/** Stages a counter, or its removal. Synced to disk, so that a restart resets no counter. */
export function putFailureCounter(t: Transaction, of: AttemptsOf, tally: FailureCounter | undefined): void {
  const key = accountKeys.attempts(t.account, of)
  if (tally === undefined) t.delete(key)
  else t.put(key, JSON.stringify(tally))
  t.sync()
}
