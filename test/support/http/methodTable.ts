/**
 * Tables of a method's behaviour. Each row runs over HTTP and inside a batch; one row of a table also runs over an urlencoded form
 * and a websocket. test/server/dispatch/transports.test.ts proves for every method that it answers alike over all transports.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Method } from '../../../src/server/call/method.js'
import { methods } from '../../../src/server/api/methods.js'
import { statusOf } from '../../../src/server/base/status.js'
import { Failure, type FailureId } from '../../../src/store/model/failure.js'
import { grantAccess } from '../people/access.js'
import { makeAccount, request, startTestNode, type TestNode } from '../nodes/node.js'
import { connectSocket, type ConnectError, type TestSocket } from './socket.js'
import type { Permission } from '../../../src/store/model/access.js'

export type Transport = 'http' | 'form' | 'batch' | 'socket'

/** All transports, for rows about the encodings of each. */
export const allTransports: readonly Transport[] = ['http', 'form', 'batch', 'socket']

/** Context of a row: a fresh account on the table's node. */
export interface Stage {
  node: TestNode
  username: string
  /** Token of the owner. */
  owner: string
  /** Calls a method by the owner over HTTP, to set up a test; throws unless it succeeds. */
  arrange(method: string, params: unknown): Promise<Record<string, unknown>>
  /** Returns the token of an app with these permissions. */
  app(permissions: Permission[]): Promise<string>
}

export interface Row {
  it: string
  /** Prepares the account; returns the parameters of the call (or a token with them). */
  given?: (stage: Stage) => Promise<unknown> | unknown
  /** Parameters, when `given` returns none. */
  send?: unknown
  /** Permissions of the calling app; absent: the owner calls. */
  as?: Permission[]
  /** Status over HTTP, with the id of a failure. */
  gives: number | [number, FailureId]
  /** Part of the result, or of the failure's `data`. */
  result?: Record<string, unknown>
  data?: unknown
  /** Checks the result, the account after it, or both. */
  then?: (result: Record<string, unknown>, stage: Stage) => Promise<void> | void
  /** Transports of a row; by default those of its table. */
  only?: readonly Transport[]
}

const methodOf = (id: string): Method => {
  const found = methods.find((method) => method.id === id)
  if (found === undefined) throw new Error(`no method ${id}`)
  return found
}

interface Outcome {
  status: number
  body: Record<string, unknown>
}

/** Returns the HTTP form of a call: verb, path with its parameters, query, body. */
function httpForm(method: Method, params: unknown): { verb: string; path: string; query: string; body: unknown } {
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params)
  const rest: Record<string, unknown> = isObject ? { ...params } : {}
  const { verb } = method.http
  const path = method.http.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    return encodeURIComponent(value)
  })
  const { body: part } = method.http
  if (part === 'update' || (part !== undefined && part in rest)) {
    return { verb, path, query: '', body: rest[part] }
  }
  if (verb === 'POST' || verb === 'PUT') return { verb, path, query: '', body: isObject ? rest : params }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(rest)) {
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
      for (const item of value) query.append(name, item)
    } else query.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return { verb, path, query: query.size === 0 ? '' : `?${query}`, body: undefined }
}

