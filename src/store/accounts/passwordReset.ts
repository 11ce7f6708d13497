/** Storage of an account's password reset requests: the valid token, and the request times. */
import type { Transaction } from '../engine/account.js'
import { accountKeys } from '../engine/keys.js'

export interface PasswordReset {
  /** SHA-256 of the valid token in hexadecimal, and its expiry in seconds. */
  token?: { digest: string; expires: number }
  /** Times of the latest requests, in seconds, oldest first: as many as the rate limit needs. */
  requests: number[]
}

const NAME = 'reset'

export function readPasswordReset(reader: { get(key: string): string | undefined }, account: string): PasswordReset {
  const text = reader.get(accountKeys.credential(account, NAME))
  return text === undefined ? { requests: [] } : (JSON.parse(text) as PasswordReset)
}

export function putPasswordReset(t: Transaction, reset: PasswordReset): void {
  t.put(accountKeys.credential(t.account, NAME), JSON.stringify(reset))
  t.journal('credential', 'update', NAME)
}

/** Stages the removal of the valid token, if there is one. */
export function endResetToken(t: Transaction): void {
  const { token, ...rest } = readPasswordReset(t, t.account)
  if (token !== undefined) putPasswordReset(t, rest)
}
