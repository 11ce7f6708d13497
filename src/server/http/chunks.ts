/** HTTP chunks of answers with lists: where they begin, for clients that parse chunk by chunk. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Result } from '../method.js'
import { RawList } from '../results.js'

/**
 * Decides whether the end of each list begins a chunk of its own. Earlier clients (`pryv` 2.4, and `@pryv/monitor` 1 with it)
 * parse chunks as they arrive, and search for `eventDeletions` only in a chunk after the one that ends `events`: an answer in
 * one chunk is a parse error there. Node's HTTP parser reports each chunk by itself, even when several arrive at once.
 */
export function hasSeveralLists(result: Result): boolean {
  let lists = 0
  for (const key in result) {
    if (result[key] instanceof RawList) lists += 1
  }
  return lists > 1
}

/**
 * Proxies send what they have read as one chunk, so chunks that arrive together are merged. They read the last one apart when it
 * follows later, except on a busy machine: then a client of that kind reports an error, and reads all with its next call.
 */
export const PROXY_PAUSE_MS = 10

/** Tests whether a proxy passed a request on. Who claims it for nothing waits alone. */
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
 * Ends an answer with a body of one chunk for each part. Framed here, it goes to the system in one piece with its headers;
 * Node's own framing makes six of one chunk, which cost more than all else about a small answer.
 */
export function endAtOnce(response: ServerResponse, status: number, headers: string[], parts: readonly string[]): void {
  response.writeHead(status, headers)
  response.chunkedEncoding = false
  let framed = ''
  for (const part of parts) framed += `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`
  response.end(`${framed}0\r\n\r\n`)
}
