/** HTTP chunks of answers with lists, for clients that parse chunk by chunk. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Result } from '../call/method.js'
import { RawList } from '../call/results.js'
import { endTogether } from './endTogether.js'

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

/** Splits a text at positions in ascending order, without empty parts. */
export function partsOf(text: string, cuts: readonly number[]): string[] {
  if (cuts.length === 0) return [text]
  const parts: string[] = []
  let from = 0
  for (const cut of [...cuts, text.length]) {
    if (cut > from) parts.push(text.slice(from, cut))
    from = cut
  }
  return parts
}

/**
 * Ends an answer with one chunk per part. Framed here, it is written in one piece with its headers; Node's own framing makes six
 * writes per chunk, which dominate the cost of small answers.
 */
export function endAtOnce(response: ServerResponse, status: number, headers: string[], parts: readonly string[]): void {
  response.writeHead(status, headers)
  response.chunkedEncoding = false
  let framed = ''
  for (const part of parts) framed += `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`
  endTogether(response, `${framed}0\r\n\r\n`)
}
