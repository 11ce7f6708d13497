/**
 * File of an archive member: its bytes, or these encrypted as one secretstream: a header of 24 bytes, then frames, each
 * after its length (u32, little-endian). Packed members are deflated first.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import sodium from 'libsodium-wrappers'
import { createDecryptingStream, createEncryptingStream, STREAM_HEADER_BYTES, STREAM_OVERHEAD } from '../keyring/streamCipher.js'

const FRAME_BYTES = 256 * 1024

type Bytes = Uint8Array | AsyncIterable<Uint8Array>

/** Result of a write: the length and SHA-256 of the content, and the length of the file. */
interface WrittenMember {
  bytes: number
  digest: string
  stored: number
}

/** Expected content of a member. */
interface Expected {
  bytes: number
  digest: string
  packed?: boolean | undefined
}

/** Error when a file has the wrong content; `message` follows the file's name. */
export class MemberDamaged extends Error {}

const deflated = promisify(deflateRaw)
const inflated = promisify(inflateRaw)

/** Writes a member; the file is on disk when this resolves. `key` seals it, `packed` (bytes only) deflates it. */
export async function writeMember(
  path: string,
  content: Bytes,
  { key, packed = false }: { key?: Uint8Array | undefined; packed?: boolean | undefined },
): Promise<WrittenMember> {
  const hash = createHash('sha256')
  let bytes = 0
  let stored = 0
  const file = await open(path, 'wx', 0o600)
  const put = async (chunk: Uint8Array): Promise<void> => {
    for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
    stored += chunk.length
  }
  try {
    const sealed = key === undefined ? undefined : await sealer(key, put)
    const pass = sealed?.frame ?? put
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      hash.update(chunk)
      bytes += chunk.length
      await pass(packed ? await deflated(chunk, { level: 3 }) : chunk)
    }
    await sealed?.end()
    await file.sync()
  } finally {
    await file.close()
  }
  return { bytes, digest: hash.digest('hex'), stored }
}

async function sealer(key: Uint8Array, put: (bytes: Uint8Array) => Promise<void>): Promise<{
  frame(bytes: Uint8Array): Promise<void>
  end(): Promise<void>
}> {
  await sodium.ready
  const stream = createEncryptingStream(key)
  const send = async (message: Uint8Array, isLast: boolean): Promise<void> => {
    const frame = stream.seal(message, isLast)
    const head = Buffer.alloc(4)
    head.writeUInt32LE(frame.length)
    await put(Buffer.concat([head, frame]))
  }
  await put(stream.header)
  return {
    async frame(bytes) {
      for (let at = 0; at < bytes.length; at += FRAME_BYTES) await send(bytes.subarray(at, at + FRAME_BYTES), false)
    },
    async end() {
      await send(new Uint8Array(0), true)
      stream.release()
    },
  }
}

/**
 * Reads a member, chunk by chunk. Damage may show only after earlier chunks were returned.
 * @throws MemberDamaged
 */
export async function* readMember(path: string, expected: Expected, key: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let bytes = 0
  const take = (chunk: Uint8Array): Uint8Array => {
    hash.update(chunk)
    bytes += chunk.length
    if (bytes > expected.bytes) throw new MemberDamaged('is too long')
    return chunk
  }
  const chunks = chunksOf(path, key)
  if (expected.packed === true) {
    const all = []
    for await (const chunk of chunks) all.push(chunk)
    const plain = await inflated(Buffer.concat(all), { maxOutputLength: Math.max(1, expected.bytes) }).catch(() => {
      throw new MemberDamaged('cannot be decompressed')
    })
    yield take(plain)
  } else for await (const chunk of chunks) yield take(chunk)
  if (bytes !== expected.bytes) throw new MemberDamaged('is too short')
  if (hash.digest('hex') !== expected.digest) throw new MemberDamaged('was modified')
}

/**
 * Reads a whole member of moderate size.
 * @throws MemberDamaged
 */
export async function readWhole(path: string, expected: Expected, key: Uint8Array | undefined): Promise<Buffer> {
  const all = []
  for await (const chunk of readMember(path, expected, key)) all.push(chunk)
  return Buffer.concat(all)
}

async function* chunksOf(path: string, key: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: FRAME_BYTES }) as AsyncIterable<Buffer>
  try {
    if (key === undefined) yield* file
    else yield* opened(file, key)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') throw new MemberDamaged('is missing')
    if (code === 'EIO' || code === 'EBADMSG' || code === 'EUCLEAN') throw new MemberDamaged(`cannot be read (${code})`)
    throw error
  }
}

async function* opened(file: AsyncIterable<Buffer>, key: Uint8Array): AsyncGenerator<Uint8Array> {
  await sodium.ready
  let held: Buffer = Buffer.alloc(0)
  let stream: ReturnType<typeof createDecryptingStream> | undefined
  let isOver = false
  try {
    for await (const chunk of file) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      if (stream === undefined) {
        if (held.length < STREAM_HEADER_BYTES) continue
        stream = createDecryptingStream(held.subarray(0, STREAM_HEADER_BYTES), key)
        held = held.subarray(STREAM_HEADER_BYTES)
      }
      while (held.length >= 4) {
        const length = held.readUInt32LE(0)
        if (length > FRAME_BYTES + STREAM_OVERHEAD) throw new MemberDamaged('has a frame that is too long')
        if (held.length < 4 + length) break
        const frame: ReturnType<(typeof stream)['open']> = isOver ? undefined : stream.open(held.subarray(4, 4 + length))
        if (frame === undefined) throw new MemberDamaged('was altered')
        isOver = frame.isLast
        held = held.subarray(4 + length)
        if (frame.message.length > 0) yield frame.message
      }
    }
  } finally {
    stream?.release()
  }
  if (!isOver || held.length > 0) throw new MemberDamaged('ends too early')
}
