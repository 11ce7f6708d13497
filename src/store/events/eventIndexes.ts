/**
 * Where events lie: the record of each, in the order of time, its place by its id, and the narrow indexes; the sum of the
 * sizes of its files. Everything that changes events, here or on other nodes, goes through `writeEventIndexes`.
 */
import type { Transaction } from '../engine/account.js'
import { moveReferences, type FileDigests } from '../blobs/fileReferences.js'
import { accountKeys, ordered, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import type { Event, Seconds } from '../model/event.js'
import { eventToRecord, recordOf, recordToEvent } from '../model/eventRecord.js'
import { algorithmIn, eventIntegrity } from '../model/integrity.js'
import { ATTACHED_FILES } from '../model/systemStreams.js'
import { durationBucket } from './durationIndex.js'

/** Where an event is: its time and the sequence of its latest journal entry. */
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
 * Keeps the sum of the sizes of an account's files in its account stream, exact after every change. It follows from the
 * references, so it has no journal entry and no version of its own: one change announces itself once, and copies of an
 * account never merge it. `integrity` is that of the changed event, and says how the counter is hashed.
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

/** What a change of an event is about, beside its states. */
export interface IndexWriting {
  /** Sequence of the event's latest journal entry. */
  sequence: number
  /** The bytes of files that are new to it. */
  digests?: FileDigests | undefined
  /** Seconds. */
  now: Seconds
}

/**
 * Stages what is kept of an event under its next state, none for one that goes, in place of the former, none for a new
 * one: record, place, indexes, files. Answers the record, as text or as UTF-8, empty when the event goes; then its place stays.
 * @throws Error when the bytes of a new file are not named
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
