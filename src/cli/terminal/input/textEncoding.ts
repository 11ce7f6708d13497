/**
 * Character encodings of text files. Files are converted to UTF-8 while they are read. A file whose first bytes are
 * ASCII is decided where other bytes first occur.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { usageError } from '../../framework/exit.js'

/** A name of the WHATWG Encoding Standard in lower case, or `ascii` while undecided. */
export type Encoding = string

const labels: Readonly<Record<Encoding, string>> = { ascii: 'UTF-8', 'utf-8': 'UTF-8', 'utf-16le': 'UTF-16 LE', 'utf-16be': 'UTF-16 BE', 'windows-1252': 'Windows-1252' }

/** Returns the name of an encoding for people. */
export const encodingLabel = (encoding: Encoding): string => labels[encoding] ?? encoding.toUpperCase()

/**
 * Parses the name of an encoding; Latin-1 means Windows-1252, which contains it.
 * @throws CommandError 2 for an unknown one
 */
export function encodingNamed(word: string): Encoding {
  const name = word.trim().toLowerCase()
  if (name === 'latin-1' || name === 'windows1252') return 'windows-1252'
  if (name === 'utf-16' || name === 'utf16' || name === 'utf16le') return 'utf-16le'
  if (name === 'utf16be') return 'utf-16be'
  try {
    return new TextDecoder(name).encoding
  } catch {
    throw usageError(`--encoding takes utf-8, utf-16le, utf-16be, windows-1252 or another name of the Encoding Standard, not ${JSON.stringify(word)}`)
  }
}

/** Detects the encoding of the first bytes of a file. */
export function detectEncoding(head: Buffer): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  if (head.subarray(0, 3).equals(BOM)) return 'utf-8'
  return utf16Of(head) ?? (isAscii(head) ? 'ascii' : eightBit(head))
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf])

/** Detects UTF-16 without a byte order mark: delimiters, digits and line ends have a NUL in one half. */
function utf16Of(head: Buffer): Encoding | undefined {
  const zeros: [number, number] = [0, 0]
  for (let at = 0; at < head.length; at++) if (head[at] === 0) zeros[at % 2 === 0 ? 0 : 1] += 1
  const [even, odd] = zeros
  const enough = head.length / 5
  if (odd > enough && even * 20 < odd) return 'utf-16le'
  if (even > enough && odd * 20 < even) return 'utf-16be'
  return undefined
}

/** Distinguishes UTF-8, perhaps with damaged characters, from Windows-1252. */
function eightBit(bytes: Buffer): Encoding {
  const whole = bytes.subarray(0, bytes.length - incompleteEnd(bytes))
  if (isUtf8(whole)) return 'utf-8'
  let valid = 0
  let invalid = 0
  for (const sign of whole.toString('utf8')) {
    if (sign === '\ufffd') invalid += 1
    else if (sign > '\u007f') valid += 1
  }
  return valid > invalid ? 'utf-8' : 'windows-1252'
}

/** Returns the number of bytes at the end that begin a UTF-8 character without ending it. */
function incompleteEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? back : 0
  }
  return 0
}

/** A byte that UTF-8 never contains; readers report the line. */
const INVALID = Buffer.from([0xff])

/**
 * Converts a byte stream to UTF-8. Units that are invalid in the encoding become a byte that is invalid in UTF-8.
 * @param onDecided receives the encoding of a file that began in ASCII, once it is known
 */
export async function* toUtf8(
  pieces: AsyncIterable<Buffer>,
  encoding: Encoding,
  onDecided: (encoding: Encoding) => void = () => undefined,
): AsyncGenerator<Buffer> {
  let decode: ((bytes: Buffer | undefined) => Buffer) | undefined = encoding === 'ascii' ? undefined : decoderOf(encoding)
  let waiting: Buffer = Buffer.alloc(0)
  for await (const piece of pieces) {
    if (decode !== undefined) {
      yield decode(piece)
      continue
    }
    const bytes = waiting.length === 0 ? piece : Buffer.concat([waiting, piece])
    const end = incompleteEnd(bytes)
    if (isAscii(bytes.subarray(0, bytes.length - end))) {
      waiting = bytes.subarray(bytes.length - end)
      yield bytes.subarray(0, bytes.length - end)
      continue
    }
    waiting = Buffer.alloc(0)
    decode = decided(bytes)
    yield decode(bytes)
  }
  if (decode === undefined && waiting.length > 0) {
    decode = decided(waiting, 'windows-1252')
    yield decode(waiting)
  }
  const rest = decode?.(undefined)
  if (rest !== undefined && rest.length > 0) yield rest

  function decided(bytes: Buffer, found = eightBit(bytes)): (bytes: Buffer | undefined) => Buffer {
    onDecided(found)
    return decoderOf(found)
  }
}

/** Returns a function that converts the bytes of an encoding to UTF-8; undefined ends them. */
function decoderOf(encoding: Encoding): (bytes: Buffer | undefined) => Buffer {
  if (encoding === 'utf-8') return (bytes) => bytes ?? Buffer.alloc(0)
  if (encoding === 'windows-1252') return (bytes) => Buffer.from(bytes === undefined ? '' : windows1252(bytes))
  const decoder = new TextDecoder(encoding)
  return (bytes) => marked(bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }))
}

function marked(text: string): Buffer {
  if (!text.includes('\ufffd')) return Buffer.from(text)
  return Buffer.concat(text.split('\ufffd').flatMap((part, index) => (index === 0 ? [Buffer.from(part)] : [INVALID, Buffer.from(part)])))
}

/** Characters of the bytes 0x80 to 0x9f. Five are undefined and stay control characters. */
const UPPER = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** Decodes Windows-1252. TextDecoder decodes it as Latin-1 in Node.js 20.18.3 to 24 (nodejs/node#56542). */
export function windows1252(bytes: Buffer): string {
  const text = bytes.toString('latin1')

  return text.replace(/[\u0080-\u009f]/g, (sign) => UPPER[sign.charCodeAt(0) - 0x80] ?? sign)
}
