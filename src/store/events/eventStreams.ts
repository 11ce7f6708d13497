/**
 * In which streams events are shown: of those that their changes name, the ones that are there; in the stream
 * `recovered` when there are none. The others are noted, so that an event comes back to a stream that is made again.
 */
import type { Account, Transaction } from '../engine/account.js'
import { writeEventIndexes } from './eventIndexes.js'
import { findEvent, placeOf, priorOf } from './events.js'
import { tombstoneGeneration } from '../engine/tombstones.js'
import { accountKeys } from '../engine/keys.js'
import type { Event, Seconds } from '../model/event.js'
import { algorithmIn, eventIntegrity } from '../model/integrity.js'
import { RECOVERED, recoveredStream } from '../model/recovered.js'
import { isAccountStreamId } from '../model/slug.js'
import { noteConflict, recordUnplacedEvent } from '../engine/mergeState.js'
import type { ChangeRecorder } from '../engine/changeRecorder.js'
import { writeStreams } from './effectiveStreams.js'

/** Where an event is shown that says it is in `said`, and notes about it; makes the stream `recovered` when it is needed. */
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
  // The stream that was just made may be one that the event names.
  recordUnplacedEvent(t, event, declared.filter((stream) => !isThere(stream)))
  noteConflict(t, `e${event}`, { repair: isLost ? ['streamIds'] : [] }, now)
  return streamIds
}

/** Makes the stream `recovered`, with the bytes that every node makes it with. */
function makeRecovered(account: Account, t: Transaction, recorder: ChangeRecorder, now: Seconds): void {
  const lives = tombstoneGeneration(t, RECOVERED)
  const stream = recoveredStream(lives)
  const change = recorder.createdByAll({ kind: 'stream', item: stream }, lives)
  const about = writeStreams(account, t, new Map([[RECOVERED, stream]]), now).get(RECOVERED)
  const sequence = t.journal('stream', 'create', RECOVERED, { change, ...(about === undefined ? {} : { about: { stream: about } }) })
  t.put(accountKeys.streamPlace(t.account, RECOVERED), sequence.toString(36))
  restoreStream(account, t, recorder, RECOVERED, now)
}

/** Shows events in a stream that is there again, as far as they say they are in it. */
export function restoreStream(account: Account, t: Transaction, recorder: ChangeRecorder, stream: string, now: Seconds): void {
  const events = account.notes.hidden.get(stream)
  if (events !== undefined) reindexEvents(account, t, recorder, [...events], now)
}

/** Shows events where they belong after streams came or went. Nothing is written for those that stay where they are. */
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
