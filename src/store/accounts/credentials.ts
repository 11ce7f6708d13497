/**
 * Storage of credentials other than passwords, which the user record holds (users.ts), and of failed attempts. All records
 * are node-local.
 *
 * - The second factor (`Enrolment`): the secret of an authenticator app is sealed, recovery codes are hashed.
 * - Requests of a password reset (`PasswordReset`): the valid token, and the request times.
 * - Counters of failed attempts (`FailureCounter`), which delay guessing (docs/interface/auth.md#failed-attempts,
 *   docs/interface/mfa.md#attempts).
 */
import type { Transaction } from '../engine/account.js'
import { accountKeys } from '../engine/keys.js'
import type { RecordReader } from '../engine/recordReader.js'
import type { Seal } from '../keyring/seal.js'
import type { Enrolment } from '../model/mfa.js'

const MFA = 'mfa'

/** Checks whether a credential name is that of the second factor. */
export const isEnrolmentName = (name: string): boolean => name === MFA

/** Reads the factor with its secret still sealed. */
export function readEnrolment(reader: RecordReader, account: string): Enrolment | undefined {
  const text = reader.get(accountKeys.credential(account, MFA))
  return text === undefined ? undefined : (JSON.parse(text) as Enrolment)
}

/**
 * Opens the secret of an authenticator app, Base32.
 * @throws Error when this node key did not seal it for this account
 */
export function openTotpSecret(seal: Seal, account: string, sealed: string): string {
  return seal.open(sealed, accountKeys.credential(account, MFA))
}

/** Seals a secret for `Totp.secret`. */
export function sealTotpSecret(seal: Seal, account: string, secret: string): string {
  return seal.seal(secret, accountKeys.credential(account, MFA))
}

/** Stages a factor with a sealed secret, or removes the existing one. */
export function putEnrolment(t: Transaction, enrolment: Enrolment | undefined): void {
  const key = accountKeys.credential(t.account, MFA)
  const isThere = t.get(key) !== undefined
  if (enrolment === undefined) {
    if (!isThere) return
    t.delete(key)
    t.journal('credential', 'delete', MFA)
    return
  }
  t.put(key, JSON.stringify(enrolment))
  t.journal('credential', isThere ? 'update' : 'create', MFA)
}

export interface PasswordReset {
  /** SHA-256 of the valid token in hexadecimal, and its expiry in seconds. */
  token?: { digest: string; expires: number }
  /** Times of the latest requests, in seconds, oldest first: as many as the rate limit needs. */
  requests: number[]
}

const RESET = 'reset'

export function readPasswordReset(reader: RecordReader, account: string): PasswordReset {
  const text = reader.get(accountKeys.credential(account, RESET))
  return text === undefined ? { requests: [] } : (JSON.parse(text) as PasswordReset)
}

export function putPasswordReset(t: Transaction, reset: PasswordReset): void {
  t.put(accountKeys.credential(t.account, RESET), JSON.stringify(reset))
  t.journal('credential', 'update', RESET)
}

/** Stages the removal of the valid token, if there is one. */
export function endResetToken(t: Transaction): void {
  const { token, ...rest } = readPasswordReset(t, t.account)
  if (token !== undefined) putPasswordReset(t, rest)
}

/** Kinds of attempts with a common counter: all uses of the password, or all of the second factor. */
export type AttemptsOf = 'password' | 'mfa'

export interface FailureCounter {
  /** Failures so far; an attempt counts as one until it has succeeded. */
  failures: number
  /** Time of the latest failure, in seconds. */
  last: number
}

export function readFailureCounter(reader: RecordReader, account: string, of: AttemptsOf): FailureCounter | undefined {
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
