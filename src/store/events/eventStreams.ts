/**
 * Effective streams of an event: the declared ones that exist, else `recovered`. Missing ones are recorded, so that the
 * event returns to a stream that is created again.
 */
import type { Account, Transaction } from '../engine/account.js'
import { findEvent, placeOf, priorOf, writeEventIndexes } from './events.js'
import { tombstoneGeneration } from '../engine/tombstones.js'
import { accountKeys } from '../engine/keys.js'
import type { Event, Seconds } from '../model/event.js'
import { algorithmIn, eventIntegrity } from '../model/integrity.js'
import { RECOVERED, recoveredStream } from '../model/recovered.js'
import { isAccountStreamId } from '../model/slug.js'
import { noteConflict, recordUnplacedEvent } from '../engine/mergeState.js'
import type { ChangeRecorder } from '../engine/changeRecorder.js'
import { writeStreams } from './effectiveStreams.js'

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
    if (!account.tree.has(RECOVERED)) makeRecovered(account, t, recorder, now)
    streamIds = [RECOVERED]
  }
  // The stream just created may be one that the event declares.
  recordUnplacedEvent(t, event, declared.filter((stream) => !isThere(stream)))
  noteConflict(t, `e${event}`, { repair: isLost ? ['streamIds'] : [] }, now)
  return streamIds
}

/** Creates the stream `recovered`, with the same bytes on every node. */
function makeRecovered(account: Account, t: Transaction, recorder: ChangeRecorder, now: Seconds): void {
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
  const events = account.notes.hidden.get(stream)
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
