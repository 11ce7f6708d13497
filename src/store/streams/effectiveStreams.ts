/**
 * Effective streams: those that clients are shown, derived from the declared ones.
 *
 * - A stream is shown as its CRDT document declares it while replicas agree, otherwise as tree repair derives it from all
 *   declared streams (model/treeRepair.ts). `writeStreams` stages both, the records and the tree in memory.
 * - An event is shown in its declared streams that exist, else in `recovered`. `resolveEventStreams` records the missing
 *   ones, so that `restoreStream` returns the event to a stream that is created again.
 */
import type { Account, Transaction } from '../engine/account.js'
import type { ChangeRecorder } from '../engine/changeRecorder.js'
import type { States } from '../engine/journal.js'
import { accountKeys } from '../engine/keys.js'
import { noteConflict, recordDeclaredPlace, recordUnplacedEvent } from '../engine/mergeState.js'
import { findEvent, placeOf, priorOf, writeEventIndexes } from '../events/events.js'
import { canonicalStream } from '../model/streams/fields.js'
import type { Event, Seconds } from '../model/event.js'
import { algorithmIn, eventIntegrity } from '../model/integrity.js'
import { RECOVERED, recoveredStream } from '../model/recovered.js'
import { isAccountStreamId } from '../model/slug.js'
import type { Stream } from '../model/stream.js'
import type { Tree } from '../model/tree.js'
import { MAX_STREAM_DEPTH, repairTree } from '../model/treeRepair.js'
import { listDeletion, tombstoneGeneration } from './tombstones.js'

/** Returns the stream as its CRDT document declares it; undefined when there is none. */
export function declaredStream(account: Account, id: string): Stream | undefined {
  const effective = account.tree.get(id)
  const declared = effective === undefined ? undefined : account.mergeState.declaredPlace.get(id)
  return declared === undefined ? effective : canonicalStream({ ...(effective as Stream), ...declared })
}

/**
 * Stages declared streams, undefined for removed ones: their records, the records of streams whose effective place
 * changes with them, and the tree in memory. Returns the states of each stream that was declared or changed. `now` in
 * seconds.
 */
export function writeStreams(
  account: Account,
  t: Transaction,
  declared: ReadonlyMap<string, Stream | undefined>,
  now: Seconds,
): Map<string, States<Stream>> {
  const { tree } = account
  const before = new Map<string, Stream | undefined>()
  const show = (id: string, next: Stream | undefined): void => {
    if (!before.has(id)) before.set(id, tree.get(id))
    t.setTreeStream(id, next)
  }
  if (!writeAsDeclared(account, declared, show)) writeRepaired(account, t, declared, show, now)
  const shifts = new Map<string, States<Stream>>()
  for (const [id, former] of before) {
    const after = tree.get(id)
    if (after === undefined) t.delete(accountKeys.stream(t.account, id))
    else t.put(accountKeys.stream(t.account, id), JSON.stringify(after))
    if ((former === undefined) !== (after === undefined)) listDeletion(t, id, after !== undefined)
    shifts.set(id, { ...(former === undefined ? {} : { before: former }), ...(after === undefined ? {} : { after }) })
  }
  return shifts
}

type Show = (id: string, next: Stream | undefined) => void

/** Writes streams as declared while the tree stays valid; returns false when it needs repair. */
function writeAsDeclared({ tree, mergeState }: Account, declared: ReadonlyMap<string, Stream | undefined>, show: Show): boolean {
  if (mergeState.declaredPlace.size > 0) return false
  for (const [id, stream] of declared) {
    if (stream === undefined ? tree.childrenOf(id).length > 0 : !fits(tree, stream)) return false
    show(id, stream === undefined ? undefined : canonicalStream(stream))
  }
  return true
}

/** Checks whether a stream fits a valid tree as declared. */
function fits(tree: Tree, { id, name, parentId }: Stream): boolean {
  if (tree.siblingNamed(parentId, name, id) !== undefined) return false
  const former = tree.get(id)
  if ((former !== undefined && former.parentId === parentId) || parentId === null) return true
  if (!tree.has(parentId) || tree.isUnder(parentId, id)) return false
  if (tree.size < MAX_STREAM_DEPTH) return true
  // The depth of its descendants is left to tree repair, which checks all.
  return tree.childrenOf(id).length === 0 && [...tree.ancestors(parentId)].length < MAX_STREAM_DEPTH - 1
}

