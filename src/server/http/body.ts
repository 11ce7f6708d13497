/**
 * Reads the body of a request: decompressed (RFC 9110, 8.4), with a size limit, as JSON or as a form
 * (docs/interface/conventions.md#forms). The first stage reads up to the anonymous limit; the rest, and parsing, wait until the
 * caller is authenticated. Anonymous clients cannot make the node hold or parse more than `limits.json.maxSizeWithoutTokenKb`.
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { Failure } from '../../store/model/failure.js'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { MAX_INDEXED_ITEMS, readFields } from '../base/fields.js'
import { MIN_LARGE_BYTES, parseLargeBody } from '../call/json/largeBody.js'
import type { SplitPlan } from '../call/json/split.js'
import type { Node } from '../index.js'
import { readJson } from '../call/json/readJson.js'

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

interface Form {
  /** `_method`: the verb to use instead of POST. */
  method?: string
  /** `_auth`: used instead of the `Authorization` header. */
  auth?: string
  /** `_json`: the body as JSON text, not yet parsed. */
  json?: string
  /** Without `_json`, the other fields as texts, lists and objects (fields.ts). */
  body: unknown
}

/** Maximum number of fields: one list of maximum length, and more fields than any method has parameters. */
const MAX_FIELDS = MAX_INDEXED_ITEMS + 100

/**
 * Parses a form.
 * @throws Failure `invalid-request-structure` for more than MAX_FIELDS fields, `invalid-parameters-format` for invalid field
 *   names
 */
function readForm(text: string): Form {
  assertFewFields(text)
  const fields = new URLSearchParams(text)
  const form: Form = { body: undefined }
  const method = fields.get('_method')
  if (method !== null && method !== '') form.method = method.toUpperCase()
  const auth = fields.get('_auth')
  if (auth !== null) form.auth = auth
  const json = fields.get('_json')
  if (json !== null) {
    form.json = json
    return form
  }
  form.body = readFields(fields, (_, key) => key !== '_method' && key !== '_auth')
  return form
}

function assertFewFields(text: string): void {
  let fields = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    fields += 1
    if (fields > MAX_FIELDS) throw new Failure('invalid-request-structure', `The form has more than ${MAX_FIELDS} fields.`)
  }
}

export interface RequestBody {
  /**
   * Reads the body up to the anonymous limit.
   * @returns true when the body ends there; otherwise the rest is not read until `value` is called
   * @throws Failure `payload-too-large` for a body above every limit, `invalid-request-structure` for one that ends early
   */
  begin(): Promise<boolean>
  /**
   * Reads the rest and parses it; undefined for an empty body, and for one with a type other than JSON.
   * @param limitBytes maximum bytes that the caller may send
   * @param plan how a large body is split
   * @throws Failure `payload-too-large`, `invalid-request-structure`
   */
  value(limitBytes: number, plan: () => SplitPlan): Promise<unknown>
  /**
   * Throws if the body read by `value` has a type other than JSON. Called after authentication.
   * @throws Failure `unsupported-content-type`
   */
  assertJsonType(): void
  /** Returns the bytes read so far. */
  bytes(): Uint8Array
}

/** Returns the maximum body size in bytes for a caller without a token. */
export const publicLimit = ({ config }: Pick<Node, 'config'>): number =>
  Math.min(config.get('limits.json.maxSizeWithoutTokenKb') * KB, jsonLimit({ config }))

/** Returns the maximum size in bytes of any JSON body: at most that of an attachment (docs/interface/limits.md#sizes). */
export const jsonLimit = ({ config }: Pick<Node, 'config'>): number =>
  Math.min(config.get('limits.json.maxSizeMb'), config.get('uploads.maxSizeMb')) * MB

export function jsonBody(node: Node, request: IncomingMessage): RequestBody {
  const body = incomingBody(request)
  let refused: Failure | undefined
  return {
    async begin() {
      const [strangers, max] = [publicLimit(node), jsonLimit(node)]
      if (body.declared > max) throw tooLarge(max)
      return body.declared <= strangers && body.upTo(strangers)
    },
    async value(limitBytes, plan) {
      if (body.declared > limitBytes || !(await body.upTo(limitBytes))) throw tooLarge(limitBytes)
      const bytes = body.bytes()
      if (bytes.length === 0) return undefined
      const type = request.headers['content-type']
      if (isJson(type)) return parseBody(bytes, plan)
      refused = otherType(type)
      return undefined
    },
    assertJsonType() {
      if (refused !== undefined) throw refused
    },
    bytes: () => body.bytes(),
  }
}

const MAX_TYPE_LENGTH = 100

/** Creates the failure for a body with a type other than JSON; some clients send JSON as text, or without a type. */
function otherType(type: string | undefined): Failure {
  const found = type === undefined ? 'The body has no Content-Type' : `The Content-Type of the body is ${JSON.stringify(type.slice(0, MAX_TYPE_LENGTH))}`
  return new Failure('unsupported-content-type', `${found}. Send JSON as application/json, and attachments as multipart/form-data.`)
}

const parseBody = (bytes: Buffer, plan: () => SplitPlan): unknown =>
  bytes.length < MIN_LARGE_BYTES ? readJson(bodyText(bytes)) : parseLargeBody(bytes, plan())

/** A form, which contains the verb and the token of its call besides its parameters. */
interface FormBody {
  method?: string
  auth?: string
  body: RequestBody
}

/**
 * Reads a form. Above the anonymous limit, only continues if `isKnown` accepts the token of the request: `_auth` in the part read
 * so far, or undefined.
 * @throws Failure `payload-too-large`, `invalid-request-structure`, and the failures of `isKnown`
 */
export async function formBody(
  node: Node,
  request: IncomingMessage,
  isKnown: (auth: string | undefined) => boolean | Promise<boolean>,
): Promise<FormBody> {
  const body = incomingBody(request)
  const strangers = publicLimit(node)
  if (!(await body.upTo(strangers))) {
    const field = AUTH_FIELD.exec(body.bytes().toString('latin1'))?.[0]
    if (!(await isKnown(field === undefined ? undefined : (new URLSearchParams(field).get('_auth') ?? undefined)))) {
      throw tooLarge(strangers, ' Larger forms require a valid token: in the Authorization header, or as _auth before the other fields.')
    }
    const limit = jsonLimit(node)
    if (body.declared > limit || !(await body.upTo(limit))) throw tooLarge(limit)
  }
  const { method, auth, json, body: fields } = readForm(bodyText(body.bytes()))
  return {
    ...(method === undefined ? {} : { method }),
    ...(auth === undefined ? {} : { auth }),
    body: {
      begin: () => Promise.resolve(true),
      value: async (_, plan) => (json === undefined ? fields : parseBody(Buffer.from(json), plan)),
      assertJsonType: () => {},
      bytes: () => body.bytes(),
    },
  }
}

const AUTH_FIELD = /(?:^|&)_auth=[^&]*(?=&|$)/

export const isJson = (type = ''): boolean => /^application\/([\w.-]+\+)?json\b/i.test(type)
