/** Bodies that come compressed, as their `Content-Encoding` says (RFC 9110, 8.4). */
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
 * Returns the stream that a request's body is read from: the request itself, or what inflates it. Inflates no more than is
 * read, and a few chunks ahead; the reader bounds the bytes. Emits `error` for a body that is not what its encoding says.
 * @throws Failure `unsupported-content-type` for another encoding, and for several
 */
export function bodyStream(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return request
  const create = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined
  if (create === undefined) {
    const name = JSON.stringify(encoding.slice(0, MAX_NAME_LENGTH))
    throw new Failure('unsupported-content-type', `The Content-Encoding ${name} is unknown: send gzip, deflate or br, or none.`)
  }
  const decoder = create()
  // What fails while nobody reads is found destroyed by the next who does.
  decoder.on('error', () => {})
  request.once('close', () => {
    // What ends early leaves the decoder waiting for the rest.
    if (!request.complete) decoder.destroy()
  })
  return request.pipe(decoder)
}

/** Creates the refusal of a body whose bytes are not what its encoding says. */
export const notInflated = (): Failure => new Failure('invalid-request-structure', 'The body is not what its Content-Encoding says, or ends early.')