function writeRepaired(
  account: Account,
  t: Transaction,
  declared: ReadonlyMap<string, Stream | undefined>,
  show: Show,
  now: Seconds,
): void {
  const { tree } = account
  const all = new Map<string, Stream>()
  for (const { id } of tree.all()) {
    const stream = declaredStream(account, id)
    if (stream !== undefined) all.set(id, stream)
  }
  for (const [id, stream] of declared) {
    if (stream !== undefined) all.set(id, stream)
    else {
      all.delete(id)
      recordDeclaredPlace(t, id, undefined)
      show(id, undefined)
    }
  }
  const repaired = repairTree([...all.values()])
  for (const [id, stream] of all) {
    const place = repaired.get(id)
    recordDeclaredPlace(t, id, place === undefined ? undefined : { name: stream.name, parentId: stream.parentId })
    const repair = place === undefined ? [] : (['name', 'parentId'] as const).filter((field) => place[field] !== stream[field])
    noteConflict(t, `s${id}`, { repair }, now)
    const { name, parentId } = place ?? stream
    const former = tree.get(id)
    if (!declared.has(id) && former?.name === name && former.parentId === parentId) continue
    show(id, canonicalStream({ ...stream, name, parentId }))
  }
}

/**
 * Returns the effective streams of an event with `declared` streams and records the missing ones. Creates the stream
 * `recovered` if needed.
 */
export function resolveEventStreams(
  account: Account,
  t: Transaction,
  recorder: ChangeRecorder,
  event: string,
  declared: readonly string[],
  now: Seconds,
): string[] {
  const isThere = (stream: string): boolean => account.tree.has(stream) || isAccountStreamId(stream)
  let streamIds = declared.filter(isThere)
  const isLost = streamIds.length === 0
  if (isLost) {
    if (!account.tree.has(RECOVERED)) createRecovered(account, t, recorder, now)
    streamIds = [RECOVERED]
  }
  // The stream just created may be one that the event declares.
  recordUnplacedEvent(t, event, declared.filter((stream) => !isThere(stream)))
  noteConflict(t, `e${event}`, { repair: isLost ? ['streamIds'] : [] }, now)
  return streamIds
}

/** Creates the stream `recovered`, with the same bytes on every node. */
function createRecovered(account: Account, t: Transaction, recorder: ChangeRecorder, now: Seconds): void {
  const generation = tombstoneGeneration(t, RECOVERED)
  const stream = recoveredStream(generation)
  const change = recorder.createdByAll({ kind: 'stream', item: stream }, generation)
  const about = writeStreams(account, t, new Map([[RECOVERED, stream]]), now).get(RECOVERED)
  const sequence = t.journal('stream', 'create', RECOVERED, { change, ...(about === undefined ? {} : { about: { stream: about } }) })
  t.put(accountKeys.streamPlace(t.account, RECOVERED), sequence.toString(36))
  restoreStream(account, t, recorder, RECOVERED, now)
}

/** Restores to a stream that exists again the events that declare it. */
export function restoreStream(account: Account, t: Transaction, recorder: ChangeRecorder, stream: string, now: Seconds): void {
  const events = account.mergeState.unplacedEvents.get(stream)
  if (events !== undefined) reindexEvents(account, t, recorder, [...events], now)
}

/** Updates the effective streams of events after streams were added or removed. Writes nothing for unchanged events. */
export function reindexEvents(
  account: Account,
  t: Transaction,
  recorder: ChangeRecorder,
  events: readonly string[],
  now: Seconds,
): void {
  for (const id of events) {
    const before = findEvent(t, t.account, id)
    if (before === undefined) continue
    const { sequence } = placeOf(t, id)
    const declared = recorder.streamsOf(priorOf(t, id, sequence))
    const streamIds = resolveEventStreams(account, t, recorder, id, declared, now)
    if (streamIds.join() === before.streamIds.join()) continue
    const after: Event = { ...before, streamIds }
    const algorithm = algorithmIn('EVENT', before.integrity)
    delete after.integrity
    if (algorithm !== undefined) after.integrity = eventIntegrity(after, algorithm)
    writeEventIndexes(t, before, after, { sequence, now })
  }
}
