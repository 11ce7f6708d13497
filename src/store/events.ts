/**
 * How events are kept. A record lives where the most common scan reads it in order (time); the other indexes are
 * narrow. Every function here stages into a transaction: record, indexes, CRDT change and journal entry together.
 */
import { isSeriesType } from './model/eventTypes/series.js'
import type { Transaction } from './account.js'
import { changeAt, eraseChanges } from './changes.js'
import type { Database, Snapshot } from './database.js'
import { moveReferences, type FileDigests } from './fileReferences.js'
import { accountKeys, ordered, ORDERED_LENGTH, orderedToNumber } from './keys.js'
import { deletionElement, staysHome, toggle } from './model/element.js'
import type { Event, EventDeletion, EventRemains } from './model/event.js'
import { deletionToListing, eventToRecord, recordToEvent } from './model/eventRecord.js'
import { algorithmIn, eventIntegrity } from './model/integrity.js'
import { ATTACHED_FILES } from './model/systemStreams.js'
import { magnitudeOf } from './periods.js'
import type { ChangeRecorder } from './ports.js'
import { removePoints } from './series/series.js'

export type DeletionMode = 'keep-nothing' | 'keep-authors' | 'keep-everything'

/** Where an event is: its time and the sequence of its latest journal entry. */
interface Place {
  time: number
  sequence: number
}

const placeToText = (time: number, sequence: number): string => ordered(time) + sequence.toString(36)

function textToPlace(text: string): Place {
  return { time: orderedToNumber(text), sequence: Number.parseInt(text.slice(ORDERED_LENGTH), 36) }
}

/** Adds its hash to what is kept of an event, where integrity is on. */
export type Hashing = <E extends EventRemains>(kept: E) => E

type Reader = { get(key: string): string | undefined }

/** Reads single keys of a database, or of one moment of it. */
export const readerOf = (db: Database, snapshot?: Snapshot): Reader => ({ get: (key) => db.get(key, snapshot) })

/** The record of a live event, by id. */
export function findRecord(reader: Reader, account: string, id: string): string | undefined {
  const key = accountKeys.eventPlace(account, id)
  let place = reader.get(key)
  while (place !== undefined && !place.startsWith('{')) {
    const record = reader.get(accountKeys.event(account, orderedToNumber(place), id))
    if (record !== undefined) return record
    // Between the two reads a commit may have moved the event to another time.
    const later = reader.get(key)
    if (later === place) return undefined
    place = later
  }
  return undefined
}

/** A live event, by id. */
export function findEvent(reader: Reader, account: string, id: string): Event | undefined {
  const record = findRecord(reader, account, id)
  return record === undefined ? undefined : recordToEvent(record)
}

/** What is left of a deleted event. */
export function findDeletion(reader: Reader, account: string, id: string): EventDeletion | undefined {
  const place = reader.get(accountKeys.eventPlace(account, id))
  return place?.startsWith('{') === true ? (JSON.parse(place) as EventDeletion) : undefined
}

/** Whether an id is taken, by a live event or a deleted one. */
export function isEventIdTaken(reader: Reader, account: string, id: string): boolean {
  return reader.get(accountKeys.eventPlace(account, id)) !== undefined
}

function index(t: Transaction, event: Event): void {
  const a = t.account
  for (const stream of event.streamIds) t.put(accountKeys.streamEvent(a, stream, event.time, event.id), event.type)
  t.put(accountKeys.modified(a, event.modified, event.id), ordered(event.time))
  if (event.duration !== undefined) {
    t.put(accountKeys.period(a, magnitudeOf(event.duration), event.time, event.id), '')
  }
}

function unindex(t: Transaction, event: Event): void {
  const a = t.account
  for (const stream of event.streamIds) t.delete(accountKeys.streamEvent(a, stream, event.time, event.id))
  t.delete(accountKeys.modified(a, event.modified, event.id))
  if (event.duration !== undefined) {
    t.delete(accountKeys.period(a, magnitudeOf(event.duration), event.time, event.id))
  }
}

/**
 * Keeps the sum of the sizes of an account's files in its account stream, exact after every change. It follows from the
 * references, so it has no journal entry and no version of its own: one change announces itself once, and copies of an
 * account never merge it. `integrity` is that of the changed event, and says how the counter is hashed.
 */
function countFiles(t: Transaction, difference: number, now: number, integrity: string | undefined): void {
  const before = difference === 0 ? undefined : findEvent(t, t.account, ATTACHED_FILES)
  if (before === undefined) return
  const { integrity: _, ...kept } = before
  const after: Event = { ...kept, content: Number(before.content) + difference, time: now, modified: now }
  const algorithm = algorithmIn(integrity)
  if (algorithm !== undefined) after.integrity = eventIntegrity(after, algorithm)
  const place = textToPlace(t.get(accountKeys.eventPlace(t.account, ATTACHED_FILES)) ?? '')
  unindex(t, before)
  t.delete(accountKeys.event(t.account, before.time, ATTACHED_FILES))
  t.put(accountKeys.event(t.account, after.time, ATTACHED_FILES), eventToRecord(after))
  t.put(accountKeys.eventPlace(t.account, ATTACHED_FILES), placeToText(after.time, place.sequence))
  index(t, after)
}

