/** Merges streams from other nodes. Streams of one step are written together, since each affects the placement of others. */
import { eraseChanges } from '../../store/engine/changes.js'
import { findTombstone, tombstoneElements, putTombstone, type Tombstone } from '../../store/streams/tombstones.js'
import { declaredStream, reindexEvents, restoreStream, writeStreams } from '../../store/streams/effectiveStreams.js'
import { forgetStream, journalChanges, storedChanges } from '../../store/replication/applyRemote.js'
import { zeroDigest, xorInto } from '../../store/model/digestElement.js'
import { Failure } from '../../store/model/failure.js'
import type { Stream } from '../../store/model/stream.js'
import { forgetMergeState, noteConflict } from '../../store/engine/mergeState.js'
import { accountKeys } from '../../store/engine/keys.js'
import type { ChangesEntry, DeletionEntry, Outcome } from '../wire/entry.js'
import { materialise } from '../crdt/document.js'
import { applied, known, refusal, type MergeStep } from './context.js'
import { conflictsIn, valueOf, type Reading, type AppliedChanges } from './applyChanges.js'
import { inOrder, linksOf } from '../crdt/links.js'
import { withoutCovered, tombstoneObjection, withDeletion } from './deletion.js'
import { isLeftBehind, isWithin, withdrawalForbidden, outOfScope, streamChangeObjection, type Share } from './scope.js'
import { deletionFrom, recordDeletion, readFrom, type SharedReading } from './shared.js'
import { idObjectionOf, type Objection } from '../crdt/validate.js'

/** Merges changes of streams, at most one entry of each; returns the outcomes in order. */
export function mergeStreams(step: MergeStep, entries: readonly ChangesEntry[]): Outcome[] {
  const { account, t, from, options, now } = step
  const saveDocuments: SharedReading['stageDocument'][] = []
  const readings = entries.map((entry, at): Reading => {
    const objection = strayObjection(step, entry.id)
    if (objection !== undefined) return { outcome: refusal(objection) }
    const { reading, stageDocument } = readFrom(step, entry)
    saveDocuments[at] = stageDocument
    return reading
  })
  const candidates = new Map<string, { at: number; ready: AppliedChanges; declared: Stream }>()
  for (const [at, reading] of readings.entries()) {
    if (!('ready' in reading) || reading.ready.declared.kind !== 'stream') continue
    candidates.set(reading.ready.declared.item.id, { at, ready: reading.ready, declared: reading.ready.declared.item })
  }
  const outcomes = readings.map((reading) => ('ready' in reading ? applied : reading.outcome))
  const saveAll = (): void => outcomes.forEach((outcome, at) => saveDocuments[at]?.(outcome))
  if (from.scope.is === 'share') {
    for (const [id, objection] of refusedIn(step, from.scope, new Map([...candidates].map(([id, { declared }]) => [id, declared])))) {
      const candidate = candidates.get(id)
      if (candidate !== undefined) outcomes[candidate.at] = objection
      candidates.delete(id)
    }
  }
  if (candidates.size === 0) {
    saveAll()
    return outcomes
  }
  const shifts = writeStreams(account, t, new Map([...candidates].map(([id, { declared }]) => [id, declared])), now)
  for (const [id, { ready }] of candidates) {
    const { changes, latest, docState, conflicts } = ready
    const about = shifts.get(id)
    const added = { kind: 'stream', id, changes, latest, docState, origin: from.peer } as const
    const sequence = journalChanges(t, added, about === undefined ? undefined : { stream: about })
    t.put(accountKeys.streamPlace(t.account, id), sequence.toString(36))
    noteConflict(t, `s${id}`, { edits: conflicts }, now)
  }
  for (const id of candidates.keys()) restoreStream(account, t, options.store.recorder, id, now)
  saveAll()
  return outcomes
}

/**
 * Returns the objection to an entry of a stream outside the share. Entries without new content are refused too, since known items
 * count as shared.
 */
function strayObjection({ account: { tree }, from: { scope } }: MergeStep, id: string): Objection | undefined {
  const strays = scope.is === 'share' && tree.has(id) && !isWithin(tree, scope, id)
  return strays ? outOfScope('The stream is not shared with the peer.') : undefined
}

/** Returns the refusals of stream changes; each stream is checked after its parent. */
function refusedIn({ account }: MergeStep, share: Share, next: ReadonlyMap<string, Stream>): Map<string, Outcome> {
  const verdicts = new Map<string, Outcome | undefined>()
  // The peer's version does not affect whether a shared stream accepts children.
  const isWithinNext = (id: string): boolean =>
    share.streams.includes(id) ? isWithin(account.tree, share, id) : judge(id)
  const judge = (id: string): boolean => {
    const stream = next.get(id)
    if (stream === undefined) return isWithin(account.tree, share, id)
    if (!verdicts.has(id)) {
      // On a cycle each stream is below the other, and none below a shared one.
      verdicts.set(id, refusal(outOfScope('The stream would lie outside the share.')))
      const objection = streamChangeObjection(account.tree, share, declaredStream(account, id), stream, isWithinNext)
      verdicts.set(id, objection === undefined ? undefined : refusal(objection))
    }
    return verdicts.get(id) === undefined
  }
  const refused = new Map<string, Outcome>()
  for (const id of next.keys()) {
    const verdict = judge(id) ? undefined : verdicts.get(id)
    if (verdict !== undefined) refused.set(id, verdict)
  }
  return refused
}

