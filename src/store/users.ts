/** How users are kept: who they are, their names, and the values that only one of them may hold. */
import type { Transaction } from './account.js'
import { each, type Database } from './database.js'
import { accountKeys, nodeKeys, under } from './keys.js'
import type { Seal } from './seal.js'

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
}

type Reader = { get(key: string): string | undefined }

export function readUser(reader: Reader, account: string): User | undefined {
  const text = reader.get(accountKeys.user(account))
  return text === undefined ? undefined : (JSON.parse(text) as User)
}

export function putUser(t: Transaction, user: User, action: 'create' | 'update'): void {
  t.put(accountKeys.user(t.account), JSON.stringify(user))
  t.journal('user', action, user.id)
}

/** The account that a user name belongs to. */
export const accountOfUsername = (reader: Reader, username: string): string | undefined =>
  reader.get(nodeKeys.username(username))

/** Claims a user name; the caller has seen that it is free in this transaction. */
export const claimUsername = (t: Transaction, username: string): void => t.put(nodeKeys.username(username), t.account)

export const releaseUsername = (t: Transaction, username: string): void => t.delete(nodeKeys.username(username))

/** What a unique value is found by; e-mail addresses differ by letter case in name only. */
const uniqueKey = (seal: Seal, field: string, value: string): string =>
  nodeKeys.unique(field, seal.digest(field === 'email' ? value.toLowerCase() : value))

/** The account that holds a unique value of a field. */
export const accountOfUnique = (reader: Reader, seal: Seal, field: string, value: string): string | undefined =>
  reader.get(uniqueKey(seal, field, value))

export const claimUnique = (t: Transaction, seal: Seal, field: string, value: string): void =>
  t.put(uniqueKey(seal, field, value), t.account)

export const releaseUnique = (t: Transaction, seal: Seal, field: string, value: string): void =>
  t.delete(uniqueKey(seal, field, value))

/** User names of the node with their accounts, in alphabetical order. */
export async function listUsernames(db: Database): Promise<{ username: string; account: string }[]> {
  const names = []
  for await (const [key, account] of each(db.entries(under(nodeKeys.usernames)))) {
    names.push({ username: key.slice(nodeKeys.usernames.length), account })
  }
  return names
}
