/**
 * Sends answers: headers, `meta`, and results whose parts may already be JSON text (docs/interface/conventions.md#meta,
 * docs/interface/conventions.md#headers).
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { FREE_BYTES } from '../call/answers/answerBudget.js'
import type { AnswerReader } from '../call/answers/answerReader.js'
import { asFailure } from '../dispatch/call.js'
import { FormedFailure, Failure } from '../../store/model/failure.js'
import { metaOf } from '../call/meta.js'
import type { Result } from '../call/method.js'
import type { Node } from '../index.js'
import type { Answer } from '../call/protocol.js'
import { Relocated } from '../dispatch/relocation.js'
import { AnsweredElsewhere } from '../platform/cores/wrongCore.js'
import { eachMember, memberPieces, membersText, pagesOf, RawJson, RawList, drainPage, textOfPart } from '../call/results.js'
import { AnswerText, endAtOnce, hasSeveralLists, isForwarded, PROXY_PAUSE_MS } from './chunks.js'
import { endTogether } from './endTogether.js'
import { byteLength, Pieces } from './pieces.js'
import { statusOf } from '../base/status.js'
import { ProofRefused } from '../auth/authenticate.js'


const JSON_TYPE = 'application/json; charset=utf-8'
const YEAR = '31536000'
/** Headers that scripts of other origins may read, besides those that browsers always expose. */
const EXPOSED =
  'API-Version, Svc-Access-Id, Retry-After, WWW-Authenticate, Content-Disposition, Content-Range, Accept-Ranges, Digest, Link'

/** Returns the common headers of all answers, as alternating names and values, for the headers of a request. */
export function headersOf(node: Node, input: IncomingHttpHeaders, accessId?: string): string[] {
  const headers = [
    'API-Version',
    node.apiVersion,
    'Access-Control-Allow-Origin',
    input.origin ?? '*',
    'Access-Control-Allow-Methods',
    input['access-control-request-method'] ?? 'POST, GET, PUT, DELETE, OPTIONS',
    'Access-Control-Allow-Headers',
    input['access-control-request-headers'] ?? 'Authorization, Content-Type',
    'Access-Control-Expose-Headers',
    EXPOSED,
    'Access-Control-Max-Age',
    YEAR,
    'Access-Control-Allow-Credentials',
    'true',
    'X-Content-Type-Options',
    'nosniff',
  ]
  if (accessId !== undefined) headers.push('Svc-Access-Id', accessId)
  return headers
}

/** Sends a text, given whole or in pieces. @returns a promise for a large text, which is written as the client reads it */
export function sendText(
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  text: string | readonly string[],
  more: string[] = [],
  accessId?: string,
  /** Resolves when the answer and the connection may end. */
  ends?: Promise<void>,
): Promise<void> | undefined {
  if (response.headersSent || response.destroyed) return
  const pieces = typeof text === 'string' ? [text] : text
  const length = byteLength(pieces)
  const headers = headersOf(node, request.headers, accessId)
  headers.push('Content-Type', type, 'Content-Length', String(length), ...more)
  response.writeHead(status, headers)
  const body = request.method === 'HEAD' ? [] : pieces
  if (ends !== undefined) {
    for (const piece of body) response.write(piece)
    void ends.then(() => response.end())
  } else if (body.length > 0 && length > FREE_BYTES) return writeSlices(response, body).then(() => void response.end())
  else endTogether(response, body)
  return undefined
}

/** Characters of a large text written at once, and the maximum of their bytes. */
const SLICE = 32 * 1024
const SLAB_BYTES = 3 * SLICE
const MAX_SLABS = 32

/** Reusable buffers: new ones per slice would be memory outside of the heap, which is freed late. */
const slabs: Buffer[] = []

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** Writes a text with backpressure; only the text itself is held in memory. */
async function writeSlices(response: ServerResponse, pieces: readonly string[]): Promise<void> {
  const slab = slabs.pop() ?? Buffer.allocUnsafeSlow(SLAB_BYTES)
  let filled = 0
  for (const text of pieces) {
    for (let at = 0; at < text.length; ) {
      let end = Math.min(at + SLICE, text.length)
      if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1
      // A UTF-16 code unit takes at most three bytes. Short pieces are written together with their neighbours.
      if (filled + (end - at) * 3 > SLAB_BYTES) {
        await written(response, slab.subarray(0, filled))
        filled = 0
        // Unsent bytes may still be read from the slab: it cannot be reused.
        if (response.destroyed) return
      }
      filled += slab.write(text.slice(at, end), filled)
      at = end
    }
  }
  if (filled > 0) await written(response, slab.subarray(0, filled))
  if (slabs.length < MAX_SLABS && !response.destroyed) slabs.push(slab)
}

