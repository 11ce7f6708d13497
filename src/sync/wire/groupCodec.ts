/**
 * Encoding of the body of a group, before compression.
 *
 * - Entries are encoded as columns: similar values are adjacent, so that they compress well. Ids and changes dominate the
 *   size; kinds, counts and lengths compress to almost nothing.
 * - Changes are encoded without redundant header bytes: the four magic bytes, the checksum, the kind and the length, which
 *   the receiver restores. The merge validates the contents.
 */
import { hash } from 'node:crypto'
import type { Access, AccessDeletion } from '../../store/model/access.js'
import { ELEMENT_LENGTH } from '../../store/model/digestElement.js'
import { isJsonObject } from '../../store/model/json.js'
import type { Register } from '../../store/model/profileRegisters.js'
import { Secret } from '../../store/model/secret.js'
import { readerOf, takeByte, takeBytes, takeHex, takePart, takeText, takeUnsigned, type Reader } from '../crdt/bytes.js'
import { CHANGE_KIND, HASHED_FROM, MAGIC } from '../crdt/encodeChange.js'
import type { ChangesEntry, DeletionEntry, Entry, ItemRef, ProfileEntry, SeriesEntry } from './entry.js'
import type { Group, Offer } from './message.js'
import {
  addAside,
  addByte,
  addBytes,
  addDouble,
  addHex,
  addItem,
  addNumber,
  addPosition,
  addVersionVector,
  addText,
  asideFrom,
  bytesOf,
  countFrom,
  doubleFrom,
  idFrom,
  itemFrom,
  newColumn,
  positionFrom,
  versionVectorFrom,
  textFrom,
  type Column,
} from './parts.js'
import { damaged } from './protocolError.js'

const ANSWERS = 1
const RECONCILED = 2
const HASH_BYTES = 32

export function addGroup(c: Column, group: Group): void {
  addByte(c, (group.answers ? ANSWERS : 0) | (group.reconciled ? RECONCILED : 0))
  addPosition(c, group.position)
  addNumber(c, group.left)
  addNumber(c, group.lacking.length)
  for (const item of group.lacking) addItem(c, item)
  addAside(c, group.aside)
  addNumber(c, group.offers.length)
  for (const offer of group.offers) addOffer(c, offer)
  addEntries(c, group.entries)
}

function addOffer(c: Column, { item, versionVector, state, roots = [] }: Offer): void {
  addItem(c, item)
  addVersionVector(c, versionVector)
  if (versionVector !== undefined) return
  addBytes(c, state ?? new Uint8Array(ELEMENT_LENGTH))
  addNumber(c, roots.length)
  for (const root of roots) addHex(c, root)
}

/**
 * Decodes the body of a group.
 * @throws ProtocolError `damaged`, Failure `corrupted-data` when the bytes are invalid
 */
export function groupFrom(r: Reader): Group {
  const flags = takeByte(r)
  if (flags > (ANSWERS | RECONCILED)) throw damaged('a group of an unknown kind')
  const position = positionFrom(r)
  const left = takeUnsigned(r)
  const lacking: ItemRef[] = []
  for (let left = countFrom(r, r, 2); left > 0; left--) lacking.push(itemFrom(r))
  const aside = asideFrom(r)
  const offers: Offer[] = []
  for (let left = countFrom(r, r, 3); left > 0; left--) offers.push(offerFrom(r))
  const entries = entriesFrom(r)
  if (r.at < r.end) throw damaged('a group with more bytes than it has parts')
  return {
    type: 'group',
    ...(position === undefined ? {} : { position }),
    entries,
    offers,
    lacking,
    aside,
    answers: (flags & ANSWERS) !== 0,
    reconciled: (flags & RECONCILED) !== 0,
    left,
  }
}

function offerFrom(r: Reader): Offer {
  const item = itemFrom(r)
  const versionVector = versionVectorFrom(r)
  if (versionVector !== undefined) return { item, versionVector }
  const state = new Uint8Array(takeBytes(r, ELEMENT_LENGTH))
  const roots: string[] = []
  for (let left = countFrom(r, r, HASH_BYTES); left > 0; left--) roots.push(takeHex(r, HASH_BYTES))
  return { item, state, ...(roots.length > 0 ? { roots } : {}) }
}

