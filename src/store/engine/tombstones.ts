/**
 * Graves: what other nodes need to know of deleted streams. The id of a stream may come again, so a grave names the
 * first changes that it covers; what builds on others lives. Graves stay when a stream of the id is made again, while
 * the deletion that clients read leaves the list.
 */
import type { Transaction } from './account.js'
import { accountKeys } from './keys.js'
import { tombstoneElement, type DigestElement } from '../model/digestElement.js'
import type { Seconds } from '../model/event.js'

export interface Tombstone {
  /** The latest deletion, in seconds. */
  deleted: Seconds
  /** Hashes of the first changes that are covered, hexadecimal, sorted. */
  roots: readonly string[]
}

type Reader = { get(key: string): string | undefined }

/** The grave of a stream id; undefined when no stream of it was deleted. */
export function findTombstone(reader: Reader, account: string, stream: string): Tombstone | undefined {
  const text = reader.get(accountKeys.tombstone(account, stream))
  return text === undefined ? undefined : (JSON.parse(text) as Tombstone)
}

/** How many first changes of a stream id lie in its grave: see `Prior`. */
export const tombstoneGeneration = (t: Transaction, stream: string): number => findTombstone(t, t.account, stream)?.roots.length ?? 0

/** What two graves of one id amount to, whichever comes first. */
export const mergeTombstones = (a: Tombstone, b: Tombstone): Tombstone => ({
  deleted: Math.max(a.deleted, b.deleted),
  roots: [...new Set([...a.roots, ...b.roots])].sort(),
})

/** The elements by which the state of an account differs when a grave takes the place of another, or of none. */
export function tombstoneElements(stream: string, before: Tombstone | undefined, after: Tombstone): DigestElement[] {
  const item = `s${stream}`
  const next = tombstoneElement(item, after.deleted, after.roots)
  return before === undefined ? [next] : [tombstoneElement(item, before.deleted, before.roots), next]
}

/**
 * Gives a stream id its next grave, by which its deletion is listed: once, however often it was deleted, and only while
 * no stream of the id is shown (`listDeletion`).
 */
export function putTombstone(t: Transaction, stream: string, former: Tombstone | undefined, next: Tombstone): void {
  const { deleted, roots } = next
  if (former !== undefined) t.delete(accountKeys.streamDeletion(t.account, former.deleted, stream))
  t.put(accountKeys.tombstone(t.account, stream), JSON.stringify({ deleted, roots }))
  if (t.get(accountKeys.stream(t.account, stream)) === undefined) putListed(t, stream, deleted)
}

/**
 * Lists or unlists the deletion of a stream id that comes out of the tree or into it, if one of the id was ever deleted:
 * an id is either among the streams of an account or among its deletions (data supplement 4.2).
 */
export function listDeletion(t: Transaction, stream: string, isShown: boolean): void {
  const tombstone = findTombstone(t, t.account, stream)
  if (tombstone === undefined) return
  if (isShown) t.delete(accountKeys.streamDeletion(t.account, tombstone.deleted, stream))
  else putListed(t, stream, tombstone.deleted)
}

const putListed = (t: Transaction, id: string, deleted: Seconds): void =>
  t.put(accountKeys.streamDeletion(t.account, deleted, id), JSON.stringify({ id, deleted }))
