/** What is kept of an account's requests for a new password: the token that is good for one, and when they came. */
import type { Transaction } from '../engine/account.js'
import { accountKeys } from '../engine/keys.js'

export interface PasswordReset {
  /** The one live token: its SHA-256 in hexadecimal, and when it ends, in seconds. */
  token?: { digest: string; expires: number }
  /** When the latest requests were, in seconds, oldest first: as many as bound the next one. */
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

/** Stages the end of the live token, if there is one: it is as good as used. */
export function endResetToken(t: Transaction): void {
  const { token, ...rest } = readPasswordReset(t, t.account)
  if (token !== undefined) putPasswordReset(t, rest)
}
