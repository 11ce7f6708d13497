/**
 * The body of a call: the first stage reads up to the anonymous limit; the rest, and parsing, wait until the
 * caller is known. So a stranger can make the node neither hold nor parse more than `limits.json.maxSizeWithoutTokenKb`.
 */
import type { IncomingMessage } from 'node:http'
import { MIN_LARGE_BYTES, parseLargeBody } from '../json/largeBody.js'
import type { SplitPlan } from '../json/split.js'
import { Failure } from '../../store/model/failure.js'
import type { Node } from '../node.js'
import { bodyText, incomingBody, tooLarge } from './body.js'
import { readForm } from './form.js'
import { readJson } from '../json/readJson.js'

export interface RequestBody {
  /**
   * Reads the body up to the anonymous limit.
   * @returns whether the body ends there; else the rest stays with the client until `value` is called
   * @throws Failure `payload-too-large` for a body above every limit, `invalid-request-structure` for one that ends early
   */
  begin(): Promise<boolean>
  /**
   * Takes in the rest and parses it; undefined for an empty body, and for one of another type than JSON.
   * @param limitBytes most bytes that the caller may send
   * @param plan how a large body is split
   * @throws Failure `payload-too-large`, `invalid-request-structure`
   */
  value(limitBytes: number, plan: () => SplitPlan): Promise<unknown>
  /**
   * Refuses what `value` took in of another type than JSON: once the caller is known, who may have nothing to send here.
   * @throws Failure `unsupported-content-type`
   */
  refuseOtherType(): void
}

const KB = 1024
const MB = 1024 * KB

/** Most bytes that a caller without a token may send. */
export const publicLimit = ({ config }: Pick<Node, 'config'>): number =>
  Math.min(config.get('limits.json.maxSizeWithoutTokenKb') * KB, jsonLimit({ config }))

/** Most bytes of any JSON body: no more than of an attached file (specification, "Limits"). */
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

/** Creates the refusal of a body that is not JSON by its type; some clients send JSON as text, or without a type. */
function otherType(type: string | undefined): Failure {
  const found = type === undefined ? 'The body has no Content-Type' : `The Content-Type of the body is ${JSON.stringify(type.slice(0, MAX_TYPE_LENGTH))}`
  return new Failure('unsupported-content-type', `${found}: send JSON as application/json, and files, with or to an event, as multipart/form-data.`)
}

const parseBody = (bytes: Buffer, plan: () => SplitPlan): unknown =>
  bytes.length < MIN_LARGE_BYTES ? readJson(bodyText(bytes)) : parseLargeBody(bytes, plan())

/** A form, which names the verb and the token of its call beside its parameters. */
export interface FormBody {
  method?: string
  auth?: string
  body: RequestBody
}

/**
 * Reads a form. One above the anonymous limit is read only where `isKnown` accepts the token that its request
 * shows: `_auth` among what came first, or undefined when it is not there.
 * @throws Failure `payload-too-large`, `invalid-request-structure`, and what `isKnown` throws
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
      throw tooLarge(strangers, ' Larger forms need a valid token: in the Authorization header, or as _auth before the other fields.')
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
