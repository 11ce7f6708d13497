/**
 * Storage of users. `User` is the record of an account's owner: names, password hash, e-mail addresses, identities. Names
 * and unique values are claimed by keys of the node, in the transaction that changes the user.
 *
 * An account that is being imported has no user until the last of many transactions. A mark, set by the first, lets the
 * next start find and erase the remains of a crash (index.ts).
 *
 * Other files hold what belongs to an account beside its events, streams and accesses: credentials.ts, profiles.ts,
 * followedSlices.ts, and audit.ts with auditRetention.ts.
 */
import type { Transaction } from '../engine/account.js'
import { each, type Database } from '../engine/database.js'
import { accountKeys, nodeKeys, under } from '../engine/keys.js'
import type { RecordReader } from '../engine/recordReader.js'
import type { Seal } from '../keyring/seal.js'
import { normalEmail, type EmailEntry } from '../model/emails.js'

/** The user of an account, without the content of account streams. */
export interface User {
  id: string
  username: string
  /** Argon2id. */
  passwordHash: string
  created: number
  /** Time of the last password change, in seconds. */
  passwordChanged: number
  /** Account fields without events: `appId`, `invitationToken`, `referer`, hidden custom fields. */
  hidden: Record<string, string | number>
  /** Claimed unique values, by field; released when they change or the user is deleted. */
  unique: Record<string, string>
  /** Former passwords, latest first, without the current one, up to the maximum of the password history. */
  formerPasswords?: { hash: string; changed: number }[]
  /** Former names, which still lead to the account. */
  formerUsernames?: string[]
  /** E-mail addresses, including the primary; absent while there is only the one from registration. */
  emails?: EmailEntry[]
  /** Recent verification mails: keyed hash of each address, and time in seconds. Removing an address keeps its entries. */
  verificationMails?: { digest: string; at: number }[]
  /** Number of user name changes by the owner. */
  usernameChanges?: number
  quota?: Quota
  relocated?: Relocation
  /** Identities at third parties that sign in to this account. */
  identities?: Identity[]
}

/** Identity of a user at a third party (docs/interface/sso.md#linking). */
export interface Identity {
  /** Id of the third party in the settings. */
  provider: string
  /** Issuer at the time of linking; the same subject of another issuer is another person. */
  issuer: string
  /** Stable and unique id of the user at the issuer. */
  subject: string
  /** E-mail address that linked the identity to the account. */
  email: string
  /** Time of linking, in seconds. */
  since: number
}

/** Checks whether an account has no name: its names were released, and its id stands for one. */
export const isUnnamed = ({ id, username }: Pick<User, 'id' | 'username'>): boolean => id === username

/** Returns the unique value of an identity. */
export const identityName = ({ provider, issuer, subject }: Pick<Identity, 'provider' | 'issuer' | 'subject'>): [field: string, value: string] => [
  identityField(provider),
  JSON.stringify([issuer, subject]),
]

/** Returns the unique field for identities of a third party. */
export const identityField = (provider: string): string => `sso-${provider}`

/** New address of a moved account, and the time until which callers are redirected, in seconds. */
export interface Relocation {
  url: string
  until: number
}

/** Storage limits of one account that override the settings; null is unlimited. */
export interface Quota {
  dbDocuments?: number | null
  attachedFiles?: number | null
}

/** Maximum length of the password history, the current password included. */
export const MAX_FORMER_PASSWORDS = 24

export function readUser(reader: RecordReader, account: string): User | undefined {
  const text = reader.get(accountKeys.user(account))
  return text === undefined ? undefined : (JSON.parse(text) as User)
}

/** Returns the user name of an account; undefined when it has no user record, or a damaged one. */
export function readableUsername(reader: RecordReader, account: string): string | undefined {
  try {
    return readUser(reader, account)?.username
  } catch {
    return undefined
  }
}

export function putUser(t: Transaction, user: User, action: 'create' | 'update'): void {
  t.put(accountKeys.user(t.account), JSON.stringify(user))
  t.journal('user', action, user.id)
}

const FORMER = '/former'

/** Returns the account of a user name, current or former. */
export function accountOfUsername(reader: RecordReader, username: string): string | undefined {
  const found = reader.get(nodeKeys.username(username))
  return found?.endsWith(FORMER) === true ? found.slice(0, -FORMER.length) : found
}

/** Claims a user name. The caller has checked in this transaction that it is free. */
export const claimUsername = (t: Transaction, username: string): void => t.put(nodeKeys.username(username), t.account)

/** Marks a user name as former: it stays claimed and leads to the account. */
export const retireUsername = (t: Transaction, username: string): void =>
  t.put(nodeKeys.username(username), t.account + FORMER)

export const releaseUsername = (t: Transaction, username: string): void => t.delete(nodeKeys.username(username))

/** Returns the key of a unique value. */
export const uniqueKey = (seal: Seal, field: string, value: string): string =>
  nodeKeys.unique(field, seal.digest(field === 'email' ? normalEmail(value) : value))

/** Returns the account that has a unique value of a field. */
export const accountOfUnique = (reader: RecordReader, seal: Seal, field: string, value: string): string | undefined =>
  reader.get(uniqueKey(seal, field, value))

export const claimUnique = (t: Transaction, seal: Seal, field: string, value: string): void =>
  t.put(uniqueKey(seal, field, value), t.account)

export const releaseUnique = (t: Transaction, seal: Seal, field: string, value: string): void =>
  t.delete(uniqueKey(seal, field, value))

/** Returns all unique names of a user: user names, values of unique fields with all e-mail addresses, and identities. */
export function namesOf(user: User): { usernames: string[]; unique: [field: string, value: string][] } {
  const unique = Object.entries(user.unique)
  const primary = normalEmail(user.unique['email'] ?? '')
  for (const { value } of user.emails ?? []) if (normalEmail(value) !== primary) unique.push(['email', value])
  for (const identity of user.identities ?? []) unique.push(identityName(identity))
  return { usernames: [user.username, ...(user.formerUsernames ?? [])], unique }
}

/** Returns the current user names of the node with their accounts, in alphabetical order. */
export async function listUsernames(db: Database): Promise<{ username: string; account: string }[]> {
  const names = []
  for await (const [key, account] of each(db.entries(under(nodeKeys.usernames)))) {
    if (!account.endsWith(FORMER)) names.push({ username: key.slice(nodeKeys.usernames.length), account })
  }
  return names
}

/** Checks whether an account is still being imported. */
export const isImporting = (reader: RecordReader, account: string): boolean => reader.get(nodeKeys.arriving(account)) !== undefined

/** Marks the account of a transaction as being imported. */
export function beginImport(t: Transaction): void {
  t.put(nodeKeys.arriving(t.account), '')
  t.sync()
}

/** Removes the mark, in the transaction that gives the account its user and names or erases it. */
export function finishImport(t: Transaction): void {
  t.delete(nodeKeys.arriving(t.account))
}
