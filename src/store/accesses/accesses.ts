/**
 * Storage of accesses: a record with a sealed token (accessRecord.ts), found by a keyed digest of the token. A personal
 * access is valid while its session is. Names, aliases and the shared accesses of an app are found by single keys. Start
 * at `putAccess` and `removeAccess`. A deletion record with the sealed token remains, found by time and by id.
 *
 * Other files hold records that belong to an access: webhooks.ts, sharedSecrets.ts, delegations.ts and consentTasks.ts.
 */
import { hash } from 'node:crypto'
import type { Account, Transaction } from '../engine/account.js'
import { each, type Database, type Pages, type Range, type ScanOptions } from '../engine/database.js'
import { accountKeys, nodeKeys, ordered, orderedToNumber, under } from '../engine/keys.js'
import { forgetMergeState, noteConflict } from '../engine/mergeState.js'
import type { Seal } from '../keyring/seal.js'
import type { Access, AccessDeletion, AccessName } from '../model/access.js'
import { contestedFields, editAccess } from '../model/accessMerge.js'
import { capabilityOf, CMC, counterpartyOf, hasPeerSlug, isCapabilityId, peerSlug } from '../model/consentAccess.js'
import { isNodeLocalAccess } from '../model/delegation.js'
import type { Secret } from '../model/secret.js'
import { accessDelta, elementOf, journaled, tokenContext, readRecord, recordOf, type LiveAccess, type StoredAccess } from './accessRecord.js'
import { removeWebhooksOf } from './webhooks.js'
import type { RecordReader } from '../engine/recordReader.js'

export type { LiveAccess }

/** Usage of an access (docs/interface/accesses.md#usage-and-expiry). */
export interface Usage {
  lastUsed?: number
  calls: Record<string, number>
}

/** Returns the key of a token, specific to its account: two accounts may have equal tokens. */
export const tokenKey = (seal: Seal, account: string, token: string): string =>
  nodeKeys.token(seal.digest(tokenContext(account, token)))

function nameKey(account: string, { type, name, deviceName }: AccessName): string {
  return accountKeys.accessName(account, type, hash('sha256', JSON.stringify([name, deviceName ?? null]), 'base64url'))
}

/** Returns the index entries of an access, except those by id and token. */
export function accessClaims(account: string, access: Access): [key: string, value: string][] {
  const { id, alias, manager } = access
  const keys: [string, string][] = [[nameKey(account, access), id]]
  if (alias !== undefined) keys.push([nodeKeys.alias(alias), tokenContext(account, id)])
  if (manager !== undefined) keys.push([accountKeys.managed(account, manager, id), ''])
  return [...keys, ...consentClaims(account, access)]
}

/** Returns the index entries of link and relationship accesses. */
function consentClaims(account: string, access: Access): [key: string, value: string][] {
  if (access.clientData?.[CMC] === undefined) return []
  const link = capabilityOf(access)
  if (link !== undefined) return [[accountKeys.consentLink(account, link.capabilityId), access.id]]
  const relation = counterpartyOf(access)
  if (relation === undefined || !hasPeerSlug(relation.counterparty)) return []
  const peer = peerSlug(relation.counterparty)
  const keys: [string, string][] = [[accountKeys.relation(account, peer, access.id), '']]
  const { capabilityId } = relation
  if (isCapabilityId(capabilityId)) keys.push([accountKeys.joined(account, capabilityId, peer), access.id])
  return keys
}

/** Returns the index entries of an access, except that by id. */
const claims = (account: string, seal: Seal, { access, token }: LiveAccess): [key: string, value: string][] => [
  [tokenKey(seal, account, token.reveal()), tokenContext(account, access.id)],
  ...accessClaims(account, access),
]

/**
 * Adds an access, or replaces `former` when this node edits it. The caller has checked that name, token and alias are
 * free.
 */
export function putAccess(t: Transaction, seal: Seal, access: Access, token: Secret<string>, former?: LiveAccess): void {
  // The stored record includes all edits; `former` may predate one in the same transaction.
  const stored = former === undefined || isNodeLocalAccess(access) ? undefined : findAccessRecord(t, t.account, access.id)
  const edited = stored === undefined ? access : editAccess(stored, access, t.actor)
  putMergedAccess(t, seal, { access: edited, token }, former)
  if (!isNodeLocalAccess(access)) noteConflict(t, `a${access.id}`, { edits: contestedNames(edited) }, access.modified)
}

