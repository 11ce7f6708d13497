/**
 * Parses changes without Automerge. `parseChange` parses the header of a change and checks that Automerge can load it
 * safely: a chunk of a few bytes can claim millions of operations, for which Automerge would allocate memory.
 *
 * `decodeInitialChange` decodes a change without dependencies, the form of nearly every received item. Unusual encodings are
 * left to the library. `keysOf` returns the keys that any change sets.
 */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { Failure } from '../../store/model/failure.js'
import {
  putHex,
  putUnsigned,
  readerOf,
  signedLength,
  skipBytes,
  skipNumber,
  takeByte,
  takeHex,
  takePart,
  takeSigned,
  takeText,
  takeUnsigned,
  unsignedLength,
  writerFor,
  written,
  type Reader,
} from './bytes.js'
import { CHANGE_KIND, HASHED_FROM, MAGIC, type FieldValue } from './encodeChange.js'

/** Properties in the header of a change. */
interface ChangeMeta {
  /** SHA-256 of the uncompressed change from its ninth byte on, as hexadecimal digits. */
  hash: string
  actor: string
  /** Sequence number among the actor's changes of this document, from 1. */
  seq: number
  /** Hashes of the dependencies. */
  deps: string[]
  /** Time in whole seconds since the Unix epoch. */
  time: number
  /** Message, which is not part of the item: a share mark (merge/share/shareDocument.ts), STAMP, or empty. */
  message: string
}

export interface ReadChange extends ChangeMeta {
  /** Uncompressed bytes of the change. */
  bytes: Uint8Array
  /** Counter of the first operation. */
  startOp: number
  /** Number of operations. */
  operations: number
}

const COMPRESSED_KIND = 2

/** Maximum bytes of an inflated change; local changes are never compressed. */
const MAX_INFLATED = 64 * 1024 * 1024

/** Checks whether a change is compressed, so that its length does not bound its size. */
export const isCompressed = (change: Uint8Array): boolean => change[HASHED_FROM] === COMPRESSED_KIND

const damaged = (what: string): Failure => new Failure('corrupted-data', `A change cannot be read: ${what}.`)

/**
 * Parses the header of a change and checks its hash and its size.
 * @throws Failure `corrupted-data` when it is damaged, is not a single change, claims more than its bytes can hold, or
 * contains anything but scalars of the root map
 */
export function parseChange(change: Uint8Array): ReadChange {
  const r = readerOf(change)
  for (const byte of MAGIC) if (takeByte(r) !== byte) throw damaged('it has no valid header')
  const checksum = takeHex(r, HASHED_FROM - MAGIC.length)
  const kind = takeByte(r)
  const length = takeUnsigned(r)
  if (length !== change.length - r.at) throw damaged('its length is wrong')
  if (kind === COMPRESSED_KIND) return parseChange(inflate(change.subarray(r.at), checksum))
  if (kind !== CHANGE_KIND) throw damaged('it is not a change chunk')
  const digest = hash('sha256', change.subarray(HASHED_FROM), 'hex')
  if (!digest.startsWith(checksum)) throw damaged('its checksum is wrong')
  return { hash: digest, bytes: change, ...takeHead(r), operations: countOperations(r, change.length) }
}

/** Returns the uncompressed form of a compressed change, whose header has the checksum already. */
function inflate(body: Uint8Array, checksum: string): Uint8Array {
  let plain: Buffer
  try {
    plain = inflateRawSync(body, { maxOutputLength: MAX_INFLATED })
  } catch {
    throw damaged('it cannot be decompressed')
  }
  const w = writerFor(plain.length + 24)
  for (const byte of MAGIC) w.bytes[w.at++] = byte
  putHex(w, checksum)
  w.bytes[w.at++] = CHANGE_KIND
  putUnsigned(w, plain.length)
  w.bytes.set(plain, w.at)
  w.at += plain.length
  return written(w)
}

function takeHead(r: Reader): Pick<ReadChange, 'deps' | 'actor' | 'seq' | 'startOp' | 'time' | 'message'> {
  const deps = []
  for (let left = takeUnsigned(r); left > 0; left--) deps.push(takeHex(r, 32))
  const actor = takeActor(r)
  const seq = takeUnsigned(r)
  const startOp = takeUnsigned(r)
  const time = takeSigned(r)
  const message = takeText(r, takeUnsigned(r))
  for (let left = takeUnsigned(r); left > 0; left--) takeActor(r)
  if (seq === 0 || startOp === 0) throw damaged('it has a zero counter')
  return { deps, actor, seq, startOp, time, message }
}

function takeActor(r: Reader): string {
  const length = takeUnsigned(r)
  if (length === 0) throw damaged('it has no actor')
  return takeHex(r, length)
}

