/**
 * How the second factor of an account is kept: one record, the secret of an authenticator app sealed for its place,
 * recovery codes hashed. It stays with its node.
 */
import type { Transaction } from '../engine/account.js'
import { accountKeys } from '../engine/keys.js'
import type { Enrolment } from '../model/mfa.js'
import type { Seal } from '../keyring/seal.js'

const NAME = 'mfa'

/** The name of the record among an account's credentials. */
export const isEnrolmentName = (name: string): boolean => name === NAME

type Reader = { get(key: string): string | undefined }

/** The factor with its secret still sealed: for whatever does not check a code. */
export function readEnrolment(reader: Reader, account: string): Enrolment | undefined {
  const text = reader.get(accountKeys.credential(account, NAME))
  return text === undefined ? undefined : (JSON.parse(text) as Enrolment)
}

/** The secret of an authenticator app, Base32. Throws when this node key did not seal it for this account. */
export function openTotpSecret(seal: Seal, account: string, sealed: string): string {
  return seal.open(sealed, accountKeys.credential(account, NAME))
}

/** A secret as `Totp.secret` keeps it. */
export function sealTotpSecret(seal: Seal, account: string, secret: string): string {
  return seal.seal(secret, accountKeys.credential(account, NAME))
}

/** Stages a factor, its secret sealed already, or the end of the one that there is. */
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
