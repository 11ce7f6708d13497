/**
 * Storage of an account's second factor: one node-local record, with the secret of an authenticator app sealed and
 * recovery codes hashed.
 */
import type { Transaction } from '../engine/account.js'
import { accountKeys } from '../engine/keys.js'
import type { Enrolment } from '../model/mfa.js'
import type { Seal } from '../keyring/seal.js'

const NAME = 'mfa'

/** Checks whether a credential name is that of the second factor. */
export const isEnrolmentName = (name: string): boolean => name === NAME

type Reader = { get(key: string): string | undefined }

/** Reads the factor with its secret still sealed. */
export function readEnrolment(reader: Reader, account: string): Enrolment | undefined {
  const text = reader.get(accountKeys.credential(account, NAME))
  return text === undefined ? undefined : (JSON.parse(text) as Enrolment)
}

/**
 * Opens the secret of an authenticator app, Base32.
 * @throws Error when this node key did not seal it for this account
 */
export function openTotpSecret(seal: Seal, account: string, sealed: string): string {
  return seal.open(sealed, accountKeys.credential(account, NAME))
}

/** Seals a secret for `Totp.secret`. */
export function sealTotpSecret(seal: Seal, account: string, secret: string): string {
  return seal.seal(secret, accountKeys.credential(account, NAME))
}

/** Stages a factor with a sealed secret, or removes the existing one. */
export function putEnrolment(t: Transaction, enrolment: Enrolment | undefined): void {
  const key = accountKeys.credential(t.account, NAME)
  const isThere = t.get(key) !== undefined
  if (enrolment === undefined) {
    if (!isThere) return
    t.delete(key)
    t.journal('credential', 'delete', NAME)
    return
  }
  t.put(key, JSON.stringify(enrolment))
  t.journal('credential', isThere ? 'update' : 'create', NAME)
}
