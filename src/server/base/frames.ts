/**
 * Frame protocol that streams files to and from another machine in one pass. Each frame is a letter, a length (u32,
 * little-endian) and that many bytes. A file's metadata precedes its bytes; byte count and SHA-256 follow them, so neither
 * side needs to know or hold the whole file in advance.
 */
import { createHash } from 'node:crypto'
import * as z from 'zod'

/** Frame types. The payload is JSON for all but `data`. */
export const FRAME = {
  /** Request parameters; the first frame. */
  asked: 'a',
  /** Start of a file. */
  file: 'f',
  /** Bytes of the file. */
  data: 'd',
  /** End of the file: `{ bytes, sha256 }`. */
  end: 'e',
  /** Premature end of the file: the sender could not read it. */
  broken: 'x',
  /** Progress of the sender. */
  progress: 'p',
  /** End of the transfer. */
  done: 'z',
  /** Failure; the last frame. */
  failed: '!',
} as const

export interface Frame {
  letter: string
  bytes: Buffer
}

/** Thrown when frames are malformed; `isCut`: the body ended early. */
export class FramesDamaged extends Error {
  constructor(
    message: string,
    readonly isCut = false,
  ) {
    super(message)
  }
}

/** Thrown for a file that the sender could not read completely. */
export class FileBroken extends Error {}

const HEAD_BYTES = 5
/** Maximum size of a data frame that this module writes. */
const PIECE_BYTES = 256 * 1024
/** Maximum frame size, which JSON payloads must fit in. */
const MAX_BYTES = 16 * 1024 * 1024

/** Encodes a frame. */
export function frameOf(letter: string, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(letter, 'latin1')
  head.writeUInt32LE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/** Encodes a frame with a JSON payload. @throws FramesDamaged when it is too long */
export function messageFrame(letter: string, value: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(value))
  if (bytes.length > MAX_BYTES) throw new FramesDamaged(`A JSON frame may have at most ${MAX_BYTES / 1024 / 1024} MB.`)
  return frameOf(letter, bytes)
}

/**
 * Yields the frames of a file: metadata, bytes, and count with digest. `onBytes` receives the number of bytes sent.
 * @throws what `bytes` throws, after a `broken` frame for this file
 */
export async function* fileFrames(about: unknown, bytes: AsyncIterable<Uint8Array>, onBytes?: (count: number) => void): AsyncGenerator<Buffer> {
  yield messageFrame(FRAME.file, about)
  const hash = createHash('sha256')
  let count = 0
  const chunks = bytes[Symbol.asyncIterator]()
  try {
    for (;;) {
      let next: IteratorResult<Uint8Array>
      try {
        next = await chunks.next()
      } catch (error) {
        yield messageFrame(FRAME.broken, {})
        throw error
      }
      if (next.done === true) break
      for (let at = 0; at < next.value.length; at += PIECE_BYTES) {
        const piece = next.value.subarray(at, at + PIECE_BYTES)
        hash.update(piece)
        count += piece.length
        yield frameOf(FRAME.data, piece)
        onBytes?.(piece.length)
      }
    }
  } finally {
    await chunks.return?.()
  }
  yield messageFrame(FRAME.end, { bytes: count, sha256: hash.digest('hex') })
}

export interface FrameReader {
  /** Reads the next frame; undefined at the end of the body. @throws FramesDamaged */
  next(): Promise<Frame | undefined>
  /** Reads the next frame. @throws FramesDamaged at the end of the body */
  required(): Promise<Frame>
  /**
   * Yields the bytes of the file whose first frame was read last; must be consumed completely.
   * @throws FramesDamaged when they differ from what was sent, FileBroken
   */
  file(): AsyncGenerator<Buffer>
  /** True when a file was started and not read completely. */
  readonly isInFile: boolean
  /** Closes the body without reading the rest. */
  close(): Promise<void>
}

const Ended = z.object({ bytes: z.number(), sha256: z.string() })

/** Reads a body of frames. Errors of `chunks` are passed through. */
export function readFrames(chunks: AsyncIterable<Uint8Array>): FrameReader {
  const frames = framesIn(chunks)
  let isInFile = false
  const reader: FrameReader = {
    get isInFile() {
      return isInFile
    },
    async next() {
      const { value, done } = await frames.next()
      if (done === true) return undefined
      if (value.letter === FRAME.file) isInFile = true
      return value
    },
    async required() {
      const frame = await reader.next()
      if (frame === undefined) throw cut()
      return frame
    },
    async close() {
      await frames.return(undefined)
    },
    async *file() {
      const hash = createHash('sha256')
      let count = 0
      for (;;) {
        const { letter, bytes } = await reader.required()
        if (letter === FRAME.data) {
          hash.update(bytes)
          count += bytes.length
          yield bytes
          continue
        }
        isInFile = false
        if (letter === FRAME.broken) throw new FileBroken('The sender could not read a file.')
        if (letter !== FRAME.end) throw new FramesDamaged('A file has no end frame.')
        const due = messageOf({ letter, bytes }, Ended)
        if (due.bytes !== count || due.sha256 !== hash.digest('hex')) throw new FramesDamaged('A file arrived with different bytes than were sent.')
        return
      }
    },
  }
  return reader
}

/** Parses the JSON payload of a frame. @throws FramesDamaged */
export function messageOf<T extends z.ZodType>({ bytes }: Frame, shape: T): z.output<T> {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new FramesDamaged('A frame contains invalid JSON.')
  }
  const read = shape.safeParse(value)
  if (!read.success) throw new FramesDamaged(`A frame has an unknown format: ${read.error.issues[0]?.message ?? ''}`)
  return read.data
}

async function* framesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, undefined> {
  let buffered: Uint8Array[] = []
  let size = 0
  let head: { letter: string; length: number } | undefined
  for await (const chunk of chunks) {
    buffered.push(chunk)
    size += chunk.length
    for (let need = head?.length ?? HEAD_BYTES; size >= need; need = head?.length ?? HEAD_BYTES) {
      const [only] = buffered
      // Avoids copying the rest of the chunk for each of many small frames.
      const all = buffered.length === 1 && only !== undefined ? Buffer.from(only.buffer, only.byteOffset, only.length) : Buffer.concat(buffered)
      const bytes = all.subarray(0, need)
      buffered = [all.subarray(need)]
      size -= need
      if (head === undefined) {
        head = { letter: bytes.toString('latin1', 0, 1), length: bytes.readUInt32LE(1) }
        if (head.length > MAX_BYTES) throw new FramesDamaged('A frame is too long.')
      } else {
        const { letter } = head
        head = undefined
        yield { letter, bytes }
      }
    }
  }
  if (size > 0 || head !== undefined) throw cut()
  return undefined
}

const cut = (): FramesDamaged => new FramesDamaged('The transfer ended early.', true)
