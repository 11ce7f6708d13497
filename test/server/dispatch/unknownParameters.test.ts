/** Unknown parameters: ignored by reads, refused by writes (docs/interface/conventions.md#query-strings). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Method } from '../../../src/server/call/method.js'
import { methods } from '../../../src/server/api/methods.js'
import { request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { callThrough, describeMethod, newStage, type Stage } from '../../support/http/methodTable.js'
import { connectSocket } from '../../support/http/socket.js'

const IGNORED = ['_=1700000000000', 'withDeletions=true', '__proto__=1', 'newer[]=1&newer[x][y]=2', 'bad[=1', `far[5000]=1`]

let node: TestNode
let stage: Stage
beforeAll(async () => {
  node = await startTestNode()
  stage = await newStage(node)
  await stage.arrange('streams.create', { id: 'home', name: 'Home' })
})
afterAll(() => node.stop())

const isRead = ({ http }: Method): boolean => http.verb === 'GET'
const pathOf = ({ scope, http }: Method): string =>
  (scope === 'platform' ? '' : stage.username) + http.path.replace(/:\w+/g, 'cabcdefghijklmnopqrstuvwx')

describe('unknown parameters of reads', () => {
  it.each(methods.filter(isRead).map((method): [string, Method] => [`${method.scope} ${method.id}`, method]))(
    'are ignored over HTTP by %s',
    async (_, method) => {
      const call = async (query: string): Promise<unknown> => {
        const { status, body } = await request(`${node.url}${pathOf(method).replace(/^\//, '')}${query}`, { token: stage.owner })
        return { status, error: (body['error'] as { id: string } | undefined)?.id }
      }
      const plain = await call('')
      for (const query of IGNORED) expect({ query, answer: await call(`?${query}`) }).toEqual({ query, answer: plain })
    },
  )

  it('are ignored in a batch and over a websocket', async () => {
    const named = methods.filter((method) => isRead(method) && method.scope !== 'platform' && method.notInBatch !== true)
    expect(named.map(({ id }) => id)).toEqual(expect.arrayContaining(['events.get', 'events.getOne', 'streams.get', 'accesses.get', 'getAccessInfo']))
    const socket = await connectSocket(node, stage.username, { token: stage.owner })
    const failureOf = ({ error }: { error?: unknown }): unknown => (error as { id?: string } | undefined)?.id
    for (const { id } of named) {
      const newer = JSON.parse('{"id":"home","_":"1","withDeletions":true,"__proto__":{"x":1}}') as Record<string, unknown>
      const { body } = await request(`${node.url}${stage.username}`, {
        token: stage.owner,
        body: [{ method: id, params: { id: 'home' } }, { method: id, params: newer }],
      })
      const [plain, same] = body['results'] as [{ error?: unknown }, { error?: unknown }]
      expect([id, Object.keys(same), failureOf(same)]).toEqual([id, Object.keys(plain), failureOf(plain)])
      const { error, result } = await socket.call(id, newer)
      expect([id, failureOf(error ?? {})]).toEqual([id, failureOf(plain)])
      if (result !== undefined) expect(Object.keys(result)).toEqual([...Object.keys(plain), 'meta'])
    }
    socket.close()
  })

  it('do not disable the checks of known ones', async () => {
    for (const transport of ['http', 'batch', 'socket'] as const) {
      const refused = await callThrough(transport, stage, stage.owner, 'events.get', { _: '1', limit: -1 })
      expect(refused).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
    }
  })
})

const refused = { gives: [400, 'invalid-parameters-format'] as [number, 'invalid-parameters-format'] }
describe('unknown parameters of writes are refused', () => {
  describeMethod('events.create', [{ it: 'by a creation', send: { streamIds: ['x'], type: 'mass/kg', content: 1, newer: 1 }, ...refused }])
  describeMethod('streams.create', [{ it: 'by a creation', send: { id: 'x', name: 'x', newer: 1 }, ...refused }])
  describeMethod('accesses.create', [{ it: 'by a creation', send: { name: 'x', permissions: [], newer: 1 }, ...refused }])
  describeMethod('streams.update', [
    {
      it: 'by an update',
      given: async ({ arrange }) => {
        await arrange('streams.create', { id: 'x', name: 'x' })
        return { id: 'x', update: { newer: 1 } }
      },
      ...refused,
    },
  ])
  describeMethod('streams.delete', [
    {
      it: 'by a deletion',
      given: async ({ arrange }) => {
        await arrange('streams.create', { id: 'x', name: 'x' })
        return { id: 'x', _: '1' }
      },
      ...refused,
    },
  ])
})
