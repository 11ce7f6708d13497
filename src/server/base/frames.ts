/**
 * Bodies of frames, in which files go to another machine and come from it in one pass: each frame is a letter, a length (u32,
 * little-endian) and so many bytes. What a file is comes before its bytes, how many they were and their SHA-256 behind
 * them, so that neither side need know a file before it sends it, nor hold it.
 */
import { createHash } from 'node:crypto'
import * as z from 'zod'

/** What the letters of frames mean. All but `data` hold JSON. */
export const FRAME = {
  /** What is asked for, before all else. */
  asked: 'a',
  /** A file begins. */
  file: 'f',
  /** Some bytes of it. */
  data: 'd',
  /** It ends: `{ bytes, sha256 }`. */
  end: 'e',
  /** It ends before its end: its sender could not read it. */
  broken: 'x',
  /** How far the sender is. */
  progress: 'p',
  /** Everything was sent. */
  done: 'z',
  /** A failure, after which nothing comes. */
  failed: '!',
} as const

export interface Frame {
  letter: string
  bytes: Buffer
}

/** Thrown when frames are not what they must be; `isCut`: they end before their end. */
export class FramesDamaged extends Error {
  constructor(
    message: string,
    readonly isCut = false,
  ) {
    super(message)
  }
}

/** Thrown for a file that its sender could not read to its end. */
export class FileBroken extends Error {}

const HEAD_BYTES = 5
/** Data come in pieces of this size at most. */
const PIECE_BYTES = 256 * 1024
/** No frame is longer: what is said in JSON must fit. */
const MAX_BYTES = 16 * 1024 * 1024

/** A frame as it goes over the wire. */
export function frameOf(letter: string, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(letter, 'latin1')
  head.writeUInt32LE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/** A frame that says something. @throws FramesDamaged when it is too long */
export function messageFrame(letter: string, value: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(value))
  if (bytes.length > MAX_BYTES) throw new FramesDamaged(`What goes beside files may have at most ${MAX_BYTES / 1024 / 1024} MB.`)
  return frameOf(letter, bytes)
}

/**
 * The frames of a file: what it is, its bytes, and what they were. `told` hears how many go out.
 * @throws what `bytes` throws, once the other side knows that this file is broken
 */
export async function* fileFrames(about: unknown, bytes: AsyncIterable<Uint8Array>, described?: (count: number) => void): AsyncGenerator<Buffer> {
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
        described?.(piece.length)
      }
    }
  } finally {
    await chunks.return?.()
  }
  yield messageFrame(FRAME.end, { bytes: count, sha256: hash.digest('hex') })
}

export interface FrameReader {
  /** The next frame; undefined at the end of the body. @throws FramesDamaged */
  next(): Promise<Frame | undefined>
  /** The next frame, which must be there. @throws FramesDamaged */
  due(): Promise<Frame>
  /**
   * The bytes of the file whose first frame was the last one read; they are to be read to their end.
   * @throws FramesDamaged when they are not those that were sent, FileBroken
   */
  file(): AsyncGenerator<Buffer>
  /** Whether a file was begun and not read to its end. */
  readonly isInFile: boolean
  /** Leaves what was not read. */
  close(): Promise<void>
}

const Ended = z.object({ bytes: z.number(), sha256: z.string() })

/** Reads a body of frames. What `chunks` throws is thrown as it is. */
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
    async due() {
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
        const { letter, bytes } = await reader.due()
        if (letter === FRAME.data) {
          hash.update(bytes)
          count += bytes.length
          yield bytes
          continue
        }
        isInFile = false
        if (letter === FRAME.broken) throw new FileBroken('A file could not be read where it comes from.')
        if (letter !== FRAME.end) throw new FramesDamaged('A file does not end as files do.')
        const due = messageOf({ letter, bytes }, Ended)
        if (due.bytes !== count || due.sha256 !== hash.digest('hex')) throw new FramesDamaged('A file arrived with other bytes than it was sent with.')
        return
      }
    },
  }
  return reader
}

/** What a frame says. @throws FramesDamaged */
export function messageOf<T extends z.ZodType>({ bytes }: Frame, shape: T): z.output<T> {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new FramesDamaged('A frame holds no JSON.')
  }
  const read = shape.safeParse(value)
  if (!read.success) throw new FramesDamaged(`A frame says what is not known here: ${read.error.issues[0]?.message ?? ''}`)
  return read.data
}

async function* framesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, undefined> {
  let held: Uint8Array[] = []
  let size = 0
  let head: { letter: string; length: number } | undefined
  for await (const chunk of chunks) {
    held.push(chunk)
    size += chunk.length
    for (let need = head?.length ?? HEAD_BYTES; size >= need; need = head?.length ?? HEAD_BYTES) {
      const [only] = held
      // Many small frames in one chunk are not to copy what is behind each of them.
      const all = held.length === 1 && only !== undefined ? Buffer.from(only.buffer, only.byteOffset, only.length) : Buffer.concat(held)
      const bytes = all.subarray(0, need)
      held = [all.subarray(need)]
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

const cut = (): FramesDamaged => new FramesDamaged('What was sent ends early.', true)
