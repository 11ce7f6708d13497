/**
 * Records and indexes of events: the record by time, the place by id, the narrow indexes, and the sum of attached file
 * sizes. All changes of events, local or remote, go through `writeEventIndexes`.
 */
import type { Transaction } from '../engine/account.js'
import { moveReferences, type FileDigests } from '../blobs/fileReferences.js'
import { accountKeys, ordered, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import type { Event, Seconds } from '../model/event.js'
import { eventToRecord, recordOf, recordToEvent } from '../model/eventRecord.js'
import { algorithmIn, eventIntegrity } from '../model/integrity.js'
import { ATTACHED_FILES } from '../model/systemStreams.js'
import { durationBucket } from './durationIndex.js'

/** Place of an event: its time and the sequence of its latest journal entry. */
export interface EventKey {
  time: number
  sequence: number
}

export const eventKeyToText = (time: number, sequence: number): string => ordered(time) + sequence.toString(36)

export function textToEventKey(text: string): EventKey {
  return { time: orderedToNumber(text), sequence: Number.parseInt(text.slice(ORDERED_LENGTH), 36) }
}

function index(t: Transaction, event: Event): void {
  const a = t.account
  for (const stream of event.streamIds) t.put(accountKeys.streamEvent(a, stream, event.time, event.id), event.type)
  t.put(accountKeys.modified(a, event.modified, event.id), ordered(event.time))
  if (event.duration !== undefined) {
    t.put(accountKeys.period(a, durationBucket(event.duration), event.time, event.id), '')
  }
}

function unindex(t: Transaction, event: Event): void {
  const a = t.account
  for (const stream of event.streamIds) t.delete(accountKeys.streamEvent(a, stream, event.time, event.id))
  t.delete(accountKeys.modified(a, event.modified, event.id))
  if (event.duration !== undefined) {
    t.delete(accountKeys.period(a, durationBucket(event.duration), event.time, event.id))
  }
}

function attachedFiles(t: Transaction): Event | undefined {
  const place = t.get(accountKeys.eventPlace(t.account, ATTACHED_FILES))
  const record = place === undefined ? undefined : t.get(accountKeys.event(t.account, textToEventKey(place).time, ATTACHED_FILES))
  return record === undefined ? undefined : recordToEvent(record)
}

/**
 * Updates the total size of attached files in the account stream, exactly and with every change. The total follows from
 * the references, so it has no journal entry and no version of its own and is never merged. `integrity` is that of the
 * changed event and determines the hash algorithm.
 */
function countFiles(t: Transaction, difference: number, now: number, integrity: string | undefined): void {
  const before = difference === 0 ? undefined : attachedFiles(t)
  if (before === undefined) return
  const { integrity: _, ...stored } = before
  const after: Event = { ...stored, content: Number(before.content) + difference, time: now, modified: now }
  const algorithm = algorithmIn('EVENT', integrity)
  if (algorithm !== undefined) after.integrity = eventIntegrity(after, algorithm)
  const place = textToEventKey(t.get(accountKeys.eventPlace(t.account, ATTACHED_FILES)) ?? '')
  unindex(t, before)
  t.delete(accountKeys.event(t.account, before.time, ATTACHED_FILES))
  t.put(accountKeys.event(t.account, after.time, ATTACHED_FILES), eventToRecord(after))
  t.put(accountKeys.eventPlace(t.account, ATTACHED_FILES), eventKeyToText(after.time, place.sequence))
  index(t, after)
}

/** Options of an index update. */
export interface IndexWriting {
  /** Sequence of the event's latest journal entry. */
  sequence: number
  /** Digests of files that are new to the event. */
  digests?: FileDigests | undefined
  /** Seconds. */
  now: Seconds
}

/**
 * Stages the stored form of an event's next state in place of the former: record, place, indexes, files. `before` is
 * undefined for a new event, `after` for a removed one, whose place stays. Returns the record, as text or as UTF-8;
 * empty for a removed event.
 * @throws Error when the digest of a new file is missing
 */
export function writeEventIndexes(
  t: Transaction,
  before: Event | undefined,
  after: Event | undefined,
  { sequence, digests, now }: IndexWriting,
): string | Uint8Array {
  const a = t.account
  const id = (after ?? before)?.id ?? ''
  if (before !== undefined) {
    unindex(t, before)
    if (before.time !== after?.time) t.delete(accountKeys.event(a, before.time, id))
  }
  let record: string | Uint8Array = ''
  if (after !== undefined) {
    record = recordOf(after)
    t.put(accountKeys.event(a, after.time, id), record)
    t.put(accountKeys.eventPlace(a, id), eventKeyToText(after.time, sequence))
    index(t, after)
  }
  const difference = moveReferences(t, id, before?.attachments, after?.attachments, digests)
  countFiles(t, difference, now, (after ?? before)?.integrity)
  return record
}
