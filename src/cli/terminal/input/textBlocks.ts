/** Splits a byte stream into blocks of whole lines of text, so that large files take little memory. */
import { isUtf8 } from 'node:buffer'

/** Markers for bytes that are not UTF-8 and for overlong lines. Lone surrogates never result from decoding. */
const NOT_UTF8 = '\udcff'
const TOO_LONG = '\udcfe'

const LINE_END = 0x0a
const megabyte = 1024 * 1024

/**
 * Yields blocks of whole lines with their line ends; the last may lack one. Drops a leading byte order mark.
 * @param onBytes receives the number of bytes of each chunk
 * @param maxLength maximum bytes of a line; longer ones are reported by `unreadable`
 */
export async function* textBlocks(
  pieces: AsyncIterable<unknown>,
  onBytes: (bytes: number) => void = () => undefined,
  maxLength = 16 * megabyte,
): AsyncGenerator<string> {
  let buffered: Buffer[] = []
  let size = 0
  let isTooLong = false
  let isFirst = true
  const block = (bytes: Buffer): string => {
    const text = decoded(bytes)
    const begins = isFirst
    isFirst = false
    return begins && text.startsWith('\ufeff') ? text.slice(1) : text
  }
  for await (const piece of pieces) {
    const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece))
    onBytes(bytes.length)
    const end = bytes.lastIndexOf(LINE_END) + 1
    let from = 0
    if (end > 0 && isTooLong) {
      from = bytes.indexOf(LINE_END) + 1
      yield `${TOO_LONG}\n`
    }
    if (end > 0) {
      const whole = bytes.subarray(from, end)
      if (whole.length > 0) yield block(buffered.length === 0 ? whole : Buffer.concat([...buffered, whole]))
      buffered = []
      size = 0
      isTooLong = false
    }
    size += bytes.length - end
    if (size > maxLength) {
      isTooLong = true
      buffered = []
    } else if (!isTooLong && end < bytes.length) buffered.push(bytes.subarray(end))
  }
  if (isTooLong) yield TOO_LONG
  else if (size > 0) yield block(Buffer.concat(buffered))
}

function decoded(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LINE_END, at) + 1 || bytes.length
    const line = bytes.subarray(at, end)
    text += isUtf8(line) ? line.toString('utf8') : line.toString('utf8').replaceAll('\ufffd', NOT_UTF8)
    at = end
  }
  return text
}

/** With this flag, only lone markers match, not halves of pairs. */
const marks = /[\udcfe\udcff]/u

/** Returns why a part of a block is unreadable; undefined when it is valid. */
export function unreadable(text: string): string | undefined {
  const mark = marks.exec(text)?.[0]
  if (mark === undefined) return undefined
  return mark === TOO_LONG ? 'The line is too long.' : 'The line is not text in the encoding of the file.'
}
