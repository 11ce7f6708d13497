/**
 * Parses points from clients in flatJSON format into columns (docs/interface/series.md#format). Works column by column for speed.
 */
import type { SeriesField, SeriesFields } from './eventTypes/series.js'
import { Failure } from './failure.js'
import { isJsonObject } from './json.js'
import type { Column, Points } from './points.js'

/** Fields and time base for parsing points. */
export interface SeriesShape {
  fields: SeriesFields
  /** Time of the holder event, in seconds: `timestamp` columns count from 1970. */
  time: number
}

const MAX_SHOWN_LENGTH = 60

/** Points of a large body by column, as parsed by a worker thread (server/json). */
export class PointColumns {
  /**
   * @param count the number of points
   * @param columns the cells of each field; number-only columns are Float64Array
   * @param unfit index of the first point that is not a list with one cell per field; the columns end before it
   */
  constructor(
    readonly count: number,
    readonly columns: readonly (Float64Array | readonly unknown[])[],
    readonly unfit?: number,
  ) {}

  /** Returns the points in a range of indexes. */
  slice(from: number, to: number): PointColumns {
    const columns = this.columns.map((cells) => (cells instanceof Float64Array ? cells.subarray(from, to) : cells.slice(from, to)))
    return new PointColumns(Math.min(to, this.count) - from, columns, this.unfit)
  }
}

/** Points by row. */
interface Rows {
  length: number
  /** Cell of each point in a column. */
  column(at: number): (point: number) => unknown
  /** The cells of a column, if all are known to be finite numbers. */
  numbers(at: number): Float64Array | undefined
}

/** Creates the failure of a series body; `data` has the 0-based row and the field, if any. */
function refused(message: string, data?: { point?: number; field?: string }): Failure {
  return new Failure('invalid-request-structure', message, data)
}

/**
 * Parses `{ format: 'flatJSON', fields, points }`. Keeps the order of rows; of points with the same time the last one
 * wins when they are stored in order.
 * @throws Failure `invalid-request-structure` with the location in its data
 */
export function readFlatJson(body: unknown, { fields, time }: SeriesShape): Points {
  if (!isJsonObject(body)) {
    throw refused('A series is an object with format, fields and points.')
  }
  const { format, fields: names, points } = body
  if (format !== 'flatJSON') throw refused('The format of a series must be "flatJSON".')
  const { timeAt, isTimestamp, at } = columnsNamed(names, fields)
  const rows = rowsOf(points, at.size + 1)
  const columns = new Map<string, Column>()
  const deltaTimes = isTimestamp ? deltasFrom(rows, timeAt, time) : deltasOf(rows, timeAt)
  for (const [name, index] of at) {
    const field = fields.get(name)
    if (field !== undefined) columns.set(name, columnOf(rows, index, field, name))
  }
  return { deltaTimes, columns }
}

/** Maps column names to indexes; refuses unknown, repeated and missing names. */
function columnsNamed(
  names: unknown,
  fields: SeriesFields,
): { timeAt: number; isTimestamp: boolean; at: Map<string, number> } {
  if (!Array.isArray(names)) throw refused('The fields of a series must be a list of names.')
  const at = new Map<string, number>()
  let timeAt = -1
  let isTimestamp = false
  for (const [index, name] of (names as readonly unknown[]).entries()) {
    if (typeof name !== 'string') throw refused('The fields of a series must be a list of names.')
    if (name === 'deltaTime' || name === 'timestamp') {
      if (timeAt >= 0) throw refused('The time of points is given twice: by deltaTime or by timestamp.', { field: name })
      timeAt = index
      isTimestamp = name === 'timestamp'
    } else if (!fields.has(name)) {
      const field = name.slice(0, MAX_SHOWN_LENGTH)
      throw refused(`The series has no field ${JSON.stringify(field)}.`, { field })
    } else if (at.has(name)) {
      throw refused(`The field "${name}" is given twice.`, { field: name })
    } else {
      at.set(name, index)
    }
  }
  if (timeAt < 0) throw refused('The field "deltaTime" is missing.', { field: 'deltaTime' })
  for (const [field, { isRequired }] of fields) {
    if (isRequired && !at.has(field)) throw refused(`The field "${field}" is missing.`, { field })
  }
  return { timeAt, isTimestamp, at }
}

function rowsOf(points: unknown, width: number): Rows {
  const unfit = (point: number): Failure => refused(`Point ${point} must be a list of ${width} values, one for each field.`, { point })
  if (points instanceof PointColumns) {
    if (points.unfit !== undefined) throw unfit(points.unfit)
    if (points.count > 0 && points.columns.length !== width) throw unfit(0)
    return {
      length: points.count,
      column(at) {
        const cells = points.columns[at] ?? []
        return (point) => cells[point]
      },
      numbers(at) {
        const cells = points.columns[at]
        return cells instanceof Float64Array ? cells : undefined
      },
    }
  }
  if (!Array.isArray(points)) throw refused('The points of a series must be a list of rows.')
  for (let i = 0; i < points.length; i++) {
    const row: unknown = points[i]
    if (!Array.isArray(row) || row.length !== width) throw unfit(i)
  }
  const rows = points as readonly (readonly unknown[])[]
  return { length: rows.length, column: (at) => (point) => rows[point]?.[at], numbers: () => undefined }
}

