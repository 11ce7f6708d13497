/** Reads untrusted JSON lines, limited in length and depth, with line numbers. */
import { isUtf8 } from 'node:buffer'
import { Failure } from '../../store/model/failure.js'
import { readJson } from '../call/json/readJson.js'
import type { Report } from './report.js'

/** Maximum length of a line; no event or row of points needs more. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

const NEWLINE = 10

/** A line: its number, starting at 1, and its parsed value. */
export interface Line {
  number: number
  value: unknown
}

/** Yields the values of lines; reports invalid lines. Empty lines count but yield nothing. */
export async function* linesIn(file: string, bytes: AsyncIterable<Uint8Array>, report: Report): AsyncGenerator<Line> {
  for await (const { number, text } of textsIn(bytes)) {
    if (text === undefined) {
      report.refuse({ file, line: number }, `The line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MB.`)
      continue
    }
    if (text.length === 0) continue
    try {
      if (!isUtf8(text)) throw new Failure('invalid-request-structure', 'The line is not UTF-8.')
      yield { number, value: readJson(text.toString('utf8')) }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      report.refuse({ file, line: number }, error.message.replace('The body', 'The line'))
    }
  }
}

/** Yields lines as bytes without line ends; undefined for one that is too long. */
async function* textsIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<{ number: number; text: Buffer | undefined }> {
  let parts: Uint8Array[] = []
  let length = 0
  let number = 1
  const take = (): { number: number; text: Buffer | undefined } => {
    const text = length > MAX_LINE_BYTES ? undefined : Buffer.concat(parts, length)
    parts = []
    length = 0
    return { number: number++, text }
  }
  const keep = (part: Uint8Array): void => {
    length += part.length
    if (length > MAX_LINE_BYTES) parts = []
    else if (part.length > 0) parts.push(part)
  }
  for await (const chunk of bytes) {
    let at = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
      keep(chunk.subarray(at, end))
      yield take()
      at = end + 1
    }
    keep(chunk.subarray(at))
  }
  if (length > 0) yield take()
}
