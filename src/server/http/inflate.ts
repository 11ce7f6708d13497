/** Decompresses request bodies according to `Content-Encoding` (RFC 9110, 8.4). */
import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Failure } from '../../store/model/failure.js'

const MAX_NAME_LENGTH = 100

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * Returns the stream of a request's body: the request itself, or a decompressor. Decompresses only a few chunks ahead; the
 * reader limits the size. Emits `error` for a body that does not match its encoding.
 * @throws Failure `unsupported-content-type` for another encoding, and for several
 */
export function bodyStream(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return request
  const create = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined
  if (create === undefined) {
    const name = JSON.stringify(encoding.slice(0, MAX_NAME_LENGTH))
    throw new Failure('unsupported-content-type', `The Content-Encoding ${name} is not supported. Send gzip, deflate or br, or none.`)
  }
  const decoder = create()
  // An error without a reader destroys the stream, which the next reader detects.
  decoder.on('error', () => {})
  request.once('close', () => {
    // A request that ends early leaves the decoder waiting for the rest.
    if (!request.complete) decoder.destroy()
  })
  return request.pipe(decoder)
}

/** Creates the failure for a body that does not match its encoding. */
export const notInflated = (): Failure => new Failure('invalid-request-structure', 'The body does not match its Content-Encoding, or ends early.')
