/** Opens a text file of any encoding: its first bytes for detection, then all of its text in blocks of whole lines. */
import { assertIsText } from './fileKind.js'
import { detectEncoding, toUtf8, type Encoding } from './textEncoding.js'
import { textBlocks } from './textBlocks.js'

/** Number of bytes that are read to detect the format. */
const HEAD_BYTES = 256 * 1024

export interface TextFile {
  encoding: Encoding
  /** Text of the first whole lines. */
  head: string
  /** True when `head` is the whole text. */
  isWhole: boolean
  /** All text, from its begin; each block ends at a line end, except the last. */
  blocks: AsyncGenerator<string>
}

interface OpenOptions {
  /** Overrides detection. */
  encoding?: Encoding | undefined
  /** Receives the number of bytes that were read. */
  onBytes?(count: number): void
  /** Receives the encoding of a file that began in ASCII. */
  onDecided?(encoding: Encoding): void
}

/**
 * Reads the begin of a file. Line ends are LF in the text, or CRLF; a file with CR only is converted.
 * @throws CommandError 2 when it is a spreadsheet or not text
 */
export async function openTextFile(file: string, pieces: AsyncIterable<unknown>, options: OpenOptions = {}): Promise<TextFile> {
  const iterator = pieces[Symbol.asyncIterator]()
  const first: Buffer[] = []
  let isWhole = false
  for (let size = 0; size < HEAD_BYTES; ) {
    const next = await iterator.next()
    if (next.done === true) {
      isWhole = true
      break
    }
    const bytes = bytesOf(next.value)
    first.push(bytes)
    size += bytes.length
  }
  const begin = Buffer.concat(first)
  assertIsText(file, begin)
  const encoding = options.encoding ?? detectEncoding(begin)
  const head = await headText(begin, encoding, isWhole)
  const hasCrOnly = head.hasCrOnly
  async function* all(): AsyncGenerator<Buffer> {
    try {
      for (const bytes of first.splice(0)) {
        options.onBytes?.(bytes.length)
        yield bytes
      }
      for (let next = isWhole ? undefined : await iterator.next(); next !== undefined && next.done !== true; next = await iterator.next()) {
        const bytes = bytesOf(next.value)
        options.onBytes?.(bytes.length)
        yield bytes
      }
    } finally {
      await iterator.return?.()
    }
  }
  const utf8 = toUtf8(all(), encoding, options.onDecided)
  return { encoding, head: head.text, isWhole, blocks: textBlocks(hasCrOnly ? withLf(utf8) : utf8) }
}

const bytesOf = (piece: unknown): Buffer => (Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece)))

async function headText(begin: Buffer, encoding: Encoding, isWhole: boolean): Promise<{ text: string; hasCrOnly: boolean }> {
  const utf8: Buffer[] = []
  for await (const bytes of toUtf8(one(begin), encoding)) utf8.push(bytes)
  let bytes: Buffer = Buffer.concat(utf8)
  const hasCrOnly = bytes.includes(CR) && !bytes.includes(LF)
  if (hasCrOnly) bytes = lfForCr(bytes)
  if (!isWhole) bytes = bytes.subarray(0, bytes.lastIndexOf(LF) + 1)
  let text = ''
  for await (const block of textBlocks(one(bytes))) text += block
  return { text, hasCrOnly }
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

const CR = 0x0d
const LF = 0x0a

async function* withLf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield lfForCr(piece)
}

function lfForCr(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  for (let at = copy.indexOf(CR); at >= 0; at = copy.indexOf(CR, at + 1)) copy[at] = LF
  return copy
}
