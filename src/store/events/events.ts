/**
 * Storage of events: reads by id, the local changes, and the indexes. Start at `addEvent` and `replaceEvent`: each records
 * the CRDT change, adds a journal entry and calls `writeEventIndexes`, as do merges of remote changes.
 *
 * An event is a record by time, a place by id (`EventKey`), and narrow index entries by stream, modification and duration.
 * A deletion replaces the place; earlier versions of a deleted event are stored as records. Queries are in eventQuery.ts.
 */
import { moveReferences, type FileDigests } from '../blobs/fileReferences.js'
import type { Transaction } from '../engine/account.js'
import type { ChangeRecorder, PriorChanges } from '../engine/changeRecorder.js'
import { changeAt, eraseChanges } from '../engine/changes.js'
import { accountKeys, ordered, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import { forgetMergeState, noteConflict } from '../engine/mergeState.js'
import type { RecordReader } from '../engine/recordReader.js'
import { deletionElement, isNodeLocal, xorInto } from '../model/digestElement.js'
import type { Event, EventDeletion, EventRemains, EventVersion, Seconds } from '../model/event.js'
import { deletionToListing, eventToRecord, recordOf, recordToEvent } from '../model/eventRecord.js'
import { isSeriesType } from '../model/eventTypes/series.js'
import { algorithmIn, eventIntegrity } from '../model/integrity.js'
import { ATTACHED_FILES } from '../model/systemStreams.js'
import { removePoints } from '../series/series.js'
import { durationBucket } from './eventFilter.js'

export type DeletionMode = 'keep-nothing' | 'keep-authors' | 'keep-everything'

/** Adds the hash to an event or its remains, where integrity is enabled. */
export type AddIntegrity = <E extends EventRemains>(stored: E) => E

/** Returns the record of a live event by id. */
export function findRecord(reader: RecordReader, account: string, id: string): string | undefined {
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

/** Returns the key of a live event's record and its version, which differs after each change. */
export function recordKeyOf(reader: RecordReader, account: string, id: string): { key: string; version: string } | undefined {
  const place = reader.get(accountKeys.eventPlace(account, id))
  if (place === undefined || place.startsWith('{')) return undefined
  return { key: accountKeys.event(account, orderedToNumber(place), id), version: place }
}

/** Returns a live event by id. */
export function findEvent(reader: RecordReader, account: string, id: string): Event | undefined {
  const record = findRecord(reader, account, id)
  return record === undefined ? undefined : recordToEvent(record)
}

/** Returns the deletion of an event. */
export function findDeletion(reader: RecordReader, account: string, id: string): EventDeletion | undefined {
  const place = reader.get(accountKeys.eventPlace(account, id))
  return place?.startsWith('{') === true ? (JSON.parse(place) as EventDeletion) : undefined
}

/** Checks whether an id belongs to a live or deleted event. */
export function isEventIdTaken(reader: RecordReader, account: string, id: string): boolean {
  return reader.get(accountKeys.eventPlace(account, id)) !== undefined
}

/** Adds a new event with an unused id; returns its record, as text or as UTF-8. `digests` are those of its files. */
export function addEvent(t: Transaction, recorder: ChangeRecorder, event: Event, digests?: FileDigests): string | Uint8Array {
  const change = recorder.created({ kind: 'event', item: event })
  const sequence = t.journal('event', 'create', event.id, { change, about: { event: { after: event } } })
  return writeEventIndexes(t, undefined, event, { sequence, digests, now: event.modified })
}

/** Returns the prior changes that recording the next change of an event needs. */
export function priorOf(t: Transaction, id: string, latest: number): PriorChanges {
  const docState = t.getBytes(accountKeys.docState(t.account, `e${id}`))
  return { ...(docState === undefined ? {} : { docState }), initialChange: () => changeAt(t, latest) }
}

/** Options of `replaceEvent`. */
interface ReplaceOptions {
  /** Digests of the new files. */
  digests?: FileDigests | undefined
  /** True for a stamp by the node: the state before it does not count as an earlier version. */
  isStamp?: boolean
}

/** Replaces an event by its next state; returns the new record, as text or as UTF-8. */
export function replaceEvent(
  t: Transaction,
  recorder: ChangeRecorder,
  before: Event,
  after: Event,
  { digests, isStamp }: ReplaceOptions = {},
): string | Uint8Array {
  const a = t.account
  const { id } = after
  const previous = placeOf(t, id).sequence
  const { change, docState, settles } = recorder.edited(
    { kind: 'event', item: before },
    { kind: 'event', item: after },
    priorOf(t, id, previous),
    isStamp,
  )
  const sequence = t.journal('event', 'update', id, { change, previous, about: { event: { before, after } } })
  t.put(accountKeys.docState(a, `e${id}`), docState)
  if (t.mergeState.conflicts.has(`e${id}`)) {
    const isMoved = before.streamIds.join() !== after.streamIds.join()
    noteConflict(t, `e${id}`, { ...(settles ? { edits: [] } : {}), ...(isMoved ? { repair: [] } : {}) }, after.modified)
  }
  return writeEventIndexes(t, before, after, { sequence, digests, now: after.modified })
}

/** Returns the place of a live event. */
export const placeOf = (t: Transaction, id: string): EventKey => textToEventKey(t.get(accountKeys.eventPlace(t.account, id)) ?? '')

/**
 * Replaces the changes of an event by changes that produce its earlier versions, oldest first, in one or several calls.
 * `former` is the last version of the previous call; with `isLast` the changes end at the current event. Only for an
 * account without readers and paired nodes.
 */
export function putVersions(
  t: Transaction,
  recorder: ChangeRecorder,
  id: string,
  { former, versions, isLast }: { former: EventVersion | undefined; versions: readonly EventVersion[]; isLast: boolean },
): void {
  const current = findEvent(t, t.account, id)
  if (current === undefined) return
  let { sequence } = placeOf(t, id)
  let before = former
  for (const next of isLast ? [...versions, { event: current, isStamped: false }] : versions) {
    const item = { kind: 'event', item: next.event } as const
    if (before === undefined) {
      eraseChanges(t, `e${id}`, sequence)
      sequence = t.journal('event', 'create', id, { change: recorder.created(item) })
    } else {
      const { change, docState } = recorder.edited({ kind: 'event', item: before.event }, item, priorOf(t, id, sequence), before.isStamped)
      t.put(accountKeys.docState(t.account, `e${id}`), docState)
      sequence = t.journal('event', 'update', id, { change, previous: sequence })
    }
    before = next
  }
  t.put(accountKeys.eventPlace(t.account, id), eventKeyToText(current.time, sequence))
}

/** Maximum number and size of stored earlier versions of a deleted event; the latest are stored. */
const STORED_VERSIONS = { count: 10_000, size: 32 * 1024 * 1024 }

/** Appends an earlier version of a deleted event, or its remains, to the stored ones. */
export function appendVersion(t: Transaction, version: EventRemains): void {
  const { id } = version
  // Readers return complete versions as stored, in the form of records.
  const isWhole = version.streamIds !== undefined && version.type !== undefined && version.tags !== undefined
  const text = isWhole ? eventToRecord(version as Event) : JSON.stringify(version)
  t.put(accountKeys.version(t.account, id, nextVersion(t, id)), text)
}

/**
 * Removes an event permanently: its record, indexes, files, points, CRDT changes and merge state. `mode` determines the
 * remains and the earlier versions to store; `integrityOf` hashes them. `origin` is the number of the peer that sent
 * the deletion. Returns the deletion.
 */
export function removeEvent(
  t: Transaction,
  recorder: ChangeRecorder,
  event: Event,
  deleted: number,
  mode: DeletionMode,
  integrityOf: AddIntegrity,
  origin?: number,
): EventDeletion {
  const { id } = event
  const stored: EventDeletion =
    mode === 'keep-everything'
      ? { ...event, deleted }
      : mode === 'keep-authors'
        ? { id, deleted, modified: event.modified, modifiedBy: event.modifiedBy }
        : { id, deleted }
  delete stored.integrity
  const deletion = integrityOf(stored)
  const item = `e${id}`
  const { sequence } = placeOf(t, id)
  const { changes, state } = eraseChanges(t, item, sequence)
  if (!isNodeLocal(item)) xorInto(state, deletionElement(item, deleted))
  eraseVersions(t, id)
  if (mode !== 'keep-nothing') storeVersions(t, recorder.versionsOf(id, changes, STORED_VERSIONS), mode, integrityOf)
  forgetMergeState(t, item)
  putDeletion(t, deletion)
  const change = isNodeLocal(item) ? {} : { change: state }
  const from = origin === undefined ? {} : { origin }
  t.journal('event', 'delete', id, { ...change, ...from, about: { event: { before: event } } })
  if (isSeriesType(event.type)) removePoints(t, id)
  writeEventIndexes(t, event, undefined, { sequence, now: deleted })
  return deletion
}

/** Stores the earlier versions of an event as `mode` requires. */
function storeVersions(t: Transaction, versions: readonly EventVersion[], mode: DeletionMode, integrityOf: AddIntegrity): void {
  let number = 0
  for (const { event, isStamped } of versions) {
    if (isStamped) continue
    const { id, modified, modifiedBy } = event
    const text = mode === 'keep-everything' ? eventToRecord(integrityOf(event)) : JSON.stringify(integrityOf({ id, modified, modifiedBy }))
    t.put(accountKeys.version(t.account, id, ++number), text)
  }
}

/** Erases the stored earlier versions of an event. */
export function eraseVersions(t: Transaction, id: string): void {
  for (let n = nextVersion(t, id) - 1; n > 0; n--) t.delete(accountKeys.version(t.account, id, n))
}

/** Stores a deletion in place of its event, and of an earlier deletion. */
export function putDeletion(t: Transaction, deletion: EventDeletion, former?: EventDeletion): void {
  const { id, deleted } = deletion
  if (former !== undefined) t.delete(accountKeys.eventDeletion(t.account, former.deleted, id))
  t.put(accountKeys.eventPlace(t.account, id), JSON.stringify(deletion))
  t.put(accountKeys.eventDeletion(t.account, deleted, id), deletionToListing(deletion))
}

/**
 * Reads the stored earlier versions of a deleted event, oldest first; those of a live event follow from its changes.
 * Records of a live event from an earlier format are unused: its deletion erases them.
 */
export function readStoredVersions(reader: RecordReader, account: string, id: string): unknown[] {
  const versions = []
  for (let n = 1; ; n++) {
    const text = reader.get(accountKeys.version(account, id, n))
    if (text === undefined) return versions
    versions.push(JSON.parse(text) as unknown)
  }
}

/** Returns the number of the next version of an event: the first unused one, by binary search. */
function nextVersion(reader: RecordReader & { account: string }, id: string): number {
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

/** Place of an event: its time and the sequence of its latest journal entry. */
interface EventKey {
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
    t.put(accountKeys.period(a, bucketIn(t, event.duration), event.time, event.id), '')
  }
}

function unindex(t: Transaction, event: Event): void {
  const a = t.account
  for (const stream of event.streamIds) t.delete(accountKeys.streamEvent(a, stream, event.time, event.id))
  t.delete(accountKeys.modified(a, event.modified, event.id))
  if (event.duration !== undefined) {
    t.delete(accountKeys.period(a, bucketIn(t, event.duration), event.time, event.id))
  }
}

/** Returns the bucket of a duration, and adds it to those of the account. */
function bucketIn({ durationBuckets }: Transaction, duration: number | null): string {
  const bucket = durationBucket(duration)
  durationBuckets.buckets.add(bucket)
  return bucket
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

/** Options of `writeEventIndexes`. */
interface IndexUpdate {
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
  { sequence, digests, now }: IndexUpdate,
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
  t.eventStored({ ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) })
  const difference = moveReferences(t, id, before?.attachments, after?.attachments, digests)
  countFiles(t, difference, now, (after ?? before)?.integrity)
  return record
}
