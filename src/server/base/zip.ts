/**
 * Writes ZIP files (APPNOTE 6.3, with ZIP64) to a stream in one pass, with bounded memory. Sizes follow the content of each file,
 * and the directory is at the end, so a file that was cut off cannot be opened.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createDeflateRaw } from 'node:zlib'

const VERSION = 45
/** Made on Unix: the upper half of the external attributes is the mode of the file. */
const UNIX = 3 << 8
/** Flags: sizes after the content, names in UTF-8. */
const FLAGS = 0x0808
const DEFLATE = 8
const FILE_MODE = 0o100600
const MAX_32 = 0xffffffff
const MAX_16 = 0xffff
const ZIP64 = 1

interface Entry {
  name: Buffer
  crc: number
  bytes: number
  stored: number
  /** Position of its header. */
  at: number
}

export interface ZipWriter {
  /**
   * Adds a file. When `content` fails before its first chunk, nothing is written; later, its bytes stay in the stream but not in the
   * directory.
   * @throws errors of `content`, and of `send`
   */
  add(name: string, content: AsyncIterable<Uint8Array>): Promise<void>
  /** Writes the directory, without which readers refuse the file. */
  end(): Promise<void>
}

/** Creates a writer; `send` resolves when more may be sent. `now` in seconds since 1970. */
export function createZip(send: (chunk: Uint8Array) => Promise<void>, now: number): ZipWriter {
  const { date, time } = dosTime(now)
  const entries: Entry[] = []
  let position = 0
  const put = async (chunk: Uint8Array): Promise<void> => {
    position += chunk.length
    await send(chunk)
  }

  async function add(fileName: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const name = Buffer.from(fileName)
    const chunks = content[Symbol.asyncIterator]()
    let next = await chunks.next()
    const entry: Entry = { name, crc: 0, bytes: 0, stored: 0, at: position }
    await put(localHeader(name, date, time))
    async function* counted(): AsyncGenerator<Uint8Array> {
      while (next.done !== true) {
        entry.crc = crc32(next.value, entry.crc)
        entry.bytes += next.value.length
        yield next.value
        try {
          next = await chunks.next()
        } catch (error) {
          failure = { error }
          return
        }
      }
    }
    let failure: { error: unknown } | undefined
    try {
      for await (const chunk of deflated(counted())) {
        entry.stored += chunk.length
        await put(chunk)
      }
    } finally {
      // Stops reading a file whose receiver left.
      if (next.done !== true) await chunks.return?.()
    }
    await put(descriptor(entry))
    if (failure !== undefined) throw failure.error
    entries.push(entry)
  }

  async function end(): Promise<void> {
    const start = position
    for (const entry of entries) await put(directoryEntry(entry, date, time))
    await put(endOfDirectory(entries.length, start, position - start))
  }

  return { add, end }
}

/** Deflates chunks as they arrive, with backpressure. */
async function* deflated(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const deflate = createDeflateRaw({ level: 1 })
  const feeding = pipeline(Readable.from(content), deflate)
  // Awaited below; a receiver that leaves makes it fail.
  feeding.catch(() => undefined)
  try {
    for await (const chunk of deflate) yield chunk as Buffer
    await feeding
  } finally {
    deflate.destroy()
  }
}

function localHeader(name: Buffer, date: number, time: number): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(VERSION, 4)
  header.writeUInt16LE(FLAGS, 6)
  header.writeUInt16LE(DEFLATE, 8)
  header.writeUInt16LE(time, 10)
  header.writeUInt16LE(date, 12)
  header.writeUInt32LE(MAX_32, 18)
  header.writeUInt32LE(MAX_32, 22)
  header.writeUInt16LE(name.length, 26)
  // An extra field of ZIP64 declares that the sizes after the content have 8 bytes.
  const extra = Buffer.alloc(20)
  extra.writeUInt16LE(ZIP64, 0)
  extra.writeUInt16LE(16, 2)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, name, extra])
}

function descriptor({ crc, bytes, stored }: Entry): Buffer {
  const text = Buffer.alloc(24)
  text.writeUInt32LE(0x08074b50, 0)
  text.writeUInt32LE(crc, 4)
  text.writeBigUInt64LE(BigInt(stored), 8)
  text.writeBigUInt64LE(BigInt(bytes), 16)
  return text
}

function directoryEntry({ name, crc, bytes, stored, at }: Entry, date: number, time: number): Buffer {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(UNIX | VERSION, 4)
  header.writeUInt16LE(VERSION, 6)
  header.writeUInt16LE(FLAGS, 8)
  header.writeUInt16LE(DEFLATE, 10)
  header.writeUInt16LE(time, 12)
  header.writeUInt16LE(date, 14)
  header.writeUInt32LE(crc, 16)
  header.writeUInt32LE(MAX_32, 20)
  header.writeUInt32LE(MAX_32, 24)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt16LE(28, 30)
  header.writeUInt32LE(FILE_MODE * 0x10000, 38)
  header.writeUInt32LE(MAX_32, 42)
  const extra = Buffer.alloc(28)
  extra.writeUInt16LE(ZIP64, 0)
  extra.writeUInt16LE(24, 2)
  extra.writeBigUInt64LE(BigInt(bytes), 4)
  extra.writeBigUInt64LE(BigInt(stored), 12)
  extra.writeBigUInt64LE(BigInt(at), 20)
  return Buffer.concat([header, name, extra])
}

/** Returns the end of the directory in the form of ZIP64, its locator, and the record that all readers search for. */
function endOfDirectory(count: number, start: number, length: number): Buffer {
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeUInt16LE(UNIX | VERSION, 12)
  record.writeUInt16LE(VERSION, 14)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(length), 40)
  record.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(start + length), 8)
  locator.writeUInt32LE(1, 16)
  const last = Buffer.alloc(22)
  last.writeUInt32LE(0x06054b50, 0)
  last.writeUInt16LE(Math.min(count, MAX_16), 8)
  last.writeUInt16LE(Math.min(count, MAX_16), 10)
  last.writeUInt32LE(Math.min(length, MAX_32), 12)
  last.writeUInt32LE(Math.min(start, MAX_32), 16)
  return Buffer.concat([record, locator, last])
}

/** Converts a time to that of MS-DOS, in UTC, which has steps of two seconds. */
function dosTime(seconds: number): { date: number; time: number } {
  const at = new Date(Math.max(seconds, 315_532_800) * 1000)
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return { date, time }
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** Continues the CRC-32 of a file with a chunk. */
export function crc32(chunk: Uint8Array, before = 0): number {
  let value = ~before
  for (const byte of chunk) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0)
  return ~value >>> 0
}