/** Entry types by their numbers on the wire. */
const TAGS = {
  event: 0,
  stream: 1,
  profile: 2,
  /** An event with digests of files. */
  files: 3,
  eventDeletion: 4,
  streamDeletion: 5,
  access: 6,
  accessDeletion: 7,
  series: 8,
  eventWithdrawal: 9,
  streamWithdrawal: 10,
} as const


interface Columns<T> {
  tags: T
  idLengths: T
  ids: T
  /** Numbers of changes, segments, registers and other elements of an entry. */
  counts: T
  /** Lengths of changes and segments, doubled; plus one for a change that is sent unmodified. */
  lengths: T
  bytes: T
}

const NAMES = ['tags', 'idLengths', 'ids', 'counts', 'lengths', 'bytes'] as const

/** Appends entries to a message. */
function addEntries(to: Column, entries: readonly Entry[]): void {
  const c: Columns<Column> = {
    tags: newColumn(entries.length + 1),
    idLengths: newColumn(entries.length + 1),
    ids: newColumn(entries.length * 28 + 1),
    counts: newColumn(entries.length + 1),
    lengths: newColumn(entries.length * 2 + 1),
    bytes: newColumn(entries.length * 200 + 1),
  }
  for (const entry of entries) addEntry(c, entry)
  for (const name of NAMES) addNumber(to, c[name].at)
  for (const name of NAMES) addBytes(to, bytesOf(c[name]))
}

function addEntry(c: Columns<Column>, entry: Entry): void {
  addByte(c.tags, tagOf(entry))
  addText(c.ids, entry.id, c.idLengths)
  if ('changes' in entry) addChanges(c, entry)
  else if ('segments' in entry) addSeries(c, entry)
  else if ('registers' in entry) addRegisters(c, entry)
  else if ('token' in entry) {
    addSized(c, Buffer.from(JSON.stringify(entry.access)), 0)
    addSized(c, Buffer.from(entry.token.reveal()), 0)
  } else if ('deleted' in entry) addDeletion(c, entry)
}

function tagOf(entry: Entry): number {
  if ('changes' in entry) return entry.files !== undefined && entry.files.size > 0 ? TAGS.files : TAGS[entry.kind]
  if ('segments' in entry) return TAGS.series
  if ('registers' in entry) return TAGS.profile
  if ('token' in entry) return 'deleted' in entry.access ? TAGS.accessDeletion : TAGS.access
  if ('deleted' in entry) return entry.kind === 'event' ? TAGS.eventDeletion : TAGS.streamDeletion
  return entry.kind === 'event' ? TAGS.eventWithdrawal : TAGS.streamWithdrawal
}

function addSized(c: Columns<Column>, bytes: Uint8Array, form: number): void {
  addNumber(c.lengths, bytes.length * 2 + form)
  addBytes(c.bytes, bytes)
}

function addChanges(c: Columns<Column>, { changes, files }: ChangesEntry): void {
  addNumber(c.counts, changes.length)
  for (const change of changes) {
    const body = changeToBody(change)
    addSized(c, body ?? change, body === undefined ? 1 : 0)
  }
  if (files === undefined || files.size === 0) return
  addNumber(c.counts, files.size)
  for (const [file, digest] of files) {
    addText(c.ids, file, c.idLengths)
    addHex(c.bytes, digest)
  }
}

function addSeries(c: Columns<Column>, { actor, after, upTo, segments }: SeriesEntry): void {
  addText(c.ids, actor, c.idLengths)
  addNumber(c.counts, after)
  addNumber(c.counts, upTo)
  addNumber(c.counts, segments.length)
  for (const segment of segments) addSized(c, segment, 0)
}

