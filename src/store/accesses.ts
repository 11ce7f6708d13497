/**
 * How accesses are kept: a record with its token sealed, found by a keyed digest of the token. Personal accesses are
 * alive while their session is.
 */
import type { Account, Transaction } from './account.js'
import { each, type Database } from './database.js'
import { accountKeys, nodeKeys, ordered, orderedToNumber, under } from './keys.js'
import type { Access } from './model/access.js'
import { Secret } from './model/secret.js'
import type { Seal } from './seal.js'

interface StoredAccess extends Access {
  sealedToken: string
}

/** An access with its token. */
export interface LiveAccess {
  access: Access
  token: Secret<string>
}

/** How an access was used (data supplement 6.8). */
export interface Usage {
  lastUsed?: number
  calls: Record<string, number>
}

const placeOf = (account: string, id: string): string => `${account}/${id}`

/** Adds or replaces an access with its token; `former` is the token it had. */
export function putAccess(t: Transaction, seal: Seal, access: Access, token: Secret<string>, former?: string): void {
  const stored: StoredAccess = { ...access, sealedToken: seal.seal(token.reveal(), placeOf(t.account, access.id)) }
  if (former !== undefined) t.delete(nodeKeys.token(seal.digest(former)))
  t.put(accountKeys.access(t.account, access.id), JSON.stringify(stored))
  t.put(nodeKeys.token(seal.digest(token.reveal())), placeOf(t.account, access.id))
  t.journal('access', former === undefined ? 'create' : 'update', access.id)
}

function read(text: string, seal: Seal, account: string): LiveAccess {
  const { sealedToken, ...access } = JSON.parse(text) as StoredAccess
  return { access, token: new Secret(seal.open(sealedToken, placeOf(account, access.id))) }
}

type Reader = { get(key: string): string | undefined }

/** The access of a token, if the token is this account's. */
export function findAccessByToken(reader: Reader, seal: Seal, account: string, token: string): LiveAccess | undefined {
  const place = reader.get(nodeKeys.token(seal.digest(token)))
  if (place === undefined || !place.startsWith(`${account}/`)) return undefined
  const text = reader.get(accountKeys.access(account, place.slice(account.length + 1)))
  return text === undefined ? undefined : read(text, seal, account)
}

/** The access of an id. */
export function findAccessById(reader: Reader, seal: Seal, account: string, id: string): LiveAccess | undefined {
  const text = reader.get(accountKeys.access(account, id))
  return text === undefined ? undefined : read(text, seal, account)
}

/** All accesses of an account. */
export async function listAccesses(account: Account, seal: Seal): Promise<LiveAccess[]> {
  const accesses = []
  for await (const text of each(account.db.values(under(accountKeys.accesses(account.prefix))))) {
    accesses.push(read(text, seal, account.prefix))
  }
  return accesses
}

/** The ids of all accesses of an account. */
export async function listAccessIds(account: Account): Promise<string[]> {
  const prefix = accountKeys.accesses(account.prefix)
  const ids = []
  for await (const key of each(account.db.keys(under(prefix)))) ids.push(key.slice(prefix.length))
  return ids
}

/** The personal access of an app, as far as one was made. */
export async function findPersonalAccess(account: Account, seal: Seal, appId: string): Promise<LiveAccess | undefined> {
  const accesses = await listAccesses(account, seal)
  return accesses.find(({ access }) => access.type === 'personal' && access.name === appId)
}

/** Until when the session of a personal access lives, in seconds; undefined when it ended. */
export function sessionExpiry(reader: Reader, account: string, accessId: string): number | undefined {
  const text = reader.get(accountKeys.session(account, accessId))
  return text === undefined ? undefined : orderedToNumber(text)
}

/** Opens, extends or, without `expires`, ends the session of a personal access. */
export function putSession(t: Transaction, accessId: string, expires: number | undefined): void {
  const key = accountKeys.session(t.account, accessId)
  if (expires === undefined) {
    t.delete(key)
    t.journal('session', 'delete', accessId)
  } else {
    t.put(key, ordered(expires))
  }
}

/** Whether an access is there. */
export const hasAccess = (reader: Reader, account: string, id: string): boolean =>
  reader.get(accountKeys.access(account, id)) !== undefined

/** How an access was used. */
export function readUsage(db: Database, account: string, accessId: string): Usage {
  const text = db.get(accountKeys.usage(account, accessId))
  return text === undefined ? { calls: {} } : (JSON.parse(text) as Usage)
}

/** Keeps how an access was used; not journaled: a crash may lose the last moments of it. */
export function putUsage(t: Transaction, accessId: string, usage: Usage): void {
  t.put(accountKeys.usage(t.account, accessId), JSON.stringify(usage))
}