/** Encoding of the values of a run-length column; a column of flags has only runs, and `bytes` has no rows. */
type Content = 'text' | 'number' | 'flags' | 'bytes'

const ACTION = 0x42
const COLUMNS = new Map<number, Content>([
  [0x15, 'text'], // key
  [0x34, 'flags'], // insert
  [ACTION, 'number'],
  [0x56, 'number'], // type and length of the value
  [0x57, 'bytes'], // value
  [0x70, 'number'], // number of replaced operations
  [0x71, 'number'], // their actors
  [0x73, 'number'], // their counters
])

/** Counts the operations in the columns; none may claim more rows than the whole change has bytes. */
function countOperations(r: Reader, limit: number): number {
  const columns: { id: number; length: number }[] = []
  for (let left = takeUnsigned(r); left > 0; left--) columns.push({ id: takeUnsigned(r), length: takeUnsigned(r) })
  let operations = 0
  for (const { id, length } of columns) {
    const content = COLUMNS.get(id)
    if (content === undefined) throw damaged('it contains more than scalars of the root map')
    const rows = countRows(takePart(r, length), content)
    if (rows > limit) throw damaged('it claims more operations than it can contain')
    if (id === ACTION) operations = rows
  }
  return operations
}

function countRows(column: Reader, content: Content): number {
  if (content === 'bytes') return 0
  let rows = 0
  while (column.at < column.end) {
    if (content === 'flags') {
      rows += takeUnsigned(column)
      continue
    }
    const run = takeSigned(column)
    // Nodes set each key once per change: a run of equal keys would claim operations that take no bytes.
    if (content === 'text' && (run === 0 || run > 1)) throw damaged('it sets a key more than once')
    rows += run === 0 ? takeUnsigned(column) : Math.abs(run)
    for (let values = run > 0 ? 1 : -run; values > 0; values--) {
      if (content === 'text') skipBytes(column, takeUnsigned(column))
      else skipNumber(column)
    }
  }
  return rows
}

/** Key and value that a change sets. */
type SetField = [key: string, value: FieldValue]

const KEY = 0x15
const INSERT = 0x34
const VALUE_TYPE = 0x56
const VALUE = 0x57
const PRED_COUNT = 0x70
const SET = 1

/** Error for an encoding that neither encodeChange nor Automerge produces. */
export class UnusualEncoding extends Error {}

/**
 * Returns the keys that a change sets, with their values, in the order of its operations. Undefined when it has other operations, or an encoding
 * that neither encodeChange nor Automerge produces. `change` is uncompressed and passed parseChange.
 */
export function decodeInitialChange(change: Uint8Array): SetField[] | undefined {
  try {
    return fieldsIn(readerOf(change))
  } catch {
    // Automerge reports the error.
    return undefined
  }
}

function fieldsIn(r: Reader): SetField[] {
  skipBytes(r, HASHED_FROM + 1)
  takeUnsigned(r) // length
  if (takeUnsigned(r) !== 0) throw new UnusualEncoding() // changes that it builds on
  skipBytes(r, takeUnsigned(r)) // actor
  takeUnsigned(r) // number
  takeUnsigned(r) // first operation
  takeSigned(r) // time
  skipBytes(r, takeUnsigned(r)) // message
  if (takeUnsigned(r) !== 0) throw new UnusualEncoding() // other actors
  const columns = columnsOf(r, USUAL)
  if (r.at !== r.end) throw new UnusualEncoding()
  const keys = textsOf(columns.get(KEY))
  const count = keys.length
  if (!isRun(columns.get(ACTION), SET, count) || !isRun(columns.get(PRED_COUNT), 0, count)) throw new UnusualEncoding()
  const insert = columns.get(INSERT)
  if (insert === undefined || takeUnsigned(insert) !== count || insert.at !== insert.end) throw new UnusualEncoding()
  const types = numbersOf(columns.get(VALUE_TYPE), count)
  const values = columns.get(VALUE) ?? readerOf(new Uint8Array(0))
  const fields = keys.map((key, i): SetField => [key, valueOf(values, types[i] ?? 0)])
  if (values.at !== values.end) throw new UnusualEncoding()
  return fields
}

const USUAL: ReadonlySet<number> = new Set([KEY, INSERT, ACTION, VALUE_TYPE, VALUE, PRED_COUNT])

/** Reads the columns of a change, by their number in the format; only those of `known`. @throws Unusual */
export function columnsOf(r: Reader, known: ReadonlySet<number>): Map<number, Reader> {
  const ids: number[] = []
  const lengths: number[] = []
  let last = 0
  for (let left = takeUnsigned(r); left > 0; left--) {
    const id = takeUnsigned(r)
    if (!known.has(id) || id <= last) throw new UnusualEncoding()
    last = id
    ids.push(id)
    lengths.push(takeUnsigned(r))
  }
  const columns = new Map<number, Reader>()
  for (const [i, id] of ids.entries()) columns.set(id, takePart(r, lengths[i] ?? 0))
  return columns
}