/** Lists the field names of an access that have concurrent edits. */
export const contestedNames = (access: Access): string[] =>
  access.causal?.met === undefined ? [] : contestedFields(access).map(({ field }) => field)

/** Writes an access as given, with its causal state. `origin` is the number of the peer that sent it. */
export function putMergedAccess(t: Transaction, seal: Seal, live: LiveAccess, former?: LiveAccess, origin?: number): void {
  const { access } = live
  const { id } = access
  if (former !== undefined) for (const [key] of claims(t.account, seal, former)) t.delete(key)
  for (const [key, value] of claims(t.account, seal, live)) t.put(key, value)
  t.put(accountKeys.access(t.account, id), recordOf(live, seal, t.account))
  const about = former === undefined ? { after: access } : { before: former.access, after: access }
  const change = accessDelta(former && elementOf(former), elementOf(live))
  t.journal('access', former === undefined ? 'create' : 'update', id, journaled(about, change, origin))
}

/** Stores an access as an earlier version of its successor, whose serial is higher. */
export function storeVersion(t: Transaction, { causal: _, ...former }: Access): void {
  t.put(accountKeys.accessVersion(t.account, former.id, former.serial ?? 0), JSON.stringify(former))
}

/** Replaces `former` by its next version and stores `former` as an earlier version; the token stays the same. */
export function putNextVersion(t: Transaction, seal: Seal, access: Access, former: LiveAccess): void {
  storeVersion(t, former.access)
  putAccess(t, seal, access, former.token, former)
}

/** Removes the node-wide index entries of an account's accesses before the account is erased. */
export function releaseAccesses(t: Transaction, seal: Seal, accesses: readonly LiveAccess[]): void {
  for (const { access, token } of accesses) {
    t.delete(tokenKey(seal, t.account, token.reveal()))
    if (access.alias !== undefined) t.delete(nodeKeys.alias(access.alias))
  }
}

/** Returns the access of a token of this account. */
export function findAccessByToken(reader: RecordReader, seal: Seal, account: string, token: string): LiveAccess | undefined {
  const id = holderOfToken(reader, seal, account, token)
  return id === undefined ? undefined : findAccess(reader, seal, account, id)
}

/** Returns the access of a base id. */
export function findAccess(reader: RecordReader, seal: Seal, account: string, id: string): LiveAccess | undefined {
  const text = reader.get(accountKeys.access(account, id))
  return text === undefined ? undefined : readRecord(text, seal, account)
}

/** Returns the access of a base id without its token, which avoids unsealing. */
export function findAccessRecord(reader: RecordReader, account: string, id: string): Access | undefined {
  const text = reader.get(accountKeys.access(account, id))
  if (text === undefined) return undefined
  const { sealedToken: _, ...access } = JSON.parse(text) as StoredAccess<Access>
  return access
}

/** Checks whether an access of this account has the token. */
export const isTokenTaken = (reader: RecordReader, seal: Seal, account: string, token: string): boolean =>
  holderOfToken(reader, seal, account, token) !== undefined

/** Returns the base id of the access of this account that has a token. */
export const holderOfToken = (reader: RecordReader, seal: Seal, account: string, token: string): string | undefined =>
  reader.get(tokenKey(seal, account, token))?.slice(account.length + 1)

/** Returns the account and access of an alias. */
export function holderOfAlias(reader: RecordReader, alias: string): { account: string; id: string } | undefined {
  const [account = '', id] = reader.get(nodeKeys.alias(alias))?.split('/') ?? []
  return id === undefined ? undefined : { account, id }
}

/** Returns the base id of the access that has a name. */
export const accessNamed = (reader: RecordReader, account: string, name: AccessName): string | undefined =>
  reader.get(nameKey(account, name))

/** Returns the account of an alias. */
export const accountOfAlias = (reader: RecordReader, alias: string): string | undefined => holderOfAlias(reader, alias)?.account

