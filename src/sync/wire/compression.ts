/** Compression of groups. Short ones are compressed synchronously, others in the thread pool. */
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib'
import { promisify } from 'node:util'
import { damaged } from './protocolError.js'

const deflateLater = promisify(deflateRaw)
const inflateLater = promisify(inflateRaw)

/** Minimum bytes that are worth compressing. */
const LEAST = 100
/** Size below which a thread switch takes longer than the work, in bytes. */
const SHORT = 4096
/** Size from which on a lower compression level is used, in bytes. */
const LONG = 1024 * 1024

/** Compresses bytes; undefined when the result is not shorter. */
export async function compress(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length < LEAST) return undefined
  const level = bytes.length < LONG ? 6 : 3
  const result = bytes.length < SHORT ? deflateRawSync(bytes, { level }) : await deflateLater(bytes, { level })
  return result.length < bytes.length ? result : undefined
}

/**
 * Decompresses the result of `compress` to a known length.
 * @throws ProtocolError `damaged` when the bytes are invalid or have another length
 */
export async function decompress(bytes: Uint8Array, length: number): Promise<Buffer> {
  const options = { maxOutputLength: Math.max(1, length) }
  let plain: Buffer
  try {
    plain = length < SHORT ? inflateRawSync(bytes, options) : await inflateLater(bytes, options)
  } catch {
    throw damaged('a group that cannot be decompressed')
  }
  if (plain.length !== length) throw damaged('a group with a wrong length')
  return plain
}
