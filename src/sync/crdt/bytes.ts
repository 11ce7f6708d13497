/** Writing and reading the variable-length numbers and short texts of which changes and their bookkeeping are made. */
import { Failure } from '../../store/model/failure.js'

/** Bytes being written; `at` is where the next one goes. Whoever makes one answers for its room. */
export interface Writer {
  readonly bytes: Buffer
  at: number
}

const SHARED = Buffer.allocUnsafeSlow(65_536)

/** A writer with room for `room` bytes. It may share memory with the one before: copy out what is to stay. */
export function writerFor(room: number): Writer {
  return { bytes: room <= SHARED.length ? SHARED : Buffer.allocUnsafeSlow(room), at: 0 }
}

/** A copy of what was written between two places. */
export const written = (w: Writer, from = 0): Uint8Array => new Uint8Array(w.bytes.subarray(from, w.at))

/** Writes a whole number from 0 to 2^53 - 1, seven bits a byte, lowest first (LEB128). */
export function putUnsigned(w: Writer, value: number): void {
  let rest = value
  while (rest >= 0x80) {
    w.bytes[w.at++] = (rest & 0x7f) | 0x80
    rest = Math.floor(rest / 128)
  }
  w.bytes[w.at++] = rest
}

/** Writes a whole number of either sign, as two's complement (signed LEB128). */
export function putSigned(w: Writer, value: number): void {
  let rest = value
  for (;;) {
    const bits = rest & 0x7f
    rest = Math.floor(rest / 128)
    if ((rest === 0 && bits < 0x40) || (rest === -1 && bits >= 0x40)) {
      w.bytes[w.at++] = bits
      return
    }
    w.bytes[w.at++] = bits | 0x80
  }
}

/** Bytes that `putSigned` takes. */
export function signedLength(value: number): number {
  let length = 1
  for (let rest = value; rest < -64 || rest > 63; rest = Math.floor(rest / 128)) length++
  return length
}

// Below this length a loop over ASCII beats a call into native code.
const SHORT = 48

/** Bytes of a text as UTF-8. */
export function textLength(text: string): number {
  if (text.length >= SHORT) return Buffer.byteLength(text)
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x80) return Buffer.byteLength(text)
  return text.length
}

/** Writes a text as UTF-8, without its length. */
export function putText(w: Writer, text: string): void {
  if (text.length < SHORT) {
    let at = w.at
    let i = 0
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code >= 0x80) break
      w.bytes[at++] = code
    }
    if (i === text.length) {
      w.at = at
      return
    }
  }
  w.at += w.bytes.write(text, w.at, 'utf8')
}

/** Writes bytes given as hexadecimal digits. */
export function putHex(w: Writer, digits: string): void {
  w.at += w.bytes.write(digits, w.at, 'hex')
}

/** Bytes being read; `at` is the next one. Every reader below throws `corrupted-data` when they end too early. */
export interface Reader {
  readonly bytes: Buffer
  at: number
}

export function readerOf(bytes: Uint8Array): Reader {
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), at: 0 }
}

const ended = (): Failure => new Failure('corrupted-data', 'Stored data end too early.')

/** The next byte. */
export function takeByte(r: Reader): number {
  const byte = r.bytes[r.at]
  if (byte === undefined) throw ended()
  r.at++
  return byte
}

/** The next `length` bytes, not copied. */
export function takeBytes(r: Reader, length: number): Buffer {
  if (length > r.bytes.length - r.at) throw ended()
  r.at += length
  return r.bytes.subarray(r.at - length, r.at)
}

/** A whole number written by `putUnsigned`. */
export function takeUnsigned(r: Reader): number {
  let value = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = takeByte(r)
    value += (byte & 0x7f) * scale
    if (value > Number.MAX_SAFE_INTEGER) throw new Failure('corrupted-data', 'A stored number is too large.')
    if (byte < 0x80) return value
    // Zeros beyond any number would otherwise make the scale infinite.
    if (scale > Number.MAX_SAFE_INTEGER) throw new Failure('corrupted-data', 'A stored number is too long.')
  }
}

/** A whole number written by `putSigned`. */
export function takeSigned(r: Reader): number {
  const from = r.at
  skipNumber(r)
  const last = r.bytes[r.at - 1] ?? 0
  // From the top down, so that nothing on the way is larger than the number itself.
  let value = last < 0x40 ? last : last - 0x80
  for (let at = r.at - 2; at >= from && Number.isSafeInteger(value); at--) {
    value = value * 128 + ((r.bytes[at] ?? 0) & 0x7f)
  }
  if (!Number.isSafeInteger(value)) throw new Failure('corrupted-data', 'A stored number is too large.')
  return value
}

/** Passes over a number of either sign. */
export function skipNumber(r: Reader): void {
  while (takeByte(r) >= 0x80);
}

/** A text of `length` bytes. */
export const takeText = (r: Reader, length: number): string => takeBytes(r, length).toString('utf8')

/** `length` bytes as hexadecimal digits. */
export const takeHex = (r: Reader, length: number): string => takeBytes(r, length).toString('hex')