/** Adds a new event; answers its record. The id must be free. `digests` name the bytes of its files. */
export function addEvent(t: Transaction, recorder: ChangeRecorder, event: Event, digests?: FileDigests): string {
  const record = eventToRecord(event)
  const change = recorder.created({ kind: 'event', item: event })
  const sequence = t.journal('event', 'create', event.id, { change, about: { event: { after: event } } })
  t.put(accountKeys.event(t.account, event.time, event.id), record)
  t.put(accountKeys.eventPlace(t.account, event.id), placeToText(event.time, sequence))
  index(t, event)
  countFiles(t, moveReferences(t, event.id, undefined, event.attachments, digests), event.modified, event.integrity)
  return record
}

/**
 * Replaces an event by its next state; answers the new record. `keepVersion` keeps the former state as a version.
 * `digests` name the bytes of the files that are new.
 */
export function replaceEvent(
  t: Transaction,
  recorder: ChangeRecorder,
  before: Event,
  after: Event,
  keepVersion: boolean,
  digests?: FileDigests,
): string {
  const a = t.account
  const { id } = after
  const place = textToPlace(t.get(accountKeys.eventPlace(a, id)) ?? '')
  const book = t.getBytes(accountKeys.book(a, `e${id}`))
  const { change, book: nextBook } = recorder.edited(
    { kind: 'event', item: before },
    { kind: 'event', item: after },
    { ...(book === undefined ? {} : { book }), first: () => changeAt(t, place.sequence) },
  )
  const record = eventToRecord(after)
  if (keepVersion) t.put(accountKeys.version(a, id, nextVersion(t, id)), eventToRecord(before))
  const sequence = t.journal('event', 'update', id, {
    change,
    previous: place.sequence,
    about: { event: { before, after } },
  })
  unindex(t, before)
  if (before.time !== after.time) t.delete(accountKeys.event(a, before.time, id))
  t.put(accountKeys.event(a, after.time, id), record)
  t.put(accountKeys.eventPlace(a, id), placeToText(after.time, sequence))
  t.put(accountKeys.book(a, `e${id}`), nextBook)
  index(t, after)
  countFiles(t, moveReferences(t, id, before.attachments, after.attachments, digests), after.modified, after.integrity)
  return record
}

/**
 * Removes an event for good: its record, indexes, files, points, CRDT changes and, as `mode` says, its history. Answers what is kept;
 * `integrityOf` hashes it.
 */
export function removeEvent(
  t: Transaction,
  event: Event,
  deleted: number,
  mode: DeletionMode,
  integrityOf: Hashing,
): EventDeletion {
  const a = t.account
  const { id } = event
  const kept: EventDeletion =
    mode === 'keep-everything'
      ? { ...event, deleted }
      : mode === 'keep-authors'
        ? { id, deleted, modified: event.modified, modifiedBy: event.modifiedBy }
        : { id, deleted }
  delete kept.integrity
  const deletion = integrityOf(kept)
  const place = textToPlace(t.get(accountKeys.eventPlace(a, id)) ?? '')
  const item = `e${id}`
  const { state } = eraseChanges(t, item, place.sequence)
  if (!staysHome(item)) toggle(state, deletionElement(item, deleted))
  const versions = nextVersion(t, id)
  for (let n = 1; n < versions && mode !== 'keep-everything'; n++) {
    const key = accountKeys.version(a, id, n)
    const version = t.get(key)
    if (mode === 'keep-nothing' || version === undefined) t.delete(key)
    else {
      const { modified, modifiedBy } = recordToEvent(version)
      t.put(key, JSON.stringify(integrityOf({ id, modified, modifiedBy })))
    }
  }
  unindex(t, event)
  t.delete(accountKeys.event(a, event.time, id))
  t.put(accountKeys.eventPlace(a, id), JSON.stringify(deletion))
  t.put(accountKeys.eventDeletion(a, deleted, id), deletionToListing(deletion))
  const change = staysHome(item) ? {} : { change: state }
  t.journal('event', 'delete', id, { ...change, about: { event: { before: event } } })
  if (isSeriesType(event.type)) removePoints(t, id)
  countFiles(t, moveReferences(t, id, event.attachments, undefined), deleted, deletion.integrity)
  return deletion
}

/** Earlier versions of an event, oldest first, as they were kept. */
export function readVersions(reader: Reader, account: string, id: string): unknown[] {
  const versions = []
  for (let n = 1; ; n++) {
    const text = reader.get(accountKeys.version(account, id, n))
    if (text === undefined) return versions
    versions.push(JSON.parse(text) as unknown)
  }
}

/** The number of the next version of an event: the first that is free, found in few reads however many there are. */
function nextVersion(reader: Reader & { account: string }, id: string): number {
  const isTaken = (n: number): boolean => reader.get(accountKeys.version(reader.account, id, n)) !== undefined
  let free = 1
  while (isTaken(free)) free *= 2
  let taken = free >> 1
  while (free - taken > 1) {
    const middle = (free + taken) >> 1
    if (isTaken(middle)) taken = middle
    else free = middle
  }
  return free
}
