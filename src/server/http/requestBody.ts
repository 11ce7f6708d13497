/**
 * The JSON body of a call. The first stage reads up to the anonymous limit; the rest, and parsing, wait until the caller is
 * authenticated. Anonymous clients cannot make the node hold or parse more than `limits.json.maxSizeWithoutTokenKb`.
 */
import type { IncomingMessage } from 'node:http'
import { MIN_LARGE_BYTES, parseLargeBody } from '../call/json/largeBody.js'
import type { SplitPlan } from '../call/json/split.js'
import { Failure } from '../../store/model/failure.js'
import type { Node } from '../index.js'
import { bodyText, incomingBody, tooLarge } from './body.js'
import { readForm } from './form.js'
import { readJson } from '../call/json/readJson.js'

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
  refuseOtherType(): void
}

const KB = 1024
const MB = 1024 * KB

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
    refuseOtherType() {
      if (refused !== undefined) throw refused
    },
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
      refuseOtherType: () => {},
    },
  }
}

const AUTH_FIELD = /(?:^|&)_auth=[^&]*(?=&|$)/

export const isJson = (type = ''): boolean => /^application\/([\w.-]+\+)?json\b/i.test(type)
