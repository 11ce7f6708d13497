/** Merges changes that a share peer makes to its share documents (share/shareDocument.ts). */
import { findDeletion } from '../../store/events/events.js'
import { findTombstone } from '../../store/streams/tombstones.js'
import { storedChanges } from '../../store/replication/applyRemote.js'
import { putShareDocument, readShareDocument } from '../../store/engine/shareDocuments.js'
import { accountKeys } from '../../store/engine/keys.js'
import { Failure } from '../../store/model/failure.js'
import { itemKey, type ChangesEntry, type DeletionEntry, type Outcome } from '../wire/entry.js'
import { maySend } from '../../store/replication/peers.js'
import { isMarked, openChanges, sideOf, versionAfter } from './share/shareDocument.js'
import { projectionOf } from './share/projection.js'
import { documentWith, decodedRoots, withRoots } from './share/roots.js'
import { receiveChanges } from './share/incoming.js'
import { refusal, type MergeStep } from './context.js'
import { readChanges, bytesRefusal, operationsRefusal, type Reading } from './applyChanges.js'
import { inOrder, linksOf } from '../crdt/links.js'
import { coveredBy } from './deletion.js'

/** Received changes in mergeable form. */
export interface SharedReading {
  reading: Reading
  /** Stages the document of the peer, once the changes are merged. */
  stageDocument(outcome: Outcome): void
}

const nothingToStage = (): void => {}

/** Reads changes of a peer. Changes of a share peer may belong to its share document instead of this node's document. */
export function readFrom(step: MergeStep, entry: ChangesEntry): SharedReading {
  const { t, from: { scope }, options } = step
  const asTheyAre = (): SharedReading => ({ reading: readChanges(t, entry, options.types), stageDocument: nothingToStage })
  if (scope.is !== 'share' || !maySend(scope)) return asTheyAre()
  const unfit = bytesRefusal(entry)
  if (unfit !== undefined) return { reading: { outcome: unfit }, stageDocument: nothingToStage }
  try {
    return readSharedChanges(step, entry) ?? asTheyAre()
  } catch (error) {
    if (!(error instanceof Failure && error.id === 'corrupted-data') && !(error instanceof RangeError)) throw error
    return { reading: { outcome: refusal({ reason: 'damaged', message: error.message }) }, stageDocument: nothingToStage }
  }
}

/** Reads changes of a share document; undefined when the peer has none. */
function readSharedChanges({ account, t, from: { scope, peer }, options }: MergeStep, entry: ChangesEntry): SharedReading | undefined {
  if (scope.is !== 'share') return undefined
  const { kind, id } = entry
  const item = { kind, id }
  const name = itemKey(item)
  const side = sideOf(scope)
  const former = readShareDocument(t, t.account, name, peer)
  if (kind === 'event' && findDeletion(t, t.account, id) !== undefined) return undefined
  const came = linksOf(entry.changes)
  const ordered = inOrder(came, (hash) => !came.has(hash)) ?? []
  const covered = coveredBy(former?.dead ?? [], ordered)
  if (covered.size > 0 && covered.size === came.size) return { reading: { outcome: { is: 'known' } }, stageDocument: nothingToStage }
  for (const hash of covered) came.delete(hash)
  const own = linksOf(storedChanges(t, kind, id).changes)
  const isApart = former?.changes !== undefined
  if (!isApart && ![...came.values()].some((link) => isMarked(link, side) && !own.has(link.hash))) return undefined
  const projection = projectionOf(account, scope)
  const isNoted = t.get(accountKeys.shared(t.account, peer, name)) !== undefined
  const before = former?.changes ?? (isNoted ? openChanges(item, own, projection).map(({ bytes }) => bytes) : [])
  const fresh = new Map(came)
  for (const hash of linksOf(before).keys()) fresh.delete(hash)
  const unfit = operationsRefusal(fresh)
  if (unfit !== undefined) return { reading: { outcome: unfit }, stageDocument: nothingToStage }
  const there = inOrder(new Map([...linksOf(before), ...came]), () => false)
  if (there === undefined) return { reading: { outcome: { is: 'incomplete' } }, stageDocument: nothingToStage }
  // The peer's changes must also be consistent among themselves.
  versionAfter(there)
  const { changes, taken } = receiveChanges({ item, own, there, taken: former?.taken ?? {}, projection, side })
  const reading = changes.length === 0 ? { outcome: { is: 'known' } as const } : readChanges(t, { ...entry, changes }, options.types)
  return {
    reading,
    stageDocument({ is }) {
      if ((is !== 'applied' && is !== 'known') || (isApart && changes.length === 0 && there.length === before.length)) return
      const after = linksOf([...own.values()].map(({ bytes }) => bytes))
      putShareDocument(t, name, peer, documentWith(former, after, there.map(({ bytes }) => bytes), taken))
    },
  }
}

/** Translates the deletion of a stream: the peer names the first changes of its copy. */
export function deletionFrom({ t, from: { scope, peer } }: MergeStep, entry: DeletionEntry): DeletionEntry {
  const document = scope.is === 'share' ? readShareDocument(t, t.account, `s${entry.id}`, peer) : undefined
  if (document === undefined) return entry
  const own = linksOf(storedChanges(t, 'stream', entry.id).changes)
  const tombstone = findTombstone(t, t.account, entry.id)?.roots ?? []
  return { ...entry, roots: decodedRoots(document, own, tombstone, entry.roots ?? []) }
}

/** Records the first changes that a peer's deletion of a stream named. */
export function recordDeletion({ t, from: { scope, peer } }: MergeStep, entry: DeletionEntry): void {
  const document = scope.is === 'share' ? readShareDocument(t, t.account, `s${entry.id}`, peer) : undefined
  if (document !== undefined) putShareDocument(t, `s${entry.id}`, peer, withRoots(document, entry))
}
