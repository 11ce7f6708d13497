/**
 * The binary form of a change, as Automerge's format describes it, for changes that set and delete scalars of the root
 * map. Automerge's own encodeChange takes numbers through a JSON reader that misses one double in twelve by its last
 * bit, and costs 26 µs where this takes 3; test/property/encodeChange.test.ts holds both to the same bytes.
 */
import { hash } from 'node:crypto'
import { allocateWithHeadroom } from '../../store/headroom.js'
import { putHex, putSigned, putText, putUnsigned, signedLength, textLength, writerFor, type Writer } from './bytes.js'

/** An operation by its counter and its actor, in hexadecimal digits. */
export interface OpId {
  counter: number
  actor: string
}

export type FieldValue = string | number | boolean | null

/** A large text whose middle is UTF-8 already. */
export class LargeText {
  /** Bytes of the whole. */
  readonly length: number

  constructor(
    readonly before: string,
    readonly bytes: Uint8Array,
    readonly after: string,
  ) {
    this.length = textLength(before) + bytes.length + textLength(after)
  }
}

/** One key of the root map set, or deleted when `value` is absent. */
export interface Operation<V = FieldValue> {
  key: string
  value?: V
  /** A number that is written as an integer; all others are doubles. */
  whole?: boolean
  /** The operations that this one replaces, in `compareOpIds` order. */
  pred: readonly OpId[]
}

export interface NewChange {
  /** 32 hexadecimal digits in lower case. */
  actor: string
  /** The actor's changes of this document, counting from 1. */
  seq: number
  /** Counter of the first operation. */
  startOp: number
  /** Whole seconds since the Unix epoch. */
  time: number
  /** Hashes of the changes this one builds on, sorted. */
  deps: readonly string[]
  /** Message of the change, which no field shows. */
  message?: string
  operations: readonly NewOperation[]
}

/** An operation that is to be encoded. */
export type NewOperation = Operation<FieldValue | LargeText>

/** Message of a change by which the node stamps an event: the state before it is no earlier version. */
export const STAMP = 'stamp'

/** Orders operation ids as Automerge does: the last one of a key is the one that shows. */
export function compareOpIds(a: OpId, b: OpId): number {
  return a.counter - b.counter || (a.actor < b.actor ? -1 : a.actor > b.actor ? 1 : 0)
}

export const SET = 1
export const DELETE = 3

/** Columns by their number in the format. */
export const KEY = 0x15
export const INSERT = 0x34
export const ACTION = 0x42
export const VALUE_TYPE = 0x56
export const VALUE = 0x57
export const PRED_COUNT = 0x70
export const PRED_ACTOR = 0x71
export const PRED_COUNTER = 0x73

/** What a chunk begins with: magic bytes, then four bytes of its hash, then its kind. */
export const MAGIC = [0x85, 0x6f, 0x4a, 0x83] as const
export const CHANGE_KIND = 1
export const HASHED_FROM = 8

/** The bytes of a change and its hash: the SHA-256 of all but their first eight. Never compressed. */
export function encodeChange(change: NewChange): { bytes: Uint8Array; hash: string } {
  const w = writerFor(roomFor(change))
  const actors = otherActors(change)
  const inserted: Inserted[] = []
  const columns = putColumns(w, change, actors, inserted)
  const columnsEnd = w.at
  putHeader(w, change, actors)
  putUnsigned(w, columns.length)
  for (const { id, length } of columns) {
    putUnsigned(w, id)
    putUnsigned(w, length)
  }
  const bodyEnd = w.at
  // The columns were written first, because the header tells their lengths, and the chunk's head tells the body's.
  const length = bodyEnd + lengthOf(inserted)
  putUnsigned(w, length)
  const lengthBytes = w.at - bodyEnd
  const bytes = emptyBytes(HASHED_FROM + 1 + lengthBytes + length)
  bytes.set(MAGIC)
  bytes[HASHED_FROM] = CHANGE_KIND
  let at = HASHED_FROM + 1
  bytes.set(w.bytes.subarray(bodyEnd, w.at), at)
  at += lengthBytes
  bytes.set(w.bytes.subarray(columnsEnd, bodyEnd), at)
  at += bodyEnd - columnsEnd
  let from = 0
  for (const { at: to, bytes: text } of inserted) {
    bytes.set(w.bytes.subarray(from, to), at)
    bytes.set(text, at + to - from)
    at += to - from + text.length
    from = to
  }
  bytes.set(w.bytes.subarray(from, columnsEnd), at)
  const digest = hash('sha256', bytes.subarray(HASHED_FROM), 'hex')
  for (let i = 0; i < 4; i++) bytes[4 + i] = Number.parseInt(digest.slice(i * 2, i * 2 + 2), 16)
  return { bytes, hash: digest }
}

/** Bytes that belong into the columns at a place of what was written, and are copied once, when all lengths are known. */
interface Inserted {
  at: number
  bytes: Uint8Array
}

const lengthOf = (inserted: readonly Inserted[]): number => inserted.reduce((sum, { bytes }) => sum + bytes.length, 0)

/** Allocates bytes that are all overwritten; zeroed only where that is free. */
const emptyBytes = (length: number): Uint8Array =>
  length < MIN_UNINITIALISED ? new Uint8Array(length) : allocateWithHeadroom(length)

const MIN_UNINITIALISED = 64 * 1024

/** An upper bound of what encoding writes. */
function roomFor({ deps, message = '', operations }: NewChange): number {
  let room = 256 + deps.length * 32 + message.length * 3
  for (const { key, value, pred } of operations) {
    const text = typeof value === 'string' ? value.length : value instanceof LargeText ? value.before.length + value.after.length : 0
    room += 64 + key.length * 3 + text * 3 + pred.length * 48
  }
  return room
}

const NOBODY: readonly string[] = []

function otherActors({ actor, operations }: NewChange): readonly string[] {
  let others: Set<string> | undefined
  for (const { pred } of operations) {
    for (const id of pred) if (id.actor !== actor) (others ??= new Set()).add(id.actor)
  }
  return others === undefined ? NOBODY : [...others].sort()
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
  // Every key comes once, so no two neighbours are equal and all are one literal run.
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
  const preds = operations.flatMap(predOf)
  if (preds.length === 0) return columns
  putRuns(w, preds.map((id) => (id.actor === actor ? 0 : actors.indexOf(id.actor) + 1)), putUnsigned)
  close(PRED_ACTOR)
  putRuns(w, preds.map((id, i) => id.counter - (preds[i - 1]?.counter ?? 0)), putSigned)
  close(PRED_COUNTER)
  return columns
}

const actionOf = ({ value }: NewOperation): number => (value === undefined ? DELETE : SET)
const predCount = ({ pred }: NewOperation): number => pred.length
const predOf = ({ pred }: NewOperation): readonly OpId[] => pred

/** Length of the value in the value column, above four bits that tell its type. */
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

/** Run-length encoding: equal neighbours as their number and their value, others as minus their number and each one. */
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