/** Writes bytes; resolves when the system has accepted them, or the client has disconnected. */
function written(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done)
      resolve()
    }
    response.once('close', done)
    response.write(bytes, done)
    if (response.destroyed) done()
  })
}

/** Sends the result of a method; `reader` is the receiving client, and `mustSend` true when it can no longer be refused. */
export function sendResult(
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  result: Result,
  accessId?: string,
  /** Target of a redirect. */
  location?: string,
  reader?: AnswerReader,
  mustSend = false,
): Promise<void> | undefined {
  for (const key in result) {
    if (result[key] instanceof RawList) return sendLists(node, request, response, status, result, accessId, reader)
  }
  const members = location === undefined ? memberPieces(result) : undefined
  if (members !== undefined) return sendPieces(node, request, response, status, members, accessId, reader, mustSend)
  const answer = new Pieces()
  answer.add('{')
  eachMember(result, (part) => answer.add(textOfPart(part)))
  answer.add(`${answer.length === 1 ? '' : ','}"meta":${metaOf(node)}}`)
  const { length } = answer
  const pieces = answer.take()
  const send = (): Promise<void> | undefined =>
    sendText(node, request, response, status, JSON_TYPE, pieces, location === undefined ? [] : ['Location', location], accessId)
  if (reader === undefined || length <= FREE_BYTES) return send()
  // Only the text is referenced while it waits.
  const waiting = reader.holdWhole(byteLength(pieces), mustSend)
  return waiting === undefined ? send() : waiting.then(send)
}

/** Sends a result that is mostly UTF-8 bytes, without converting it to one text. */
async function sendPieces(
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  members: readonly (string | Uint8Array)[],
  accessId: string | undefined,
  reader: AnswerReader | undefined,
  mustSend: boolean,
): Promise<void> {
  const pieces = ['{', ...members, `,"meta":${metaOf(node)}}`].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  await reader?.holdWhole(length, mustSend)
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, [...headersOf(node, request.headers, accessId), 'Content-Type', JSON_TYPE, 'Content-Length', String(length)])
  if (request.method !== 'HEAD') {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length && !response.destroyed; at += SLAB_BYTES) await written(response, piece.subarray(at, at + SLAB_BYTES))
    }
  }
  response.end()
}

/** Sends a result with its own format: JSON without `meta`. */
export function sendDocument(
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  result: Result,
  more: string[] = [],
): Promise<void> | undefined {
  return sendText(node, request, response, status, JSON_TYPE, `{${membersText(result)}}`, more)
}

/** Sends the answer of another protocol. `cors` replaces the common headers for other origins; it is the same for all of them. */
export function sendProtocolAnswer(
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers: own, text }: Answer,
  cors?: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.destroyed) return
  const ends = request.complete || request.method === 'OPTIONS' ? undefined : discard(request)
  const headers = cors === undefined ? headersOf(node, request.headers) : ['API-Version', node.apiVersion, 'X-Content-Type-Options', 'nosniff']
  headers.push(...Object.entries({ ...cors, ...own }).flat())
  if (status !== 204) headers.push('Content-Length', String(Buffer.byteLength(text)))
  if (ends !== undefined) headers.push('Connection', 'close')
  response.writeHead(status, headers)
  const body = request.method === 'HEAD' || status === 204 ? '' : text
  if (ends === undefined) return endTogether(response, [body])
  response.write(body)
  void ends.then(() => response.end())
}

/** Sends an answer without a body. */
export function sendNothing(node: Node, request: IncomingMessage, response: ServerResponse, accessId?: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(204, headersOf(node, request.headers, accessId))
  endTogether(response, [])
}

/** Characters that are buffered before they are written. */
const GATHERED = 64 * 1024