/** Calls a method over a transport. */
export async function callThrough(
  transport: Transport,
  stage: Pick<Stage, 'node' | 'username'>,
  token: string | undefined,
  id: string,
  params: unknown,
): Promise<Outcome> {
  const method = methodOf(id)
  const root = `${stage.node.url}${stage.username}`
  const auth = token === undefined ? {} : { token }
  if (transport === 'batch') {
    const { status, body } = await request(root, { ...auth, body: [{ method: id, params }] })
    const results = body['results']
    if (!Array.isArray(results)) return { status, body }
    return outcomeOf(method, results[0] as Record<string, unknown>)
  }
  if (transport === 'socket') return outcomeOf(method, await callBySocket(stage, token, id, params))
  const { verb, path, query, body } = httpForm(method, params)
  if (transport === 'http' || verb === 'GET') {
    return request(`${root}${path}${query}`, { ...auth, method: verb, ...(body === undefined ? {} : { body }) })
  }
  const form = new URLSearchParams()
  if (verb !== 'POST') form.set('_method', verb)
  if (token !== undefined) form.set('_auth', token)
  if (body !== undefined) form.set('_json', JSON.stringify(body))
  return request(`${root}${path}${query}`, {
    method: 'POST',
    body: form.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

/** Adds the HTTP status to a response of a transport without statuses. */
function outcomeOf(method: Method, body: Record<string, unknown>): Outcome {
  const failure = body['error'] as { id: FailureId } | undefined
  if (failure === undefined) return { status: typeof method.http.status === 'number' ? method.http.status : 200, body }
  return { status: statusOf(new Failure(failure.id)), body }
}

/** Calls a method over a connection of its own; returns the result, or the failure of the call or the connection. */
async function callBySocket(
  { node, username }: Pick<Stage, 'node' | 'username'>,
  token: string | undefined,
  id: string,
  params: unknown,
): Promise<Record<string, unknown>> {
  let socket: TestSocket
  try {
    socket = await connectSocket(node, username, token === undefined ? {} : { token })
  } catch (error) {
    return { error: (error as ConnectError).data }
  }
  const { error, result } = await socket.call(id, params)
  socket.close()
  return error ?? result ?? {}
}

let users = 0

/** Creates a fresh account on a node. */
export async function newStage(node: TestNode): Promise<Stage> {
  users += 1
  const username = `user-${String(users).padStart(5, '0')}`
  const owner = await makeAccount(node, username)
  return {
    node,
    username,
    owner,
    async arrange(id, params) {
      const { status, body } = await callThrough('http', { node, username }, owner, id, params)
      if (status >= 300) throw new Error(`${id} failed: ${JSON.stringify(body)}`)
      return body
    },
    app: async (permissions) => (await grantAccess(node, username, permissions)).token,
  }
}

/**
 * Returns the transports of each row of a method's table. Rows without transports of their own run over HTTP and in a batch. The
 * first of them that succeeds, otherwise the first, also runs over a form and a websocket.
 */
function transportsOf({ notInBatch, http }: Method, rows: readonly Row[]): Map<Row, readonly Transport[]> {
  const isBatchable = notInBatch !== true
  const everywhere = rows.filter(({ only }) => only === undefined)
  const sample = everywhere.find(({ gives }) => typeof gives === 'number' && gives < 300) ?? everywhere[0]
  return new Map(
    rows.map((row) => {
      if (row.only !== undefined) return [row, row.only]
      const transports: Transport[] = isBatchable ? ['http', 'batch'] : ['http']
      // A GET has no body: a form is the same request again.
      if (row === sample && http.verb !== 'GET') transports.push('form')
      if (row === sample && isBatchable) transports.push('socket')
      return [row, transports]
    }),
  )
}

/** Runs the table of a method; `settings` configure the table's node. */
export function describeMethod(id: string, rows: Row[], settings: Record<string, unknown> = {}): void {
  describe(id, () => {
    let node: TestNode
    beforeAll(async () => {
      node = await startTestNode(settings)
    })
    afterAll(() => node.stop())
    for (const [row, transports] of transportsOf(methodOf(id), rows)) {
      it.each(transports.map((transport) => [transport]))(`${row.it} (%s)`, async (transport) => {
        const stage = await newStage(node)
        const given = await row.given?.(stage)
        const token = row.as === undefined ? stage.owner : await stage.app(row.as)
        const { status, body } = await callThrough(transport, stage, token, id, given ?? row.send ?? {})
        const error = body['error'] as { id: string; data?: unknown } | undefined
        const [expected, failure] = Array.isArray(row.gives) ? row.gives : [row.gives, undefined]
        expect({ status, error: error?.id, body }).toMatchObject({ status: expected, error: failure })
        if (row.result !== undefined) expect(body).toMatchObject(row.result)
        if (row.data !== undefined) expect(error?.data).toEqual(row.data)
        await row.then?.(body, stage)
      })
    }
  })
}
