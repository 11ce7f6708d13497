/**
 * Parses the header of a change and checks that Automerge can load it safely: a chunk of a few bytes can claim millions of
 * operations, for which Automerge would allocate memory.
 */
import { hash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { Failure } from '../../store/model/failure.js'
import {
  putHex,
  putUnsigned,
  readerOf,
  skipNumber,
  takeByte,
  takeBytes,
  takeHex,
  takeSigned,
  takeText,
  takeUnsigned,
  writerFor,
  written,
  type Reader,
} from './bytes.js'
import { CHANGE_KIND, HASHED_FROM, MAGIC } from './encodeChange.js'

/** Properties in the header of a change. */
export interface ChangeMeta {
  /** SHA-256 of the uncompressed change from its ninth byte on, as hexadecimal digits. */
  hash: string
  actor: string
  /** Sequence number among the actor's changes of this document, from 1. */
  seq: number
  /** Hashes of the dependencies. */
  deps: string[]
  /** Time in whole seconds since the Unix epoch. */
  time: number
  /** Message, which no field shows: a share mark (share/marks.ts), STAMP, or empty. */
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

/** Checks whether a change is compressed, so that its length says nothing about its size. */
export const isPacked = (change: Uint8Array): boolean => change[HASHED_FROM] === COMPRESSED_KIND

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
    const rows = countRows(readerOf(takeBytes(r, length)), content)
    if (rows > limit) throw damaged('it claims more operations than it can contain')
    if (id === ACTION) operations = rows
  }
  return operations
}

function countRows(column: Reader, content: Content): number {
  if (content === 'bytes') return 0
  let rows = 0
  while (column.at < column.bytes.length) {
    if (content === 'flags') {
      rows += takeUnsigned(column)
      continue
    }
    const run = takeSigned(column)
    // Nodes set each key once per change: a run of equal keys would claim operations that take no bytes.
    if (content === 'text' && (run === 0 || run > 1)) throw damaged('it sets a key more than once')
    rows += run === 0 ? takeUnsigned(column) : Math.abs(run)
    for (let values = run > 0 ? 1 : -run; values > 0; values--) {
      if (content === 'text') takeBytes(column, takeUnsigned(column))
      else skipNumber(column)
    }
  }
  return rows
}
