/**
 * Reads a body in flatJSON whose points are rows of numbers from its bytes into columns. JSON.parse makes an array for each row,
 * which takes six times as long.
 */
import { readJson } from './readJson.js'

/** A body without its points, which are null in it, and the columns of its points. */
interface NumericPoints {
  value: unknown
  count: number
  columns: Float64Array[]
}

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const UPPER_E = 0x45
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const LOWER_E = 0x65
const OPEN_OBJECT = 0x7b

/** Whole numbers of up to 15 digits are exact in a double, as are these powers: the quotient is the double nearest to the decimal. */
const EXACT_DIGITS = 15
const POWERS = Float64Array.from({ length: EXACT_DIGITS + 1 }, (_, n) => Number(`1e${n}`))

/** Rows of numbers in the bytes of a body. */
interface Rows {
  /** Numbers of each row. */
  width: number
  /** The numbers of all rows, and their count. */
  cells: Float64Array
  length: number
  /** Offset after the rows. */
  end: number
}

/**
 * Reads an object whose member `points` is a list of rows of as many numbers each as `fields` has items. Returns undefined for any
 * other body, valid or not: another reader decides about it.
 * @param bytes valid UTF-8
 */
export function readNumericPoints(bytes: Uint8Array): NumericPoints | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = startOfPoints(buffer)
  const rows = start === undefined ? undefined : readRows(buffer, start)
  if (start === undefined || rows === undefined) return undefined
  const after = buffer.subarray(rows.end)
  // Another member of this name would replace these points.
  if (after.includes(POINTS) || after.includes(BACKSLASH)) return undefined
  const value = readJson(`${buffer.toString('utf8', 0, start)}null${after.toString('utf8')}`)
  const fields = typeof value === 'object' && value !== null && 'fields' in value ? value.fields : undefined
  if (!Array.isArray(fields) || fields.length !== rows.width) return undefined
  return { value, count: rows.length / rows.width, columns: columnsOf(rows) }
}

const POINTS = '"points"'
/** Largest number of bytes before the points: more than those of the longest names of fields. */
const MAX_HEAD = 64 * 1024

/**
 * Returns the offset of the value of the member `points`, if it is the first text of that name and a member of the outermost
 * object: that object is the only one before it.
 */
function startOfPoints(bytes: Buffer): number | undefined {
  const name = bytes.indexOf(POINTS)
  if (name < 0 || name > MAX_HEAD) return undefined
  const head = bytes.subarray(0, name)
  if (head.includes(BACKSLASH) || head.indexOf(OPEN_OBJECT) !== head.lastIndexOf(OPEN_OBJECT)) return undefined
  const colon = afterSpace(bytes, name + POINTS.length)
  return bytes[colon] === COLON ? afterSpace(bytes, colon + 1) : undefined
}

function readRows(bytes: Uint8Array, from: number): Rows | undefined {
  if (bytes[from] !== OPEN_LIST) return undefined
  let cells = new Float64Array(4096)
  let length = 0
  let width = 0
  let at = from
  do {
    at = afterSpace(bytes, at + 1)
    if (bytes[at] !== OPEN_LIST) return undefined
    const first = length
    do {
      at = afterSpace(bytes, at + 1)
      const start = at
      const isNegative = bytes[at] === MINUS
      if (isNegative) at += 1
      let digit = (bytes[at] as number) - ZERO
      // A number may not begin with zeros.
      if (digit === 0 && isDigit(bytes[at + 1])) return undefined
      let digits = 0
      let decimals = 0
      const firstDigit = at
      while (digit >= 0 && digit <= 9) {
        digits = digits * 10 + digit
        at += 1
        digit = (bytes[at] as number) - ZERO
      }
      let count = at - firstDigit
      if (count === 0) return undefined
      if (digit === POINT - ZERO) {
        at += 1
        const firstDecimal = at
        digit = (bytes[at] as number) - ZERO
        while (digit >= 0 && digit <= 9) {
          digits = digits * 10 + digit
          at += 1
          digit = (bytes[at] as number) - ZERO
        }
        decimals = at - firstDecimal
        if (decimals === 0) return undefined
        count += decimals
      }
      let value = decimals === 0 ? digits : digits / (POWERS[decimals] as number)
      if (isNegative) value = -value
      const hasExponent = digit === LOWER_E - ZERO || digit === UPPER_E - ZERO
      if (hasExponent || count > EXACT_DIGITS) {
        if (hasExponent) at = afterExponent(bytes, at)
        value = longNumber(bytes, start, at)
        if (!Number.isFinite(value)) return undefined
      }
      if (length === cells.length) cells = enlarged(cells)
      cells[length++] = value
      at = afterSpace(bytes, at)
    } while (bytes[at] === COMMA)
    if (bytes[at] !== CLOSE_LIST) return undefined
    if (first === 0) width = length
    else if (length - first !== width) return undefined
    at = afterSpace(bytes, at + 1)
  } while (bytes[at] === COMMA)
  return bytes[at] === CLOSE_LIST ? { width, cells, length, end: at + 1 } : undefined
}

/** Returns the offset of the next byte that is not white space. */
function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from
  for (let byte = bytes[at]; byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB; byte = bytes[at]) at += 1
  return at
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE

/** Returns the offset after an exponent, which may lack its digits. */
function afterExponent(bytes: Uint8Array, from: number): number {
  let at = from + 1
  if (bytes[at] === PLUS || bytes[at] === MINUS) at += 1
  while (isDigit(bytes[at])) at += 1
  return at
}

/** Parses a number with an exponent or many digits; NaN if it is none. */
const longNumber = (bytes: Uint8Array, from: number, to: number): number =>
  Number(Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1'))

function enlarged(cells: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(cells.length * 2)
  larger.set(cells)
  return larger
}

function columnsOf({ width, cells, length }: Rows): Float64Array[] {
  return Array.from({ length: width }, (_, column) => {
    const values = new Float64Array(length / width)
    for (let row = 0, cell = column; cell < length; row++, cell += width) values[row] = cells[cell] as number
    return values
  })
}