/** Returns the aliases of all accesses of this node, by the prefix of their account. */
export async function aliasesByAccount(db: Database): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for await (const [key, text] of each(db.entries(under(nodeKeys.aliases)))) {
    const [account = ''] = text.split('/')
    const aliases = found.get(account) ?? []
    found.set(account, aliases)
    aliases.push(key.slice(nodeKeys.aliases.length))
  }
  return found
}

const PAGE = 500

/** Reads all values in a range, each decoded by `read`. */
export const readAll = <T>(db: Database, range: Range, read: (text: string) => T, options?: ScanOptions): Promise<T[]> =>
  collected(db.values(range, options), read)

async function collected<T>(source: Pages<string>, read: (text: string) => T): Promise<T[]> {
  const all: T[] = []
  try {
    for (let page = await source.next(PAGE); page.length > 0; page = await source.next(PAGE)) {
      for (const text of page) all.push(read(text))
    }
    return all
  } finally {
    await source.close()
  }
}

/** Returns all accesses of an account. */
export function listAccesses(account: Account, seal: Seal): Promise<LiveAccess[]> {
  const { db, prefix } = account
  return readAll(db, under(accountKeys.accesses(prefix)), (text) => readRecord(text, seal, prefix))
}

/** Returns the shared accesses that an app manages. */
export const listManaged = (account: Account, seal: Seal, manager: string): Promise<LiveAccess[]> =>
  listNamed(account, seal, accountKeys.managedBy(account.prefix, manager))

/** Returns the accesses whose base ids are the last part of the keys under `all`. */
async function listNamed(account: Account, seal: Seal, all: string): Promise<LiveAccess[]> {
  const { db, prefix } = account
  const found: LiveAccess[] = []
  const source = db.keys(under(all))
  try {
    for (let page = await source.next(PAGE); page.length > 0; page = await source.next(PAGE)) {
      for (const key of page) {
        const live = findAccess(db, seal, prefix, key.slice(key.lastIndexOf('/') + 1))
        if (live !== undefined) found.push(live)
      }
    }
    return found
  } finally {
    await source.close()
  }
}

/** Returns the accesses of relationships with an account, by the slug of its name. */
export const listRelations = (account: Account, seal: Seal, peer: string): Promise<LiveAccess[]> =>
  listNamed(account, seal, accountKeys.relationsWith(account.prefix, peer))

/** Returns the accesses of relationships with all accounts. */
export const listAllRelations = (account: Account, seal: Seal): Promise<LiveAccess[]> =>
  listNamed(account, seal, accountKeys.relations(account.prefix))

/** Returns the access of a link to an offer. */
export function findLink(reader: RecordReader, seal: Seal, account: string, capabilityId: string): LiveAccess | undefined {
  const id = reader.get(accountKeys.consentLink(account, capabilityId))
  return id === undefined ? undefined : findAccess(reader, seal, account, id)
}

/** Returns the access of the relationship that an account has through a link. */
export function findLinkMember(reader: RecordReader, account: string, capabilityId: string, peer: string): Access | undefined {
  const id = reader.get(accountKeys.joined(account, capabilityId, peer))
  return id === undefined ? undefined : findAccessRecord(reader, account, id)
}

/** Returns the earlier versions of an access, oldest first. */
export function listAccessVersions(account: Account, id: string): Promise<Access[]> {
  const { db, prefix } = account
  return readAll(db, under(accountKeys.accessVersions(prefix, id)), (text) => JSON.parse(text) as Access)
}

/** Returns one earlier version of an access. */
export function findAccessVersion(reader: RecordReader, account: string, id: string, serial: number): Access | undefined {
  const text = reader.get(accountKeys.accessVersion(account, id, serial))
  return text === undefined ? undefined : (JSON.parse(text) as Access)
}

/** Returns the ids of all accesses of an account. */
export function listAccessIds({ db, prefix }: Account): Promise<string[]> {
  const all = accountKeys.accesses(prefix)
  return collected(db.keys(under(all)), (key) => key.slice(all.length))
}

/** Returns the personal access of an app, if there is one. */
export function findPersonalAccess(reader: RecordReader, seal: Seal, account: string, appId: string): LiveAccess | undefined {
  const id = accessNamed(reader, account, { type: 'personal', name: appId })
  return id === undefined ? undefined : findAccess(reader, seal, account, id)
}

