/** Handles requests to methods with their own protocol (server/call/protocol.ts), which defines parsing and answers. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '../../store/model/failure.js'
import { isJsonObject } from '../../store/model/json.js'
import { callPlatform } from '../dispatch/call.js'
import { clientOrigin } from '../auth/origin.js'
import type { Method, PlatformCall, PlatformMethod } from '../call/method.js'
import type { Node } from '../index.js'
import type { Answer, Protocol } from '../call/protocol.js'
import type { Address } from './address.js'
import { bodyText, incomingBody, tooLarge, publicLimit } from './body.js'
import { readJson } from '../call/json/readJson.js'
import { sendProtocolAnswer } from './respond.js'
import { findRoute, routesOf, type RouteMatch } from './routes.js'

type ProtocolMethod = PlatformMethod<Node> & { protocol: Protocol }

interface ProtocolHandler {
  /** Answers OPTIONS of a method with its own CORS headers; false when there is none. */
  preflight(request: IncomingMessage, response: ServerResponse): boolean
  /** Answers a request to such a method; undefined for other requests. Never rejects. */
  answer(request: IncomingMessage, response: ServerResponse, address: Address): Promise<void> | undefined
}

export function createProtocolHandler(node: Node, methods: readonly Method<Node>[]): ProtocolHandler {
  const spoken = methods.filter((method): method is ProtocolMethod => 'protocol' in method && method.protocol !== undefined)
  const routes = routesOf(spoken)
  const byPath = new Map(spoken.map((method) => [method.http.path, method]))

  async function answer(request: IncomingMessage, response: ServerResponse, method: ProtocolMethod, query: string, path: Record<string, string>): Promise<void> {
    const { protocol, http } = method
    let answered: Answer
    try {
      if (request.method === 'HEAD' && protocol.getChanges === true) return sendProtocolAnswer(node, request, response, { status: 405, headers: { Allow: 'GET' }, text: '' }, protocol.cors)
      const input = http.verb === 'GET' ? { ...fieldsOf(query), ...path } : await bodyOf(request, protocol, publicLimit(node))
      const { authorization, cookie } = request.headers
      const call: PlatformCall<Node> = { node, origin: clientOrigin(node, request) }
      if (authorization !== undefined) call.authorization = authorization
      if (protocol.cookies === true && cookie !== undefined) call.cookie = cookie
      answered = (await callPlatform(call, method, input)) as Answer
    } catch (error) {
      answered = protocol.failed(node, error)
    }
    sendProtocolAnswer(node, request, response, answered, protocol.cors)
  }

  return {
    preflight(request, response) {
      const cors = byPath.get(request.url?.split('?')[0] ?? '')?.protocol.cors
      if (cors === undefined) return false
      sendProtocolAnswer(node, request, response, { status: 204, headers: {}, text: '' }, cors)
      return true
    },
    answer(request, response, { kind, path, query }) {
      if (kind !== 'platform') return undefined
      const verb = request.method === 'HEAD' ? 'GET' : request.method
      let found: RouteMatch | undefined
      try {
        found = findRoute(routes, verb ?? '', path)
      } catch {
        // The path is invalid: the lookup in the regular routes reports it.
        return undefined
      }
      return found === undefined ? undefined : answer(request, response, found.method as ProtocolMethod, query, found.parameters)
    },
  }
}

/** Parses the fields of a query or form: omits those without a value (RFC 6749, 3.1); repeated ones become lists. */
function fieldsOf(text: string): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>
  const sent = new URLSearchParams(text)
  for (const name of new Set(sent.keys())) {
    const values = sent.getAll(name).filter((value) => value !== '')
    const [first] = values
    if (first !== undefined) fields[name] = values.length === 1 ? first : values
  }
  return fields
}

async function bodyOf(request: IncomingMessage, { form }: Protocol, limitBytes: number): Promise<unknown> {
  const type = request.headers['content-type'] ?? ''
  const body = incomingBody(request)
  if (!(await body.upTo(limitBytes))) throw tooLarge(limitBytes)
  const text = bodyText(body.bytes())
  if (form === true && /^application\/x-www-form-urlencoded\b/i.test(type)) return fieldsOf(text)
  if (!/^application\/json\b/i.test(type)) {
    throw new Failure('unsupported-content-type', `The body must be ${form === true ? 'a urlencoded form or ' : ''}JSON.`)
  }
  const value = readJson(text)
  if (isJsonObject(value)) return value
  throw new Failure('invalid-request-structure', 'The body must be a JSON object.')
}
