/** Sends files with headers, ranges and backpressure. */
import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '../../store/model/failure.js'
import type { FileDescription } from '../base/fileResult.js'
import { metaOf } from '../call/meta.js'
import type { Node } from '../index.js'
import { fileChunks, openWhole, type Part } from './fileChunks.js'
import { drained, headersOf, sendText } from './respond.js'

/** Headers of a request that choose a range of a file. */
export interface RangeHeaders {
  range?: string | undefined
  'if-range'?: string | string[] | undefined
}

/**
 * Streams a file (docs/interface/attachments.md#download). A failure before the first byte is thrown for the request handler; a
 * later one closes the connection.
 */
export async function sendFile(
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
  file: FileDescription,
  accessId?: string,
): Promise<void> {
  const handle = await openWhole(node, file)
  try {
    const input = requestedRange(request.headers, file.size)
    if (input === 'outside') return sendOutside(node, request, response, file, accessId)
    const isWhole = input === 'whole'
    const part = isWhole ? { start: 0, end: file.size } : input
    const { start, end } = part
    const headers = headersOf(node, request.headers, accessId)
    headers.push('Content-Type', file.type, 'Content-Length', String(end - start), 'Accept-Ranges', 'bytes')
    if (!isWhole) headers.push('Content-Range', `bytes ${start}-${end - 1}/${file.size}`)
    if (file.fileName !== undefined) headers.push('Content-Disposition', disposition(file.fileName))
    const digest = digestHeader(file.integrity)
    if (digest !== undefined) headers.push('Digest', digest)
    if (isActive(file.type)) headers.push('Content-Security-Policy', `sandbox; default-src 'none'`)
    if (response.headersSent || response.destroyed) return
    response.writeHead(isWhole ? 200 : 206, headers)
    if (request.method === 'HEAD' || start === end) return void response.end()
    await stream(node, handle, part, file, response)
  } finally {
    await handle.close().catch(() => {})
  }
}

async function stream(node: Node, handle: FileHandle, part: Part, file: FileDescription, response: ServerResponse): Promise<void> {
  try {
    for await (const bytes of fileChunks(node, handle, part, file)) {
      if (response.destroyed) return
      if (!response.write(bytes)) await drained(response)
    }
    response.end()
  } catch (error) {
    // Part of the answer was sent: only closing the connection signals the error.
    node.log.error('an answer was aborted', { error: String(error) })
    response.destroy()
  }
}

const RANGE = /^bytes=(\d*)-(\d*)$/

/** Parses the requested range. Multiple, conditional and invalid ranges are not supported, so that the whole file is sent. */
export function requestedRange(headers: RangeHeaders, size: number): Part | 'whole' | 'outside' {
  const [, from = '', to = ''] = RANGE.exec(headers.range ?? '') ?? []
  if ((from === '' && to === '') || headers['if-range'] !== undefined) return 'whole'
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length === 0 ? 'outside' : { start: size - length, end: size }
  }
  const start = Number(from)
  if (to !== '' && Number(to) < start) return 'whole'
  return start < size ? { start, end: to === '' ? size : Math.min(Number(to) + 1, size) } : 'outside'
}

function sendOutside(
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
  { size }: FileDescription,
  accessId: string | undefined,
): void {
  const failure = new Failure('invalid-request-structure', `The file has ${size} bytes; the range is outside of it.`)
  const text = `{"error":${JSON.stringify(failure)},"meta":${metaOf(node)}}`
  const more = ['Content-Range', `bytes */${size}`]
  void sendText(node, request, response, 416, 'application/json; charset=utf-8', text, more, accessId)
}

export const disposition = (fileName: string): string => `attachment; filename*=UTF-8''${encodeURIComponent(fileName)}`

const DIGEST_NAMES: Record<string, string> = { sha256: 'SHA-256', sha512: 'SHA-512', sha1: 'SHA', md5: 'MD5' }

function digestHeader(integrity: string | undefined): string | undefined {
  if (integrity === undefined) return undefined
  const dash = integrity.indexOf('-')
  const name = DIGEST_NAMES[integrity.slice(0, dash)]
  return name === undefined ? undefined : `${name}=${integrity.slice(dash + 1)}`
}

const ACTIVE =
  /^(text\/(html|xml)|application\/xml|[^/]+\/[^/]+\+xml|(text|application)\/(x-)?(javascript|ecmascript)[\d.]*|text\/(jscript|livescript)|multipart\/x-mixed-replace)$/

/** Checks whether a browser would execute a file of this type. */
const isActive = (type: string): boolean => ACTIVE.test((type.split(';')[0] ?? '').trim().toLowerCase())