/** Returns the session expiry of a personal access, in seconds; undefined when the session ended. */
export function sessionExpiry(reader: RecordReader, account: string, accessId: string): number | undefined {
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

/** Returns the base ids of the personal accesses that have a session, expired ones included. */
export function listSessions({ db, prefix }: Account): Promise<string[]> {
  const all = accountKeys.sessions(prefix)
  return collected(db.keys(under(all)), (key) => key.slice(all.length))
}

/** Checks whether an access exists. */
export const hasAccess = (reader: RecordReader, account: string, id: string): boolean =>
  reader.get(accountKeys.access(account, id)) !== undefined

/** Reads the usage of an access. */
export function readUsage(db: Database, account: string, accessId: string): Usage {
  const text = db.get(accountKeys.usage(account, accessId))
  return text === undefined ? { calls: {} } : (JSON.parse(text) as Usage)
}

/** Writes the usage of an access; not journaled: a crash may lose the latest updates. */
export function putUsage(t: Transaction, accessId: string, usage: Usage): void {
  t.put(accountKeys.usage(t.account, accessId), JSON.stringify(usage))
}

/**
 * Removes an access with its index entries and webhooks, and stores its deletion with the token. `origin` is the number
 * of the peer that sent the deletion.
 */
export function removeAccess(
  t: Transaction,
  seal: Seal,
  live: LiveAccess,
  deletion: AccessDeletion,
  origin?: number,
  token = live.token,
): void {
  const a = t.account
  const { access } = live
  const { id } = access
  for (const [key] of claims(a, seal, live)) t.delete(key)
  for (let serial = 0; serial < (access.serial ?? 0); serial++) t.delete(accountKeys.accessVersion(a, id, serial))
  t.delete(accountKeys.access(a, id))
  t.delete(accountKeys.usage(a, id))
  t.delete(accountKeys.session(a, id))
  removeWebhooksOf(t, id)
  forgetMergeState(t, `a${id}`)
  const left = { access: deletion, token }
  stageDeletion(t, seal, left)
  const change = accessDelta(elementOf(live), elementOf(left))
  t.journal('access', 'delete', id, journaled({ before: access }, change, origin))
}

function stageDeletion(t: Transaction, seal: Seal, deletion: LiveAccess<AccessDeletion>): void {
  const { id, deleted } = deletion.access
  t.put(accountKeys.accessDeletion(t.account, deleted, id), recordOf(deletion, seal, t.account))
  t.put(accountKeys.accessDeleted(t.account, id), ordered(deleted))
}

/** Stores the deletion of an access that does not exist here, in place of `former`, an earlier deletion of it. */
export function putAccessDeletion(
  t: Transaction,
  seal: Seal,
  left: LiveAccess<AccessDeletion>,
  former: LiveAccess<AccessDeletion> | undefined,
  origin?: number,
): void {
  const { id } = left.access
  if (former !== undefined) t.delete(accountKeys.accessDeletion(t.account, former.access.deleted, id))
  stageDeletion(t, seal, left)
  const change = accessDelta(former && elementOf(former), elementOf(left))
  t.journal('access', 'delete', id, journaled(undefined, change, origin))
}

/** Returns all deleted accesses of an account, latest first. */
export function listAccessDeletions(account: Account, seal: Seal): Promise<LiveAccess<AccessDeletion>[]> {
  const { db, prefix } = account
  const range = under(accountKeys.accessDeletions(prefix))
  return readAll(db, range, (text) => readRecord<AccessDeletion>(text, seal, prefix), { reverse: true })
}

/** Returns the deletion of an access, with its token, by base id. */
export function findDeletedAccess(
  reader: RecordReader,
  seal: Seal,
  account: string,
  id: string,
): LiveAccess<AccessDeletion> | undefined {
  const place = reader.get(accountKeys.accessDeleted(account, id))
  if (place === undefined) return undefined
  const text = reader.get(accountKeys.accessDeletion(account, orderedToNumber(place), id))
  return text === undefined ? undefined : readRecord<AccessDeletion>(text, seal, account)
}
