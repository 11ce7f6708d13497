/**
 * Encodes changes in Automerge's binary format, for changes that set and delete scalars of the root map. Automerge's own
 * encodeChange passes numbers through a JSON reader that changes the last bit of one double in twelve, and takes 26 µs
 * instead of 3. test/property/encodeChange.test.ts checks that both produce the same bytes.
 */
import { hash } from 'node:crypto'
import { allocateWithHeadroom } from '../../store/engine/headroom.js'
import { putHex, putSigned, putText, putUnsigned, signedLength, textLength, unsignedLength, writerFor, type Writer } from './bytes.js'

/** Operation id: counter and actor, in hexadecimal digits. */
export interface OpId {
  counter: number
  actor: string
}

export type FieldValue = string | number | boolean | null

/** A large text whose middle part is UTF-8 already. */
export class LargeText {
  /** Total length in bytes. */
  readonly length: number

  constructor(
    readonly before: string,
    readonly bytes: Uint8Array,
    readonly after: string,
  ) {
    this.length = textLength(before) + bytes.length + textLength(after)
  }
}

/** Sets a key of the root map, or deletes it when `value` is absent. */
export interface Operation<V = FieldValue> {
  key: string
  value?: V
  /** True for a number encoded as an integer; all others are doubles. */
  whole?: boolean
  /** Operations that this one replaces, in `compareOpIds` order. */
  pred: readonly OpId[]
}

export interface NewChange {
  /** Actor: 32 lower-case hexadecimal digits. */
  actor: string
  /** Sequence number among the actor's changes of this document, from 1. */
  seq: number
  /** Counter of the first operation. */
  startOp: number
  /** Time in whole seconds since the Unix epoch. */
  time: number
  /** Hashes of the dependencies, sorted. */
  deps: readonly string[]
  /** Message of the change, which is not part of the item. */
  message?: string
  operations: readonly NewOperation[]
}

/** An operation to encode. */
export type NewOperation = Operation<FieldValue | LargeText>

/**
 * Message of a change that only adds the node's own data to an event just created: the state before it is not an earlier version.
 */
export const STAMP = 'stamp'

/** Orders operation ids as Automerge does: the last one of a key is visible. */
export function compareOpIds(a: OpId, b: OpId): number {
  return a.counter - b.counter || (a.actor < b.actor ? -1 : a.actor > b.actor ? 1 : 0)
}

export const SET = 1
export const DELETE = 3

/** Column ids of the format. */
export const KEY = 0x15
export const INSERT = 0x34
export const ACTION = 0x42
export const VALUE_TYPE = 0x56
export const VALUE = 0x57
export const PRED_COUNT = 0x70
export const PRED_ACTOR = 0x71
export const PRED_COUNTER = 0x73

/** Start of a chunk: magic bytes, followed by four bytes of its hash and its kind. */
export const MAGIC = [0x85, 0x6f, 0x4a, 0x83] as const
export const CHANGE_KIND = 1
export const HASHED_FROM = 8

/** Returns the bytes of a change and its hash: the SHA-256 of all but the first eight bytes. Never compressed. */
export function encodeChange(change: NewChange): { bytes: Uint8Array; hash: string } {
  const w = writerFor(roomFor(change))
  const actors = otherActors(change)
  const inserted: Inserted[] = []
  const columns = putColumns(w, change, actors, inserted)
  const columnsEnd = w.at
  // The columns were written first: the header contains their lengths, and the start of the chunk that of the whole body.
  const headerAt = columnsEnd + MAX_START
  w.at = headerAt
  putHeader(w, change, actors)
  putUnsigned(w, columns.length)
  for (const { id, length } of columns) {
    putUnsigned(w, id)
    putUnsigned(w, length)
  }
  const headerEnd = w.at
  const length = headerEnd - headerAt + columnsEnd + lengthOf(inserted)
  const startAt = headerAt - HASHED_FROM - 1 - unsignedLength(length)
  putStart(w, startAt, length)
  const bytes = emptyBytes(headerAt - startAt + length)
  bytes.set(w.bytes.subarray(startAt, headerEnd))
  let at = headerEnd - startAt
  let from = 0
  for (const { at: to, bytes: text } of inserted) {
    bytes.set(w.bytes.subarray(from, to), at)
    bytes.set(text, at + to - from)
    at += to - from + text.length
    from = to
  }
  bytes.set(w.bytes.subarray(from, columnsEnd), at)
  const digest = hash('sha256', bytes.subarray(HASHED_FROM), 'hex')
  putChecksum(bytes, digest)
  return { bytes, hash: digest }
}

/** Upper bound of the length of a chunk's start: magic bytes, checksum, kind, and the length of the body. */
const MAX_START = 20

/** Writes the start of a chunk, without its checksum. */
function putStart(w: Writer, startAt: number, length: number): void {
  for (let i = 0; i < MAGIC.length; i++) w.bytes[startAt + i] = MAGIC[i] ?? 0
  w.at = startAt + HASHED_FROM
  w.bytes[w.at++] = CHANGE_KIND
  putUnsigned(w, length)
}

/** Writes the first four bytes of a hash, given in hexadecimal digits, after the magic bytes. */
function putChecksum(bytes: Uint8Array, digest: string): void {
  const first = Number.parseInt(digest.slice(0, 8), 16)
  for (let i = 0; i < 4; i++) bytes[MAGIC.length + i] = (first >>> (24 - 8 * i)) & 0xff
}

