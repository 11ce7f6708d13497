/** HTTP chunks of answers with lists, for clients that parse chunk by chunk. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Result } from '../call/method.js'
import { RawList } from '../call/results.js'
import { endTogether } from './endTogether.js'
import { byteLength, Pieces } from './pieces.js'

/**
 * Checks whether the end of each list must start a new chunk. Earlier clients (`pryv` 2.4, and thus `@pryv/monitor` 1) parse
 * chunks as they arrive, and search for `eventDeletions` only in a chunk after the end of `events`: a single chunk is a parse
 * error there. Node's HTTP parser reports each chunk separately, even when several arrive at once.
 */
export function hasSeveralLists(result: Result): boolean {
  let lists = 0
  for (const key in result) {
    if (result[key] instanceof RawList) lists += 1
  }
  return lists > 1
}

/**
 * Pause before the last chunk of a forwarded answer. Proxies merge chunks that arrive together; on a busy machine, even later
 * ones. Then such a client reports an error, and receives everything with its next call.
 */
export const PROXY_PAUSE_MS = 10

/** Checks for headers of proxies. A client that sets them itself only delays its own answers. */
export const isForwarded = (headers: IncomingHttpHeaders): boolean =>
  headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers.via !== undefined

/** The text of a chunk, and its length in UTF-8. */
interface Chunk {
  pieces: string[]
  bytes: number
}

/** The text of an answer as it grows, in chunks. */
export class AnswerText {
  /** Number of characters. */
  length = 0
  #done: Chunk[] = []
  #open = new Pieces()

  /** Appends JSON text. */
  add(text: string): void {
    this.#open.add(text)
    this.length += text.length
  }

  /** Begins a new chunk. */
  cut(): void {
    const pieces = this.#open.take()
    if (pieces.length > 0) this.#done.push({ pieces, bytes: byteLength(pieces) })
  }

  /** Returns the chunks, and starts again without them. */
  take(): Chunk[] {
    this.cut()
    const chunks = this.#done
    this.#done = []
    this.length = 0
    return chunks
  }
}

/**
 * Ends an answer with its chunks. Framed here, it is written together with its headers; Node's own framing makes six writes per
 * chunk, which dominate the cost of small answers.
 */
export function endAtOnce(response: ServerResponse, status: number, headers: string[], chunks: readonly Chunk[]): void {
  response.writeHead(status, headers)
  response.chunkedEncoding = false
  const framed = new Pieces()
  for (const { pieces, bytes } of chunks) {
    framed.add(`${bytes.toString(16)}\r\n`)
    for (const piece of pieces) framed.add(piece)
    framed.add('\r\n')
  }
  framed.add('0\r\n\r\n')
  endTogether(response, framed.take())
}