/** State of a stream after a deletion. */
interface StreamDeletion {
  id: string
  former: Tombstone | undefined
  tombstone: Tombstone
  /** Item materialised from the first changes that the deletion does not cover. */
  remaining?: { declared: Stream; changes: Uint8Array[]; docState?: Uint8Array; met: string[] }
  /** True when the deletion covers stored changes. */
  coversStored: boolean
}

/**
 * Merges deletions of streams, at most one of each; returns the outcomes in order. `events` are the ids of the events in
 * these streams.
 */
export function deleteStreams(step: MergeStep, entries: readonly DeletionEntry[], events: readonly string[]): Outcome[] {
  const { account, t, from, options, now } = step
  const deletions: StreamDeletion[] = []
  const outcomes = entries.map((entry) => {
    const deletion = deletionOf(step, entry)
    if (!('is' in deletion) || deletion.is === 'known') recordDeletion(step, entry)
    if ('is' in deletion) return deletion
    deletions.push(deletion)
    return applied
  })
  const declared = new Map(deletions.filter(({ coversStored }) => coversStored).map(({ id, remaining }) => [id, remaining?.declared]))
  const shifts = writeStreams(account, t, declared, now)
  for (const { id, former, tombstone, remaining, coversStored } of deletions) {
    const { latest } = storedChanges(t, 'stream', id)
    const state = coversStored && latest !== undefined ? eraseChanges(t, `s${id}`, latest).state : zeroDigest()
    for (const element of tombstoneElements(id, former, tombstone)) xorInto(state, element)
    putTombstone(t, id, former, tombstone)
    const about = coversStored ? { about: { stream: shifts.get(id) ?? {} } } : {}
    t.journal('stream', 'delete', id, { change: state, origin: from.peer, ...about })
    if (!coversStored) continue
    t.delete(accountKeys.streamPlace(t.account, id))
    if (remaining === undefined) forgetMergeState(t, `s${id}`)
    else {
      const { changes, docState, met } = remaining
      const sequence = journalChanges(t, { kind: 'stream', id, changes, docState, origin: from.peer })
      t.put(accountKeys.streamPlace(t.account, id), sequence.toString(36))
      noteConflict(t, `s${id}`, { edits: met }, now)
    }
  }
  reindexEvents(account, t, options.store.recorder, events, now)
  return outcomes
}

/** Plans the deletion of a stream by the rules of deletion.ts; returns its outcome when there is nothing to stage. */
function deletionOf(step: MergeStep, entry: DeletionEntry): StreamDeletion | Outcome {
  const { account, t, from } = step
  const { id, deleted, roots = [] } = deletionFrom(step, entry)
  const isAlone = isLeftBehind(step, { kind: 'stream', id }, [id])
  const objection = idObjectionOf('stream', id) ?? (isAlone ? undefined : strayObjection(step, id))
  if (objection !== undefined) return refusal(objection)
  const invalid = tombstoneObjection({ deleted, roots })
  if (invalid !== undefined) return refusal(invalid)
  const former = findTombstone(t, t.account, id)
  const tombstone = withDeletion(former, { deleted, roots })
  if (tombstone === undefined) return known
  const { scope } = from
  if (scope.is === 'share' && account.tree.has(id)) {
    const isGranted = scope.grantor === 'us' && scope.streams.includes(id)
    if (isGranted) return refusal(outOfScope('The peer may not delete a stream that is shared with it.'))
  }
  const stored = storedChanges(t, 'stream', id)
  const ordered = inOrder(linksOf(stored.changes), () => false) ?? []
  const { isCovered, left } = withoutCovered(tombstone, ordered)
  const deletion = { id, former, tombstone, coversStored: isCovered }
  if (!isCovered || left.length === 0) return deletion
  const changes = left.map(({ bytes }) => bytes)
  try {
    const merged = materialise(changes)
    const declared = valueOf('stream', id, merged).item as Stream
    const docState = changes.length > 1 ? { docState: merged.docState } : {}
    return { ...deletion, remaining: { declared, changes, ...docState, met: conflictsIn(merged.conflicts) } }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return refusal({ reason: 'damaged', message: 'The deletion would leave an invalid stream.' })
  }
}

/**
 * Removes streams that a peer no longer shares; refused or ignored when this side is the grantor. `events` are the ids of
 * the events in these streams.
 */
export function withdrawStreams({ account, t, from, options, now }: MergeStep, ids: readonly string[], events: readonly string[]): Outcome[] {
  const { scope } = from
  if (scope.is !== 'share') return ids.map(() => refusal(withdrawalForbidden))
  if (scope.grantor === 'us') return ids.map((id) => (isWithin(account.tree, scope, id) ? refusal(withdrawalForbidden) : known))
  const outcomes = ids.map((id) => (forgetStream(account, t, id, now, from.peer) ? applied : known))
  reindexEvents(account, t, options.store.recorder, events, now)
  return outcomes
}
