/**
 * Rules of deletions: what a deletion covers, and what remains of an item. Pure functions, commutative and idempotent, so that
 * all nodes end with the same items in whatever order changes and deletions arrive.
 *
 * - Ids of events are never reused. The deletion of an event absorbs all its changes, also those that arrive later; of
 *   several deletions the latest time is kept (`isLaterDeletion`).
 * - Ids of streams may be reused: a stream deleted on one node can be created again on another, before or after the deletion
 *   arrives there. So the deletion of a stream names the first changes that it covers, its *roots*. It covers these and all
 *   changes that build on them (`coveredBy`). A stream created again has another first change, which survives.
 *
 * A node keeps the roots of all deletions of a stream id as its tombstone (store/streams/tombstones.ts), to which both orders of
 * arrival lead: a deletion removes the covered stored changes (`withoutCovered`), and changes that arrive later and are covered
 * by the tombstone are dropped (`survivors`). streams.ts applies these rules; a local deletion is `removeStream`
 * (store/streams/streams.ts), and a stream created again with `addStream` gets another first change through its generation.
 */
import { mergeTombstones, type Tombstone } from '../../store/streams/tombstones.js'
import type { Link } from '../crdt/links.js'
import type { Objection } from '../crdt/validate.js'

const HASH = /^[0-9a-f]{64}$/
/** Maximum number of first changes of one id, beyond practical use. */
const MAX_ROOTS = 10_000

/** Returns the objection to the received deletion of a stream; undefined when its time and roots are valid. */
export function tombstoneObjection({ deleted, roots }: Tombstone): Objection | undefined {
  if (Number.isFinite(deleted) && roots.length <= MAX_ROOTS && roots.every((root) => HASH.test(root))) return undefined
  return { reason: 'invalid', message: 'The deletion has no valid time or list of first changes.' }
}

/** Adds a deletion to the tombstone of a stream id; undefined when the tombstone already includes it. */
export function withDeletion(former: Tombstone | undefined, deletion: Tombstone): Tombstone | undefined {
  // Merging also sorts the roots of a first deletion.
  const merged = mergeTombstones(former ?? { deleted: deletion.deleted, roots: [] }, deletion)
  const isKnown = former !== undefined && former.deleted === merged.deleted && former.roots.length === merged.roots.length
  return isKnown ? undefined : merged
}

/**
 * Returns the hashes of the changes that a tombstone covers: the first changes that it names, and all that build on them.
 * `ordered` is complete and in the order of `inOrder`.
 */
export function coveredBy(roots: readonly string[], ordered: readonly Link[]): Set<string> {
  const covered = new Set<string>()
  if (roots.length === 0) return covered
  const named = new Set(roots)
  for (const { hash, deps } of ordered) {
    if (deps.length === 0 ? named.has(hash) : deps.some((dep) => covered.has(dep))) covered.add(hash)
  }
  return covered
}

/** Returns the changes that no tombstone covers, for changes that arrive after a deletion. */
export function survivors(tombstone: Tombstone | undefined, ordered: readonly Link[]): readonly Link[] {
  if (tombstone === undefined) return ordered
  const covered = coveredBy(tombstone.roots, ordered)
  return ordered.filter(({ hash }) => !covered.has(hash))
}

/**
 * Applies a tombstone to the stored changes of a stream. `isCovered` is false when it covers none of them; `left` are the changes
 * not covered, none when the stream is removed.
 */
export function withoutCovered(tombstone: Tombstone, ordered: readonly Link[]): { isCovered: boolean; left: readonly Link[] } {
  const left = survivors(tombstone, ordered)
  return { isCovered: left.length < ordered.length, left }
}

/** Checks whether the deletion of an event replaces the former one. */
export const isLaterDeletion = (former: { deleted: number } | undefined, deleted: number): boolean => former === undefined || former.deleted < deleted
