/**
 * Sends files with headers, ranges and backpressure. A whole attachment is hashed while it is sent, and its last bytes are only
 * sent if the digest matches; ranges are sent unverified, since their digest is unknown.
 */
import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isUnreadable } from '../../store/leveldb/filesOnDisk.js'
import { Failure } from '../../store/model/failure.js'
import type { FileDescription } from '../base/fileResult.js'
import { createDamageReporter } from '../../sync/session/fileDamage.js'
import type { Context } from '../call/context.js'
import { metaOf } from '../call/meta.js'
import type { Node } from '../index.js'
import { drained, headersOf, sendText } from './respond.js'

/** Bytes read at a time: with the connection's buffer, at most its own share. */
const CHUNK = 128 * 1024

export interface Part {
  start: number
  /** Offset after the last byte. */
  end: number
}

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

/** Opens a file and checks its size. */
export async function openWhole(node: Context, { path, size }: FileDescription): Promise<FileHandle> {
  const handle = await open(path, 'r').catch(async (error: unknown) => {
    node.log.error('an attached file cannot be opened', { path, error: String(error) })
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') await reportDamage(node, path)
    throw new Failure('unexpected-error', 'The file cannot be read.')
  })
  const found = await handle.stat().catch(() => undefined)
  if (found?.isFile() === true && found.size === size) return handle
  await handle.close()
  if (found?.isFile() === true) await reportDamage(node, path, found)
  node.log.error('the size of an attached file has changed', { path, size, found: found?.size })
  throw new Failure('unexpected-error', 'The file cannot be read.')
}

/** Records a damaged file, unless it is composed of others. */
export async function reportDamage({ store, log, clock }: Context, path: string, seen?: Stats): Promise<void> {
  const { blobs } = store
  const file = blobs.fileAt(path)
  if (file === undefined) return
  const report = createDamageReporter({ blobs, log, now: () => clock.now() })
  await report(await store.account(file.account), file.digest, seen)
}

async function stream(node: Node, handle: FileHandle, { start, end }: Part, file: FileDescription, response: ServerResponse): Promise<void> {
  const { digest, size, path } = file
  const hash = digest !== undefined && start === 0 && end === size ? createHash('sha256') : undefined
  try {
    for (let at = start; at < end && !response.destroyed; ) {
      const wanted = Math.min(CHUNK, end - at)
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at)
      if (bytesRead === 0) throw new Error(`the file ends at byte ${at} of ${end}`)
      at += bytesRead
      hash?.update(buffer.subarray(0, bytesRead))
      if (at === end && hash !== undefined && hash.digest('hex') !== digest) {
        await reportDamage(node, path, await handle.stat())
        throw new Error(`the content of the attached file ${digest} does not match its digest`)
      }
      if (!response.write(buffer.subarray(0, bytesRead))) await drained(response)
    }
    response.end()
  } catch (error) {
    if (isUnreadable(error)) await reportDamage(node, path, await handle.stat().catch(() => undefined))
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
