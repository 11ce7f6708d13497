/**
 * Tombstones of deleted streams, for other nodes. A stream id may be reused, so a tombstone names the initial changes
 * that it covers; changes built on others stay valid. A tombstone remains when a stream of its id is created again,
 * while the deletion shown to clients is removed.
 */
import type { Transaction } from '../engine/account.js'
import { accountKeys } from '../engine/keys.js'
import type { RecordReader } from '../engine/recordReader.js'
import { tombstoneElement, type DigestElement } from '../model/digestElement.js'
import type { Seconds } from '../model/event.js'

export interface Tombstone {
  /** The latest deletion, in seconds. */
  deleted: Seconds
  /** Hashes of the covered initial changes, hexadecimal, sorted. */
  roots: readonly string[]
}

/** Returns the tombstone of a stream id; undefined when no stream of that id was deleted. */
export function findTombstone(reader: RecordReader, account: string, stream: string): Tombstone | undefined {
  const text = reader.get(accountKeys.tombstone(account, stream))
  return text === undefined ? undefined : (JSON.parse(text) as Tombstone)
}

/** Returns the number of initial changes that a stream id's tombstone covers; see `PriorChanges.generation`. */
export const tombstoneGeneration = (t: Transaction, stream: string): number => findTombstone(t, t.account, stream)?.roots.length ?? 0

/** Merges two tombstones of one id; commutative. */
export const mergeTombstones = (a: Tombstone, b: Tombstone): Tombstone => ({
  deleted: Math.max(a.deleted, b.deleted),
  roots: [...new Set([...a.roots, ...b.roots])].sort(),
})

/** Returns the digest elements that change when a tombstone replaces another, or is added. */
export function tombstoneElements(stream: string, before: Tombstone | undefined, after: Tombstone): DigestElement[] {
  const item = `s${stream}`
  const next = tombstoneElement(item, after.deleted, after.roots)
  return before === undefined ? [next] : [tombstoneElement(item, before.deleted, before.roots), next]
}

/** Writes the next tombstone of a stream id and lists its deletion once, unless a stream of that id exists (`listDeletion`). */
export function putTombstone(t: Transaction, stream: string, former: Tombstone | undefined, next: Tombstone): void {
  const { deleted, roots } = next
  if (former !== undefined) t.delete(accountKeys.streamDeletion(t.account, former.deleted, stream))
  t.put(accountKeys.tombstone(t.account, stream), JSON.stringify({ deleted, roots }))
  if (t.get(accountKeys.stream(t.account, stream)) === undefined) putListed(t, stream, deleted)
}

/**
 * Lists or unlists the deletion of a stream id that leaves or enters the tree, if a stream of that id was ever deleted. An id is
 * either a stream or a deletion (docs/interface/streams.md#listing).
 */
export function listDeletion(t: Transaction, stream: string, isInTree: boolean): void {
  const tombstone = findTombstone(t, t.account, stream)
  if (tombstone === undefined) return
  if (isInTree) t.delete(accountKeys.streamDeletion(t.account, tombstone.deleted, stream))
  else putListed(t, stream, tombstone.deleted)
}

const putListed = (t: Transaction, id: string, deleted: Seconds): void =>
  t.put(accountKeys.streamDeletion(t.account, deleted, id), JSON.stringify({ id, deleted }))