/** Bytes to insert into the columns at an offset; copied once, when all lengths are known. */
interface Inserted {
  at: number
  bytes: Uint8Array
}

const lengthOf = (inserted: readonly Inserted[]): number => inserted.reduce((sum, { bytes }) => sum + bytes.length, 0)

/** Allocates bytes that are all overwritten; zeroed only where that is free. */
const emptyBytes = (length: number): Uint8Array =>
  length < MIN_UNINITIALISED ? new Uint8Array(length) : allocateWithHeadroom(length)

const MIN_UNINITIALISED = 64 * 1024

/** Returns an upper bound of the encoded length. */
function roomFor({ deps, message = '', operations }: NewChange): number {
  let room = 256 + MAX_START + deps.length * 32 + message.length * 3
  for (const { key, value, pred } of operations) {
    const text = typeof value === 'string' ? value.length : value instanceof LargeText ? value.before.length + value.after.length : 0
    room += 64 + key.length * 3 + text * 3 + pred.length * 48
  }
  return room
}

const NO_ACTORS: readonly string[] = []

function otherActors({ actor, operations }: NewChange): readonly string[] {
  let others: Set<string> | undefined
  for (const { pred } of operations) {
    for (const id of pred) if (id.actor !== actor) (others ??= new Set()).add(id.actor)
  }
  return others === undefined ? NO_ACTORS : [...others].sort()
}

function putHeader(w: Writer, change: NewChange, actors: readonly string[]): void {
  putUnsigned(w, change.deps.length)
  for (const dep of change.deps) putHex(w, dep)
  putActor(w, change.actor)
  putUnsigned(w, change.seq)
  putUnsigned(w, change.startOp)
  putSigned(w, change.time)
  const { message = '' } = change
  putUnsigned(w, textLength(message))
  putText(w, message)
  putUnsigned(w, actors.length)
  for (const actor of actors) putActor(w, actor)
}

function putActor(w: Writer, actor: string): void {
  putUnsigned(w, actor.length / 2)
  putHex(w, actor)
}

interface Column {
  id: number
  length: number
}

function putColumns(w: Writer, { actor, operations }: NewChange, actors: readonly string[], inserted: Inserted[]): Column[] {
  const count = operations.length
  const columns: Column[] = []
  if (count === 0) return columns
  let from = 0
  const close = (id: number): void => {
    if (w.at > from) columns.push({ id, length: w.at - from })
    from = w.at
  }
  // Keys are distinct, so all of them form one literal run.
  putSigned(w, -count)
  for (const { key } of operations) {
    putUnsigned(w, textLength(key))
    putText(w, key)
  }
  close(KEY)
  putUnsigned(w, count) // a run of false: nothing is inserted into a list
  close(INSERT)
  putRuns(w, operations.map(actionOf), putUnsigned)
  close(ACTION)
  putRuns(w, operations.map(valueType), putUnsigned)
  close(VALUE_TYPE)
  for (const operation of operations) putValue(w, operation, inserted)
  const last = columns.length
  close(VALUE)
  const values = columns[last]
  if (values !== undefined) values.length += lengthOf(inserted)
  putRuns(w, operations.map(predCount), putUnsigned)
  close(PRED_COUNT)
  if (operations.every(({ pred }) => pred.length === 0)) return columns
  const preds = operations.flatMap(predOf)
  putRuns(w, preds.map((id) => (id.actor === actor ? 0 : actors.indexOf(id.actor) + 1)), putUnsigned)
  close(PRED_ACTOR)
  putRuns(w, preds.map((id, i) => id.counter - (preds[i - 1]?.counter ?? 0)), putSigned)
  close(PRED_COUNTER)
  return columns
}

const actionOf = ({ value }: NewOperation): number => (value === undefined ? DELETE : SET)
const predCount = ({ pred }: NewOperation): number => pred.length
const predOf = ({ pred }: NewOperation): readonly OpId[] => pred

/** Returns the type of a value for the type column: its length above four bits of the kind. */
function valueType({ value, whole }: NewOperation): number {
  if (typeof value === 'string') return textLength(value) * 16 + 6
  if (value instanceof LargeText) return value.length * 16 + 6
  if (typeof value === 'number') return whole === true ? signedLength(value) * 16 + 4 : 8 * 16 + 5
  if (typeof value === 'boolean') return value ? 2 : 1
  return 0
}

function putValue(w: Writer, { value, whole }: NewOperation, inserted: Inserted[]): void {
  if (typeof value === 'string') putText(w, value)
  else if (value instanceof LargeText) {
    putText(w, value.before)
    inserted.push({ at: w.at, bytes: value.bytes })
    putText(w, value.after)
  }
  else if (typeof value === 'number') {
    if (whole === true) putSigned(w, value)
    else w.at = w.bytes.writeDoubleLE(value, w.at)
  }
}

/** Writes run-length encoded values: runs as count and value, literal runs as negative count and the values. */
function putRuns(w: Writer, values: readonly number[], put: (w: Writer, value: number) => void): void {
  const { length } = values
  let at = 0
  while (at < length) {
    const value = values[at] ?? 0
    let end = at + 1
    while (end < length && values[end] === value) end++
    if (end - at > 1) {
      putSigned(w, end - at)
      put(w, value)
    } else {
      while (end < length && values[end] !== values[end + 1]) end++
      putSigned(w, at - end)
      for (let i = at; i < end; i++) put(w, values[i] ?? 0)
    }
    at = end
  }
}