/** Encodes registers: key as JSON and value, or a tombstone's name, marked in its length. */
function addRegisters(c: Columns<Column>, { modified, registers }: ProfileEntry): void {
  addDouble(c.bytes, modified)
  addNumber(c.counts, registers.length)
  for (const register of registers) {
    addText(c.ids, register.actor, c.idLengths)
    addNumber(c.counts, register.counter)
    if ('key' in register) {
      addSized(c, Buffer.from(JSON.stringify(register.key)), 0)
      addSized(c, Buffer.from(register.text), 0)
    } else addSized(c, Buffer.from(register.removed), 1)
  }
}

function addDeletion(c: Columns<Column>, { kind, deleted, roots = [] }: DeletionEntry): void {
  addDouble(c.bytes, deleted)
  if (kind === 'event') return
  addNumber(c.counts, roots.length)
  for (const root of roots) addHex(c.bytes, root)
}

/**
 * Reads entries up to the end of a message.
 * @throws ProtocolError `damaged`, Failure `corrupted-data` when the bytes are invalid
 */
function entriesFrom(r: Reader): Entry[] {
  const sizes = NAMES.map(() => takeUnsigned(r))
  const [tags, idLengths, ids, counts, lengths, bytes] = sizes.map((size) => takePart(r, size))
  if (!tags || !idLengths || !ids || !counts || !lengths || !bytes) throw damaged('a group without columns')
  const c: Columns<Reader> = { tags, idLengths, ids, counts, lengths, bytes }
  const entries: Entry[] = []
  while (tags.at < tags.end) entries.push(entryFrom(c, takeByte(tags)))
  if (NAMES.some((name) => c[name].at < c[name].end)) throw damaged('a group with more bytes than entries')
  return entries
}

function entryFrom(c: Columns<Reader>, tag: number): Entry {
  const id = idFrom(c.ids, c.idLengths)
  switch (tag) {
    case TAGS.event:
    case TAGS.stream:
      return { kind: tag === TAGS.event ? 'event' : 'stream', id, changes: changesFrom(c) }
    case TAGS.profile:
      return { kind: 'profile', id, modified: timeFrom(c), registers: registersFrom(c) }
    case TAGS.files:
      return { kind: 'event', id, changes: changesFrom(c), files: filesFrom(c) }
    case TAGS.eventDeletion:
      return { kind: 'event', id, deleted: timeFrom(c) }
    case TAGS.streamDeletion:
      return { kind: 'stream', id, deleted: timeFrom(c), roots: rootsFrom(c) }
    case TAGS.access:
    case TAGS.accessDeletion: {
      const access = accessFrom(sizedFrom(c).bytes, id, tag === TAGS.accessDeletion)
      return { kind: 'access', id, access, token: new Secret(sizedFrom(c).bytes.toString('utf8')) }
    }
    case TAGS.series:
      return seriesFrom(c, id)
    case TAGS.eventWithdrawal:
      return { kind: 'event', id, withdrawn: true }
    case TAGS.streamWithdrawal:
      return { kind: 'stream', id, withdrawn: true }
    default:
      throw damaged('an entry of an unknown kind')
  }
}

function sizedFrom(c: Columns<Reader>): { bytes: Buffer; form: number } {
  const size = takeUnsigned(c.lengths)
  const form = size % 2
  return { bytes: takeBytes(c.bytes, (size - form) / 2), form }
}

function changesFrom(c: Columns<Reader>): Uint8Array[] {
  const changes: Uint8Array[] = []
  for (let left = countFrom(c.counts, c.lengths); left > 0; left--) {
    const { bytes, form } = sizedFrom(c)
    changes.push(form === 1 ? new Uint8Array(bytes) : bodyToChange(bytes))
  }
  return changes
}

function filesFrom(c: Columns<Reader>): Map<string, string> {
  const files = new Map<string, string>()
  for (let left = countFrom(c.counts, c.bytes, HASH_BYTES); left > 0; left--) {
    files.set(textFrom(c.ids, c.idLengths), takeHex(c.bytes, HASH_BYTES))
  }
  return files
}

