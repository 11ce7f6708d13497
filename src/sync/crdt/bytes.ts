/** Writers and readers of the variable-length numbers and short texts of changes and document states. */
import { Failure } from '../../store/model/failure.js'

/** Buffer being written, with the offset of the next byte in `at`. The creator provides enough room. */
export interface Writer {
  readonly bytes: Buffer
  at: number
}

const SHARED = Buffer.allocUnsafeSlow(65_536)

/** Creates a writer with room for `room` bytes. It may share memory with the previous one: copy the result. */
export function writerFor(room: number): Writer {
  return { bytes: room <= SHARED.length ? SHARED : Buffer.allocUnsafeSlow(room), at: 0 }
}

/** Returns a copy of the bytes written between two offsets. */
export const written = (w: Writer, from = 0): Uint8Array => new Uint8Array(w.bytes.subarray(from, w.at))

/** Writes an integer from 0 to 2^53 - 1 as unsigned LEB128: seven bits per byte, lowest first. */
export function putUnsigned(w: Writer, value: number): void {
  let rest = value
  while (rest >= 0x80) {
    w.bytes[w.at++] = (rest & 0x7f) | 0x80
    rest = Math.floor(rest / 128)
  }
  w.bytes[w.at++] = rest
}

/** Returns the number of bytes that `putUnsigned` writes. */
export function unsignedLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) length++
  return length
}

/** Writes a signed integer as signed LEB128. */
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

/** Returns the number of bytes that `putSigned` writes. */
export function signedLength(value: number): number {
  let length = 1
  for (let rest = value; rest < -64 || rest > 63; rest = Math.floor(rest / 128)) length++
  return length
}

// Below this length a loop over ASCII is faster than a native call.
const SHORT = 48

/** Returns the length of a text in UTF-8 bytes. */
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

/**
 * Part of a buffer being read, with the offset of the next byte in `at`. All readers below throw `corrupted-data` when it ends too
 * early.
 */
export interface Reader {
  readonly bytes: Buffer
  at: number
  /** Offset after the last byte. */
  readonly end: number
}

export const readerOf = (bytes: Uint8Array): Reader => ({
  bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
  at: 0,
  end: bytes.length,
})

const ended = (): Failure => new Failure('corrupted-data', 'Stored data end too early.')

/** Reads a byte. */
export function takeByte(r: Reader): number {
  if (r.at >= r.end) throw ended()
  return r.bytes[r.at++] ?? 0
}

/** Skips `length` bytes; returns the offset of the first. */
export function skipBytes(r: Reader, length: number): number {
  const from = r.at
  if (length > r.end - from) throw ended()
  r.at = from + length
  return from
}

/** Returns a reader of the next `length` bytes, and skips them. Unlike `takeBytes`, it creates no buffer. */
export function takePart(r: Reader, length: number): Reader {
  const at = skipBytes(r, length)
  return { bytes: r.bytes, at, end: r.at }
}

/** Reads `length` bytes, without a copy. */
export function takeBytes(r: Reader, length: number): Buffer {
  const from = skipBytes(r, length)
  return r.bytes.subarray(from, r.at)
}

/** Reads an integer written by `putUnsigned`. */
export function takeUnsigned(r: Reader): number {
  let value = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = takeByte(r)
    value += (byte & 0x7f) * scale
    if (value > Number.MAX_SAFE_INTEGER) throw new Failure('corrupted-data', 'A stored number is too large.')
    if (byte < 0x80) return value
    // Otherwise trailing zeros beyond any number would make the scale infinite.
    if (scale > Number.MAX_SAFE_INTEGER) throw new Failure('corrupted-data', 'A stored number is too long.')
  }
}

/** Reads an integer written by `putSigned`. */
export function takeSigned(r: Reader): number {
  const from = r.at
  skipNumber(r)
  const last = r.bytes[r.at - 1] ?? 0
  // From the highest byte down, so that no intermediate value exceeds the number itself.
  let value = last < 0x40 ? last : last - 0x80
  for (let at = r.at - 2; at >= from && Number.isSafeInteger(value); at--) {
    value = value * 128 + ((r.bytes[at] ?? 0) & 0x7f)
  }
  if (!Number.isSafeInteger(value)) throw new Failure('corrupted-data', 'A stored number is too large.')
  return value
}

/** Skips an integer. */
export function skipNumber(r: Reader): void {
  while (takeByte(r) >= 0x80);
}

/** Reads a text of `length` bytes. */
export function takeText(r: Reader, length: number): string {
  const from = skipBytes(r, length)
  return r.bytes.toString('utf8', from, r.at)
}

/** Reads `length` bytes as hexadecimal digits. */
export function takeHex(r: Reader, length: number): string {
  const from = skipBytes(r, length)
  return r.bytes.toString('hex', from, r.at)
}