const PLAIN_NUMBER = /^\d+(\.\d+)?$/

/** Parses a number cell; NaN for other cells. */
function numberIn(cell: unknown): number {
  const value = typeof cell === 'number' ? cell : typeof cell === 'string' && PLAIN_NUMBER.test(cell) ? Number(cell) : NaN
  return Number.isFinite(value) ? value : NaN
}

const numbersIn = (rows: Rows, at: number): Float64Array => {
  const cell = rows.column(at)
  return Float64Array.from({ length: rows.length }, (_, point) => numberIn(cell(point)))
}

/** Largest number of seconds with nanosecond resolution in a double. */
const FINEST = 2 ** 51 / 1e9

/** Seconds with nanosecond resolution. */
const rounded = (seconds: number): number => (seconds < FINEST ? Math.round(seconds * 1e9) / 1e9 : seconds)

function deltasOf(rows: Rows, at: number): Float64Array {
  const deltas = rows.numbers(at)?.slice() ?? numbersIn(rows, at)
  for (let i = 0; i < deltas.length; i++) {
    const delta = rounded(deltas[i] as number)
    if (!(delta >= 0)) throw notATime(i, 'deltaTime', 'a number of seconds, 0 or more')
    // Adding 0 turns -0 into 0.
    deltas[i] = delta + 0
  }
  return deltas
}

/**
 * Computes times relative to the holder event. Rounds to the precision of both operands, which is microseconds for
 * current dates and finer for small numbers.
 */
function deltasFrom(rows: Rows, at: number, time: number): Float64Array {
  const deltas = new Float64Array(rows.length)
  const cell = rows.column(at)
  for (let i = 0; i < deltas.length; i++) {
    const timestamp = numberIn(cell(i))
    const largest = Math.max(timestamp, Math.abs(time))
    const parts = largest < FINEST ? 1e9 : largest < FINEST * 10 ? 1e8 : largest < FINEST * 100 ? 1e7 : 1e6
    const delta = Math.round((timestamp - time) * parts) / parts
    if (!(delta >= 0)) throw notATime(i, 'timestamp', `a number of seconds, ${time} or more: the time of the event`)
    deltas[i] = delta + 0
  }
  return deltas
}

function notATime(point: number, field: string, expected: string): Failure {
  return refused(`The ${field} of point ${point} must be ${expected}.`, { point, field })
}

function columnOf(rows: Rows, at: number, field: SeriesField, name: string): Column {
  const unfit = (point: number, expected: string): Failure =>
    refused(`The "${name}" of point ${point} must be ${expected}${field.takesNull ? ' or null' : ''}.`, {
      point,
      field: name,
    })
  switch (field.kind) {
    case 'number':
      return { kind: 'number', values: numbersOf(rows, at, field, unfit) }
    case 'string':
      return { kind: 'string', values: valuesOf(rows, at, field, textIn, (point) => unfit(point, 'a text')) }
    case 'boolean':
      return { kind: 'boolean', values: valuesOf(rows, at, field, flagIn, (point) => unfit(point, 'true or false')) }
    case 'null':
      return { kind: 'null' }
  }
}

function numbersOf(
  rows: Rows,
  at: number,
  { isWhole, takesNull }: SeriesField,
  unfit: (point: number, expected: string) => Failure,
): Float64Array {
  const numbers = isWhole ? undefined : rows.numbers(at)
  if (numbers !== undefined) return numbers
  const values = new Float64Array(rows.length)
  const cellOf = rows.column(at)
  for (let i = 0; i < values.length; i++) {
    const cell = cellOf(i)
    const value = numberIn(cell)
    if (Number.isNaN(value) && (cell !== null || !takesNull)) throw unfit(i, 'a number')
    if (isWhole && !Number.isInteger(value) && cell !== null) throw unfit(i, 'a whole number')
    values[i] = value
  }
  return values
}

/** Converts cells with `read`, which returns undefined for invalid ones. */
function valuesOf<T>(
  rows: Rows,
  at: number,
  { takesNull }: SeriesField,
  read: (cell: unknown) => T | null | undefined,
  unfit: (point: number) => Failure,
): (T | null)[] {
  const values = new Array<T | null>(rows.length).fill(null)
  const cell = rows.column(at)
  for (let i = 0; i < values.length; i++) {
    const value = read(cell(i))
    if (value === undefined || (value === null && !takesNull)) throw unfit(i)
    values[i] = value
  }
  return values
}

function textIn(cell: unknown): string | null {
  return typeof cell === 'string' ? cell : cell === null || cell === undefined ? null : JSON.stringify(cell)
}

function flagIn(cell: unknown): boolean | null | undefined {
  if (cell === true || cell === 'true') return true
  if (cell === false || cell === 'false') return false
  return cell === null ? null : undefined
}
