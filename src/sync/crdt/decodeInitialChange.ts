/**
 * Decodes a change without dependencies, the form of nearly every received item, without a document and without Automerge.
 * Unusual encodings are left to the library.
 */
import { isUtf8 } from 'node:buffer'
import {
  putSigned,
  putUnsigned,
  readerOf,
  takeBytes,
  takeHex,
  takeSigned,
  takeText,
  takeUnsigned,
  writerFor,
  type Reader,
  type Writer,
} from './bytes.js'
import { HASHED_FROM, type FieldValue } from './encodeChange.js'

/** Key and value that a change sets. */
export interface SetField {
  key: string
  value: FieldValue
}

const KEY = 0x15
const INSERT = 0x34
const ACTION = 0x42
const VALUE_TYPE = 0x56
const VALUE = 0x57
const PRED_COUNT = 0x70
const SET = 1

/** Error for a change not encoded as encodeChange and Automerge do. */
export class Unusual extends Error {}

/**
 * Returns the keys that a change sets, in the order of its operations. Undefined when it has other operations, or another
 * encoding than that of encodeChange and Automerge. `change` is uncompressed and passed parseChange.
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
  takeBytes(r, HASHED_FROM + 1)
  takeUnsigned(r) // length
  if (takeUnsigned(r) !== 0) throw new Unusual() // changes that it builds on
  takeHex(r, takeUnsigned(r)) // actor
  takeUnsigned(r) // number
  takeUnsigned(r) // first operation
  takeSigned(r) // time
  takeBytes(r, takeUnsigned(r)) // message
  if (takeUnsigned(r) !== 0) throw new Unusual() // other actors
  const columns = columnsOf(r, USUAL)
  if (r.at !== r.bytes.length) throw new Unusual()
  const keys = textsOf(columns.get(KEY))
  const count = keys.length
  if (!isRun(columns.get(ACTION), SET, count) || !isRun(columns.get(PRED_COUNT), 0, count)) throw new Unusual()
  const insert = columns.get(INSERT)
  if (insert === undefined || takeUnsigned(insert) !== count || insert.at !== insert.bytes.length) throw new Unusual()
  const types = numbersOf(columns.get(VALUE_TYPE), count)
  const values = columns.get(VALUE) ?? readerOf(new Uint8Array(0))
  const fields = keys.map((key, i) => ({ key, value: valueOf(values, types[i] ?? 0) }))
  if (values.at !== values.bytes.length) throw new Unusual()
  return fields
}

const USUAL: ReadonlySet<number> = new Set([KEY, INSERT, ACTION, VALUE_TYPE, VALUE, PRED_COUNT])

/** Reads the columns of a change, by their number in the format; only those of `known`. @throws Unusual */
export function columnsOf(r: Reader, known: ReadonlySet<number>): Map<number, Reader> {
  const listed: [id: number, length: number][] = []
  let last = 0
  for (let left = takeUnsigned(r); left > 0; left--) {
    const id = takeUnsigned(r)
    if (!known.has(id) || id <= last) throw new Unusual()
    last = id
    listed.push([id, takeUnsigned(r)])
  }
  return new Map(listed.map(([id, length]) => [id, readerOf(takeBytes(r, length))]))
}

/** Reads the texts of one literal run, without duplicates. @throws Unusual */
export function textsOf(column: Reader | undefined): string[] {
  if (column === undefined) throw new Unusual()
  const count = -takeSigned(column)
  const texts = new Set<string>()
  for (let i = 0; i < count; i++) texts.add(takeValidText(column, takeUnsigned(column)))
  if (texts.size !== count || column.at !== column.bytes.length) throw new Unusual()
  return [...texts]
}

/** Reads a text of valid UTF-8. @throws Unusual */
function takeValidText(r: Reader, length: number): string {
  const from = r.at
  const text = takeText(r, length)
  // Decoding substitutes this for invalid bytes; a text may also contain it.
  if (text.includes('\ufffd') && !isUtf8(r.bytes.subarray(from, r.at))) throw new Unusual()
  return text
}

/** Checks that a column consists of `count` times one number. */
function isRun(column: Reader | undefined, value: number, count: number): boolean {
  if (column === undefined) return false
  const run = takeSigned(column)
  if (run === -1 ? count !== 1 : run !== count || count < 2) return false
  return takeUnsigned(column) === value && column.at === column.bytes.length
}

/** Reads the numbers of a column of runs and literal runs, each with `take`. @throws Unusual */
export function numbersOf(column: Reader | undefined, count: number, take: (r: Reader) => number = takeUnsigned): number[] {
  if (column === undefined) throw new Unusual()
  const numbers: number[] = []
  while (column.at < column.bytes.length) {
    const run = takeSigned(column)
    if (run === 0 || Math.abs(run) > count - numbers.length) throw new Unusual()
    if (run > 0) {
      const value = take(column)
      for (let i = 0; i < run; i++) numbers.push(value)
    } else for (let i = 0; i < -run; i++) numbers.push(take(column))
  }
  if (numbers.length !== count) throw new Unusual()
  return numbers
}

/** Reads a value: `type` holds its length above four bits that give its kind. @throws Unusual */
export function valueOf(values: Reader, type: number): FieldValue {
  const length = Math.floor(type / 16)
  switch (type % 16) {
    case 0:
    case 1:
    case 2:
      if (length !== 0) throw new Unusual()
      return type === 0 ? null : type === 2
    case 3:
      return whole(values, length, takeUnsigned, putUnsigned)
    case 4:
      return whole(values, length, takeSigned, putSigned)
    case 5:
      if (length !== 8) throw new Unusual()
      return takeBytes(values, 8).readDoubleLE()
    case 6:
      return takeValidText(values, length)
    default:
      throw new Unusual()
  }
}

/** Reads an integer in its shortest encoding. @throws Unusual */
function whole(
  values: Reader,
  length: number,
  take: (r: Reader) => number,
  put: (w: Writer, value: number) => void,
): number {
  const from = values.at
  const value = take(values)
  const w = writerFor(16)
  put(w, value)
  if (values.at - from !== length || w.at !== length) throw new Unusual()
  return value
}
