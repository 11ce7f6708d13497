/** Compression of groups. What is short is done at once; the rest by other threads, while the session goes on. */
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib'
import { promisify } from 'node:util'
import { damaged } from './protocolError.js'

const deflateLater = promisify(deflateRaw)
const inflateLater = promisify(inflateRaw)

/** Below this many bytes compressing gains nothing. */
const LEAST = 100
/** Below this many bytes the way to another thread and back takes longer than the work. */
const SHORT = 4096
/** Past this many bytes more effort gains little. */
const LONG = 1024 * 1024

/** The compressed form of bytes; undefined when it is no shorter. */
export async function compress(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length < LEAST) return undefined
  const level = bytes.length < LONG ? 6 : 3
  const result = bytes.length < SHORT ? deflateRawSync(bytes, { level }) : await deflateLater(bytes, { level })
  return result.length < bytes.length ? result : undefined
}

/**
 * What `squeeze` was given, of which the length is known.
 * @throws ProtocolError `damaged` when the bytes are not a compressed form of so many
 */
export async function decompress(bytes: Uint8Array, length: number): Promise<Buffer> {
  const options = { maxOutputLength: Math.max(1, length) }
  let plain: Buffer
  try {
    plain = length < SHORT ? inflateRawSync(bytes, options) : await inflateLater(bytes, options)
  } catch {
    throw damaged('a group that cannot be unpacked')
  }
  if (plain.length !== length) throw damaged('a group of another length than it says')
  return plain
}
