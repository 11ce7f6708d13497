/**
 * Reads the body of a request: decompressed, with a size limit, and in stages, so that the caller can be identified in between.
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Failure } from '../../store/model/failure.js'
import { bodyStream, notInflated } from './inflate.js'

/** The incoming body of a request. Data that no method here requested remains unread. */
interface IncomingBody {
  /** Size by `Content-Length` in bytes, before decompression; 0 without it. */
  readonly declared: number
  /**
   * Reads at most `limitBytes` bytes, counted from the beginning of the decompressed body; can be called again with a higher
   * limit.
   * @returns true when the body ends within the limit
   * @throws Failure `invalid-request-structure` for a body that ends early or cannot be decompressed, `unsupported-content-type`
   *   for an unknown encoding
   */
  upTo(limitBytes: number): Promise<boolean>
  /** Returns the bytes read so far. */
  bytes(): Buffer
}

/** Creates the reader of a body. Reads and decompresses no more than requested, up to one chunk. */
export function incomingBody(request: IncomingMessage): IncomingBody {
  const chunks: Buffer[] = []
  let size = 0
  let isOver = false
  let source: Readable | undefined
  return {
    declared: Number(request.headers['content-length'] ?? 0),
    upTo(limitBytes) {
      if (isOver || size > limitBytes) return Promise.resolve(size <= limitBytes)
      return new Promise((resolve, reject) => {
        const from = (source ??= bodyStream(request))
        const settle = (): void => {
          from.off('data', onData).off('end', onEnd)
          if (from !== request) from.off('error', onUnreadable)
          request.off('error', onCut).off('close', onClose)
        }
        const onData = (chunk: Buffer): void => {
          chunks.push(chunk)
          size += chunk.length
          if (size <= limitBytes) return
          from.pause()
          settle()
          resolve(false)
        }
        const onEnd = (): void => {
          isOver = true
          settle()
          resolve(true)
        }
        const onCut = (): void => {
          settle()
          reject(new Failure('invalid-request-structure', 'The body ended early.'))
        }
        const onUnreadable = (): void => {
          settle()
          reject(notInflated())
        }
        const onClose = (): void => {
          if (!request.complete) onCut()
        }
        if (from.destroyed && from !== request) return onUnreadable()
        from.on('data', onData).on('end', onEnd)
        if (from !== request) from.on('error', onUnreadable)
        request.on('error', onCut).on('close', onClose)
        from.resume()
      })
    },
    bytes: () => (chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size)),
  }
}

/**
 * Decodes a whole body. Rejects invalid UTF-8, which would be stored as different characters.
 * @throws Failure `invalid-request-structure`
 */
export function bodyText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Failure('invalid-request-structure', 'The body is not valid UTF-8.')
  return bytes.toString('utf8')
}

const KB = 1024
const MB = 1024 * KB

/** Creates the failure for a body above a limit in bytes, with `limitMb` in its data (docs/interface/limits.md#sizes). */
export function tooLarge(limitBytes: number, hint = ''): Failure {
  const size = limitBytes < MB ? `${Math.floor(limitBytes / KB)} KB` : `${limitBytes / MB} MB`
  return new Failure('payload-too-large', `The body is larger than ${size}.${hint}`, { limitMb: limitBytes / MB })
}

/**
 * Reads a whole body as text. The rest of a body above `limitMb` megabytes remains unread.
 * @throws Failure `payload-too-large`, and the failures of `upTo` and `bodyText`
 */
export async function readBody(request: IncomingMessage, limitMb: number): Promise<string> {
  const body = incomingBody(request)
  if (body.declared > limitMb * MB || !(await body.upTo(limitMb * MB))) throw tooLarge(limitMb * MB)
  return bodyText(body.bytes())
}