/** Reads the texts of one literal run, without duplicates. @throws Unusual */
export function textsOf(column: Reader | undefined): string[] {
  if (column === undefined) throw new UnusualEncoding()
  const count = -takeSigned(column)
  const texts = new Set<string>()
  for (let i = 0; i < count; i++) texts.add(takeValidText(column, takeUnsigned(column)))
  if (texts.size !== count || column.at !== column.end) throw new UnusualEncoding()
  return [...texts]
}

/** Reads a text of valid UTF-8. @throws Unusual */
function takeValidText(r: Reader, length: number): string {
  const from = r.at
  const text = takeText(r, length)
  // Decoding replaces invalid bytes with this character, which a valid text may contain too.
  if (text.includes('\ufffd') && !isUtf8(r.bytes.subarray(from, r.at))) throw new UnusualEncoding()
  return text
}

/** Checks that a column consists of `count` times one number. */
function isRun(column: Reader | undefined, value: number, count: number): boolean {
  if (column === undefined) return false
  const run = takeSigned(column)
  if (run === -1 ? count !== 1 : run !== count || count < 2) return false
  return takeUnsigned(column) === value && column.at === column.end
}

/** Reads the numbers of a column of runs and literal runs, each with `take`. @throws Unusual */
export function numbersOf(column: Reader | undefined, count: number, take: (r: Reader) => number = takeUnsigned): number[] {
  if (column === undefined) throw new UnusualEncoding()
  const numbers: number[] = []
  while (column.at < column.end) {
    const run = takeSigned(column)
    if (run === 0 || Math.abs(run) > count - numbers.length) throw new UnusualEncoding()
    if (run > 0) {
      const value = take(column)
      for (let i = 0; i < run; i++) numbers.push(value)
    } else for (let i = 0; i < -run; i++) numbers.push(take(column))
  }
  if (numbers.length !== count) throw new UnusualEncoding()
  return numbers
}

/** Reads a value: `type` holds its length above four bits that give its kind. @throws Unusual */
export function valueOf(values: Reader, type: number): FieldValue {
  const length = Math.floor(type / 16)
  switch (type % 16) {
    case 0:
    case 1:
    case 2:
      if (length !== 0) throw new UnusualEncoding()
      return type === 0 ? null : type === 2
    case 3:
      return whole(values, length, takeUnsigned, unsignedLength)
    case 4:
      return whole(values, length, takeSigned, signedLength)
    case 5:
      if (length !== 8) throw new UnusualEncoding()
      return values.bytes.readDoubleLE(skipBytes(values, 8))
    case 6:
      return takeValidText(values, length)
    default:
      throw new UnusualEncoding()
  }
}

/** Reads an integer in its shortest encoding. @throws Unusual */
function whole(
  values: Reader,
  length: number,
  take: (r: Reader) => number,
  shortest: (value: number) => number,
): number {
  const from = values.at
  const value = take(values)
  if (values.at - from !== length || shortest(value) !== length) throw new UnusualEncoding()
  return value
}

/**
 * Returns the keys of a change, each once.
 * @throws Failure `corrupted-data`; `change` is uncompressed and passed parseChange
 */
export function keysOf(change: Uint8Array): string[] {
  const r = readerOf(change)
  skipBytes(r, HASHED_FROM + 1)
  takeUnsigned(r) // length
  for (let left = takeUnsigned(r); left > 0; left--) skipBytes(r, 32) // changes that it builds on
  skipBytes(r, takeUnsigned(r)) // actor
  takeUnsigned(r) // number
  takeUnsigned(r) // first operation
  takeSigned(r) // time
  skipBytes(r, takeUnsigned(r)) // message
  for (let left = takeUnsigned(r); left > 0; left--) skipBytes(r, takeUnsigned(r)) // other actors
  const columns: [id: number, length: number][] = []
  for (let left = takeUnsigned(r); left > 0; left--) columns.push([takeUnsigned(r), takeUnsigned(r)])
  for (const [id, length] of columns) {
    const column = takePart(r, length)
    if (id === KEY) return distinctTexts(column)
  }
  return []
}

/** Reads the texts of a run-length column: runs of equal texts, and literal runs. */
function distinctTexts(column: Reader): string[] {
  const texts = new Set<string>()
  while (column.at < column.end) {
    const run = takeSigned(column)
    if (run === 0) takeUnsigned(column)
    for (let left = run > 0 ? 1 : -run; left > 0; left--) texts.add(takeText(column, takeUnsigned(column)))
  }
  return [...texts]
}