function registersFrom(c: Columns<Reader>): Register[] {
  const registers: Register[] = []
  for (let left = countFrom(c.counts, c.lengths); left > 0; left--) {
    const stamp = { actor: textFrom(c.ids, c.idLengths), counter: takeUnsigned(c.counts) }
    const { bytes, form } = sizedFrom(c)
    if (form === 1) registers.push({ removed: bytes.toString('utf8'), ...stamp })
    else registers.push({ key: keyFrom(bytes), text: sizedFrom(c).bytes.toString('utf8'), ...stamp })
  }
  return registers
}

function keyFrom(bytes: Buffer): string {
  let key: unknown
  try {
    key = JSON.parse(bytes.toString('utf8'))
  } catch {
    key = undefined
  }
  if (typeof key !== 'string') throw damaged('a key of a profile set that cannot be read')
  return key
}

function timeFrom(c: Columns<Reader>): number {
  const time = doubleFrom(c.bytes)
  if (!Number.isFinite(time)) throw damaged('an invalid time')
  return time
}

function rootsFrom(c: Columns<Reader>): string[] {
  const roots: string[] = []
  for (let left = countFrom(c.counts, c.bytes, HASH_BYTES); left > 0; left--) roots.push(takeHex(c.bytes, HASH_BYTES))
  return roots
}

function seriesFrom(c: Columns<Reader>, id: string): SeriesEntry {
  const actor = textFrom(c.ids, c.idLengths)
  const after = takeUnsigned(c.counts)
  const upTo = takeUnsigned(c.counts)
  const segments: Uint8Array[] = []
  for (let left = countFrom(c.counts, c.lengths); left > 0; left--) segments.push(new Uint8Array(sizedFrom(c).bytes))
  return { kind: 'series', id, actor, after, upTo, segments }
}

/** Parses the JSON of an access and checks its id; the merge validates the rest. */
function accessFrom(bytes: Buffer, id: string, isDeletion: boolean): Access | AccessDeletion {
  let record: unknown
  try {
    record = JSON.parse(takeText(readerOf(bytes), bytes.length))
  } catch {
    record = undefined
  }
  if (!isJsonObject(record)) throw damaged('an access that cannot be read')
  if (record['id'] !== id || 'deleted' in record !== isDeletion) {
    throw damaged('an access under the id of another')
  }
  return record as object as Access | AccessDeletion
}

/** Returns the number of bytes that `putUnsigned` writes for a number. */
function numberLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) length++
  return length
}

/** Returns the offset of the body of a change; undefined when its header cannot be restored from the body. */
function bodyFrom(change: Uint8Array): number | undefined {
  if (change[HASHED_FROM] !== CHANGE_KIND || MAGIC.some((byte, i) => change[i] !== byte)) return undefined
  let length = 0
  let scale = 1
  let at = HASHED_FROM + 1
  for (; at < change.length && at < HASHED_FROM + 8; at++, scale *= 128) {
    const byte = change[at] ?? 0
    length += (byte & 0x7f) * scale
    if (byte < 0x80) break
  }
  at += 1
  return length === change.length - at && at === HASHED_FROM + 1 + numberLength(length) ? at : undefined
}

/** Returns the body of a change; undefined for an unusual encoding, which is sent unmodified. */
function changeToBody(change: Uint8Array): Uint8Array | undefined {
  const at = bodyFrom(change)
  return at === undefined ? undefined : change.subarray(at)
}

/** Restores the change with a body, including its checksum. */
function bodyToChange(body: Uint8Array): Uint8Array {
  const lengthBytes = numberLength(body.length)
  const from = HASHED_FROM + 1 + lengthBytes
  const change = new Uint8Array(from + body.length)
  change.set(MAGIC)
  change[HASHED_FROM] = CHANGE_KIND
  let rest = body.length
  for (let at = HASHED_FROM + 1; at < from; at++, rest = Math.floor(rest / 128)) {
    change[at] = at === from - 1 ? rest : (rest & 0x7f) | 0x80
  }
  change.set(body, from)
  change.set(hash('sha256', change.subarray(HASHED_FROM), 'buffer').subarray(0, 4), MAGIC.length)
  return change
}
