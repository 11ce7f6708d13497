/** Encodes and decodes protocol buffers: the wire types that the messages of etcd use. */

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

const MAX_VARINT_BYTES = 10
const MAX_FIELD = 2 ** 29 - 1
/** Bytes of a varint that a number holds exactly. */
const EXACT_BYTES = 7

/** Error of bytes that are no message. */
export class MalformedMessage extends Error {}

/** An encoded field; a message is the concatenation of its fields. */
export type Encoded = Buffer

/** Encodes an unsigned or negative integer; negative ones take ten bytes, as int64 does. */
function varint(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, BigInt(value))
  const bytes: number[] = []
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}

/** Encodes a small unsigned integer: tags and lengths. */
function smallVarint(value: number): Buffer {
  if (value < 128) return Buffer.of(value)
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  bytes.push(rest)
  return Buffer.from(bytes)
}

const tag = (field: number, type: number): Buffer => smallVarint(field * 8 + type)

/** Encodes an integer field; also 0, which a condition must contain. */
export function integerField(field: number, value: number): Encoded {
  if (!Number.isSafeInteger(value)) throw new MalformedMessage(`${value} is no safe integer`)
  return Buffer.concat([tag(field, VARINT), value < 0 ? varint(value) : smallVarint(value)])
}

/** Encodes a 64-bit integer field given in decimal. */
export const decimalField = (field: number, value: string): Encoded => Buffer.concat([tag(field, VARINT), varint(parseDecimal(value))])

function parseDecimal(value: string): bigint {
  if (!/^-?\d{1,20}$/.test(value)) throw new MalformedMessage('not a 64-bit integer in decimal')
  const parsed = BigInt(value)
  if (BigInt.asIntN(64, parsed) !== parsed && BigInt.asUintN(64, parsed) !== parsed) throw new MalformedMessage('not a 64-bit integer in decimal')
  return parsed
}

/** Encodes a flag; nothing when it is false, which is the default. */
export const flagField = (field: number, value: boolean | undefined): Encoded => (value === true ? integerField(field, 1) : Buffer.alloc(0))

/** Encodes a field of bytes, of text as UTF-8, or of a nested message. */
export function bytesField(field: number, value: Uint8Array | string): Encoded {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value
  return Buffer.concat([tag(field, BYTES), smallVarint(bytes.length), bytes])
}

/** Encodes a nested message of fields. */
export const messageField = (field: number, ...fields: readonly Encoded[]): Encoded => bytesField(field, Buffer.concat(fields))

/** A decoded field. Each reader throws MalformedMessage when the field has another wire type. */
export interface Field {
  number: number
  /** @throws MalformedMessage for integers that a number does not hold exactly */
  integer(): number
  /** Reads a signed 64-bit integer as decimal text. */
  decimal(): string
  /** Reads an unsigned 64-bit integer as decimal text. */
  unsignedDecimal(): string
  flag(): boolean
  bytes(): Buffer
  text(): string
}

/** Reads the fields of a message in their order. The caller ignores fields that it does not know. */
export function* fieldsOf(message: Buffer): Generator<Field> {
  const cursor = { at: 0 }
  while (cursor.at < message.length) {
    const key = readVarint(message, cursor)
    if (typeof key !== 'number' || Math.floor(key / 8) > MAX_FIELD || key < 8) throw new MalformedMessage('a field has no valid number')
    const type = key % 8
    const number = Math.floor(key / 8)
    if (type === VARINT) yield integerIn(number, readVarint(message, cursor))
    else if (type === BYTES) yield bytesIn(number, readBytes(message, cursor, length(readVarint(message, cursor))))
    else if (type === FIXED64) yield bytesIn(number, readBytes(message, cursor, 8), 'fixed')
    else if (type === FIXED32) yield bytesIn(number, readBytes(message, cursor, 4), 'fixed')
    else throw new MalformedMessage(`field ${number} has the unknown wire type ${type}`)
  }
}

function length(value: number | bigint): number {
  if (typeof value === 'bigint') throw new MalformedMessage('a length exceeds the message')
  return value
}

function readBytes(message: Buffer, cursor: { at: number }, count: number): Buffer {
  if (count > message.length - cursor.at) throw new MalformedMessage('a length exceeds the message')
  const bytes = message.subarray(cursor.at, cursor.at + count)
  cursor.at += count
  return bytes
}

/** Reads a varint: a number up to 49 bits, a bigint of 64 bits without sign beyond. */
function readVarint(message: Buffer, cursor: { at: number }): number | bigint {
  let value = 0
  let scale = 1
  for (let count = 0; count < EXACT_BYTES; count++) {
    const byte = nextByte(message, cursor)
    value += (byte & 127) * scale
    if (byte < 128) return value
    scale *= 128
  }
  let long = BigInt(value)
  for (let count = EXACT_BYTES; count < MAX_VARINT_BYTES; count++) {
    const byte = nextByte(message, cursor)
    long |= BigInt(byte & 127) << BigInt(7 * count)
    if (byte >= 128) continue
    if (long >> 64n !== 0n) throw new MalformedMessage('an integer exceeds 64 bits')
    return long
  }
  throw new MalformedMessage('an integer exceeds 64 bits')
}

function nextByte(message: Buffer, cursor: { at: number }): number {
  const byte = message[cursor.at]
  if (byte === undefined) throw new MalformedMessage('the message is cut')
  cursor.at += 1
  return byte
}

function mismatch(number: number): never {
  throw new MalformedMessage(`field ${number} has an unexpected wire type`)
}

function integerIn(number: number, value: number | bigint): Field {
  const refuse = (): never => mismatch(number)
  return {
    number,
    integer() {
      const signed = typeof value === 'number' ? value : Number(BigInt.asIntN(64, value))
      if (!Number.isSafeInteger(signed)) throw new MalformedMessage(`field ${number} exceeds a safe integer`)
      return signed
    },
    decimal: () => BigInt.asIntN(64, BigInt(value)).toString(),
    unsignedDecimal: () => value.toString(),
    flag: () => Number(value) !== 0,
    bytes: refuse,
    text: refuse,
  }
}

function bytesIn(number: number, bytes: Buffer, form?: 'fixed'): Field {
  const refuse = (): never => mismatch(number)
  return {
    number,
    integer: refuse,
    decimal: refuse,
    unsignedDecimal: refuse,
    flag: refuse,
    bytes: () => (form === 'fixed' ? refuse() : bytes),
    text: () => (form === 'fixed' ? refuse() : bytes.toString('utf8')),
  }
}