/** Sends lists page by page as they are read, with backpressure; `meta` comes last. */
async function sendLists(
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  result: Result,
  accessId: string | undefined,
  reader: AnswerReader | undefined,
): Promise<void> {
  const headers = headersOf(node, request.headers, accessId)
  headers.push('Content-Type', 'application/json', 'Transfer-Encoding', 'chunked')
  const gathered = new AnswerText()
  const isCut = hasSeveralLists(result)
  let begun = false
  const begin = (): void => {
    if (!begun) response.writeHead(status, headers)
    begun = true
  }
  try {
    let before = '{'
    for (const key in result) {
      const value = result[key]
      if (value === undefined) continue
      gathered.add(`${before}"${key}":`)
      before = ','
      if (!(value instanceof RawList)) {
        gathered.add(value instanceof RawJson ? value.text : JSON.stringify(value))
        continue
      }
      gathered.add('[')
      if (value.joined !== undefined && value.joined.length <= FREE_BYTES) {
        gathered.add(value.joined)
      } else {
        let firstItem = true
        for await (const page of value.joined === undefined ? pagesOf(value, reader) : [[value.joined]]) {
          if (response.destroyed) return
          if (page.length === 0) continue
          if (!firstItem) gathered.add(',')
          firstItem = false
          gathered.add(drainPage(page))
          if (gathered.length < GATHERED) continue
          const chunks = gathered.take()
          const size = chunks.reduce((sum, { bytes }) => sum + bytes, 0)
          // The source of a large page is in memory, too.
          const held = size > FREE_BYTES ? 2 * size : 0
          if (held > 0) await reader?.holdPart(held)
          begin()
          for (const { pieces } of chunks) await writeSlices(response, pieces)
          if (held > 0) reader?.drop(held)
        }
      }
      if (isCut) gathered.cut()
      gathered.add(']')
    }
    gathered.add(`${before}"meta":${metaOf(node)}}`)
    const chunks = gathered.take()
    const isApart = isCut && isForwarded(request.headers)
    if (!begun && !isApart) return endAtOnce(response, status, headers, chunks)
    const last = chunks.pop()
    begin()
    for (const { pieces } of chunks) response.write(pieces.join(''))
    if (isApart) await sleep(PROXY_PAUSE_MS)
    if (!response.destroyed) response.end(last?.pieces.join(''))
  } catch (error) {
    if (response.destroyed) return
    if (!begun) throw error
    // Part of the answer was sent: only closing the connection signals the error.
    node.log.error('an answer was aborted', { error: String(error) })
    response.destroy()
  }
}

/** Resolves when more can be written, or the client has disconnected. */
export function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

/** Sends a failure; other errors are logged and sent as `unexpected-error`. */
export function sendFailure(
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  accessId?: string,
): void {
  const failure = asFailure(node, `${request.method ?? ''} ${request.url?.split('?')[0] ?? ''}`, error)
  const members = failure instanceof FormedFailure ? failure.members : { error: failure }
  const text = `{${membersText(members)},"meta":${metaOf(node)}}`
  // The rest of a rejected body is not read: the connection ends with the answer.
  const more = headersOfFailure(node, failure)
  const ends = request.complete ? undefined : discard(request)
  if (ends !== undefined) more.push('Connection', 'close')
  void sendText(node, request, response, statusOf(failure), JSON_TYPE, text, more, accessId, ends)
}

/** Returns the headers of a failure: retry time, redirect, authentication scheme. */
function headersOfFailure(node: Node, failure: Failure): string[] {
  if (failure instanceof Relocated || failure instanceof AnsweredElsewhere) return ['Location', failure.location]
  const challenge = wwwAuthenticate(node, failure)
  if (challenge !== undefined) return ['WWW-Authenticate', challenge]
  const { data } = failure
  if (typeof data !== 'object' || data === null) return []
  const headers: string[] = []
  if ('retryAfterSeconds' in data) headers.push('Retry-After', String(data.retryAfterSeconds))
  return headers
}

const MAX_DISCARDED = 64 * 1024 * 1024
const MAX_DISCARD_MS = 5000

/**
 * Discards the rest of a rejected body, up to a limit: a client that is still sending when its connection closes may never read
 * the answer. Resolves when done.
 */
function discard(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let size = 0
    const done = (): void => {
      clearTimeout(timer)
      request.socket.off('close', done)
      resolve()
    }
    const timer = setTimeout(done, MAX_DISCARD_MS)
    timer.unref()
    request.unpipe()
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_DISCARDED) done()
    })
    request.on('end', done)
    request.on('error', done)
    request.on('close', done)
    request.socket.on('close', done)
    request.resume()
  })
}

/** Returns the header `WWW-Authenticate` of a failure; undefined for those unrelated to the token. */
function wwwAuthenticate({ config }: Node, failure: Failure): string | undefined {
  if (failure.id !== 'invalid-access-token') return undefined
  if (failure instanceof ProofRefused) return 'DPoP algs="ES256", error="invalid_token"'
  const realm = `Bearer realm=${quoted(config.get('service.name'))}`
  // A request without credentials gets no error code (RFC 6750, 3.1).
  if (failure.variant === 'absent') return realm
  return `${realm}, error="invalid_token", error_description=${quoted(failure.message)}`
}

/** Formats a quoted string for a header. */
const quoted = (text: string): string => `"${text.replace(/[^\x20-\x7e]/gu, '?').replace(/["\\]/g, '\\$&')}"`
