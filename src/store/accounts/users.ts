/** How users are kept: who they are, their names, and the values that only one of them may hold. */
import type { Transaction } from '../engine/account.js'
import { each, type Database } from '../engine/database.js'
import { accountKeys, nodeKeys, under } from '../engine/keys.js'
import { normalEmail, type EmailEntry } from '../model/emails.js'
import type { Seal } from '../keyring/seal.js'

/** The user of an account, without what account streams hold. */
export interface User {
  id: string
  username: string
  /** Argon2id. */
  passwordHash: string
  created: number
  /** When the password was set, in seconds. */
  passwordChanged: number
  /** Account fields that are not shown as events: `appId`, `invitationToken`, `referer`, hidden custom fields. */
  hidden: Record<string, string | number>
  /** Unique values held, by field: what to release when they change or the user goes. */
  unique: Record<string, string>
  /** Former passwords, latest first, without the current one; as many as the history may ever ask for. */
  formerPasswords?: { hash: string; changed: number }[]
  /** Names that the account had: they still lead to it. */
  formerUsernames?: string[]
  /** E-mail addresses, the primary among them; absent while there is but the one of registration. */
  emails?: EmailEntry[]
  /** Verification mails of late: the keyed hash of each address, and when, in seconds. Removing an address forgets none. */
  verificationMails?: { digest: string; at: number }[]
  /** How often the owner has changed the user name. */
  usernameChanges?: number
  quota?: Quota
  relocated?: Relocation
  /** Whom third parties know as this user: who it is there signs in here. */
  identities?: Identity[]
}

/** A user as a third party knows them (accounts supplement 14). */
export interface Identity {
  /** The id of the third party in the settings. */
  provider: string
  /** What it was then: under another issuer, the same subject is somebody else. */
  issuer: string
  /** Who it is there: never changes, and is nobody else's. */
  subject: string
  /** The address by which the two came together. */
  email: string
  /** When they did, in seconds. */
  since: number
}

/** Checks whether an account has no name: its names were freed, and its own id stands for one. */
export const isUnnamed = ({ id, username }: Pick<User, 'id' | 'username'>): boolean => id === username

/** The unique value that an identity is. */
export const identityName = ({ provider, issuer, subject }: Pick<Identity, 'provider' | 'issuer' | 'subject'>): [field: string, value: string] => [
  identityField(provider),
  JSON.stringify([issuer, subject]),
]

/** The field of unique values that identities of a third party are. */
export const identityField = (provider: string): string => `sso-${provider}`

/** Where an account has moved, and until when callers are told, in seconds. */
export interface Relocation {
  url: string
  until: number
}

/** Most bytes that one account may hold, where it is not the settings' limit; null is without limit. */
export interface Quota {
  dbDocuments?: number | null
  attachedFiles?: number | null
}

/** Former passwords are kept as far as a rule may ask for them; the present one counts. */
export const MAX_FORMER_PASSWORDS = 24

type Reader = { get(key: string): string | undefined }

export function readUser(reader: Reader, account: string): User | undefined {
  const text = reader.get(accountKeys.user(account))
  return text === undefined ? undefined : (JSON.parse(text) as User)
}

export function putUser(t: Transaction, user: User, action: 'create' | 'update'): void {
  t.put(accountKeys.user(t.account), JSON.stringify(user))
  t.journal('user', action, user.id)
}

const FORMER = '/former'

/** The account that a user name leads to; former names lead to their account too. */
export function accountOfUsername(reader: Reader, username: string): string | undefined {
  const found = reader.get(nodeKeys.username(username))
  return found?.endsWith(FORMER) === true ? found.slice(0, -FORMER.length) : found
}

/** Claims a user name; the caller has seen that it is free in this transaction. */
export const claimUsername = (t: Transaction, username: string): void => t.put(nodeKeys.username(username), t.account)

/** Makes a user name a former one: it stays claimed, and leads on to the account. */
export const retireUsername = (t: Transaction, username: string): void =>
  t.put(nodeKeys.username(username), t.account + FORMER)

export const releaseUsername = (t: Transaction, username: string): void => t.delete(nodeKeys.username(username))

/** What a unique value is found by. */
export const uniqueKey = (seal: Seal, field: string, value: string): string =>
  nodeKeys.unique(field, seal.digest(field === 'email' ? normalEmail(value) : value))

/** The account that holds a unique value of a field. */
export const accountOfUnique = (reader: Reader, seal: Seal, field: string, value: string): string | undefined =>
  reader.get(uniqueKey(seal, field, value))

export const claimUnique = (t: Transaction, seal: Seal, field: string, value: string): void =>
  t.put(uniqueKey(seal, field, value), t.account)

export const releaseUnique = (t: Transaction, seal: Seal, field: string, value: string): void =>
  t.delete(uniqueKey(seal, field, value))

/** Every name that only this user has: user names, values of unique fields with all e-mail addresses, and identities. */
export function namesOf(user: User): { usernames: string[]; unique: [field: string, value: string][] } {
  const unique = Object.entries(user.unique)
  const primary = normalEmail(user.unique['email'] ?? '')
  for (const { value } of user.emails ?? []) if (normalEmail(value) !== primary) unique.push(['email', value])
  for (const identity of user.identities ?? []) unique.push(identityName(identity))
  return { usernames: [user.username, ...(user.formerUsernames ?? [])], unique }
}

/** User names of the node with their accounts, in alphabetical order; an account's present name only. */
export async function listUsernames(db: Database): Promise<{ username: string; account: string }[]> {
  const names = []
  for await (const [key, account] of each(db.entries(under(nodeKeys.usernames)))) {
    if (!account.endsWith(FORMER)) names.push({ username: key.slice(nodeKeys.usernames.length), account })
  }
  return names
}
