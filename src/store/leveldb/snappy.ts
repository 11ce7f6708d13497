/**
 * Decompression of Snappy blocks, in which LevelDB may store the index of a table.
 */
import { Malformed, readVarint } from './varint.js'

const LIMIT = 256 * 1024 * 1024

/**
 * Decompresses a raw Snappy block.
 * @throws Malformed when the bytes are not one
 */
export function unsnap(compressed: Uint8Array): Uint8Array {
  const cursor = { bytes: compressed, at: 0 }
  const size = readVarint(cursor)
  if (size > LIMIT) throw new Malformed('a compressed block claims to be too large')
  const out = new Uint8Array(size)
  let at = cursor.at
  let done = 0

  const byte = (): number => {
    const value = compressed[at++]
    if (value === undefined) throw new Malformed('a compressed block is cut short')
    return value
  }
  const little = (bytes: number): number => {
    let value = 0
    for (let i = 0; i < bytes; i++) value += byte() * 2 ** (8 * i)
    return value
  }
  const literal = (length: number): void => {
    if (at + length > compressed.length || done + length > size) throw new Malformed('a literal is cut short')
    out.set(compressed.subarray(at, at + length), done)
    at += length
    done += length
  }
  const copy = (length: number, back: number): void => {
    if (back === 0 || back > done || done + length > size) throw new Malformed('a copy reaches outside its block')
    // Copies byte by byte: a copy may overlap its output, which expresses runs.
    for (let i = 0; i < length; i++, done++) out[done] = out[done - back] ?? 0
  }

  while (at < compressed.length) {
    const tag = byte()
    const upper = tag >>> 2
    if ((tag & 3) === 0) literal(1 + (upper < 60 ? upper : little(upper - 59)))
    else if ((tag & 3) === 1) copy(4 + (upper & 7), (upper >>> 3) * 256 + byte())
    else copy(1 + upper, little((tag & 3) === 2 ? 2 : 4))
  }
  if (done !== size) throw new Malformed('a compressed block is shorter than it claims')
  return out
}
