/** Answers of requests that arrived together are ended in one turn of the event loop; a client that is gone gets none. */
import { executionAsyncResource } from 'node:async_hooks'
import { createServer, ServerResponse } from 'node:http'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { endTogether } from '../../../src/server/http/endTogether.js'
import { registerUser, request, startTestNode } from '../../support/nodes/node.js'

/** Listens; returns its port and the responses that wait for their ends. */
async function listening(): Promise<{ port: number; responses: ServerResponse[]; received: (count: number) => Promise<void> }> {
  const responses: ServerResponse[] = []
  const server = createServer((_, response) => void responses.push(response.writeHead(200, { 'Content-Length': 2 })))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const received = async (count: number): Promise<void> => {
    while (responses.length < count) await once(server, 'request')
  }
  return { port: (server.address() as AddressInfo).port, responses, received }
}

it('ends all answers at the end of the turn', async () => {
  const { port, responses, received } = await listening()
  const answers = [1, 2].map((n) => fetch(`http://127.0.0.1:${port}/${n}`).then((answer) => answer.text()))
  await received(2)
  for (const response of responses) endTogether(response, ['o', 'k'])
  expect(responses.map(({ writableEnded }) => writableEnded)).toEqual([false, false])
  await new Promise((resolve) => setImmediate(resolve))
  expect(responses.map(({ writableEnded }) => writableEnded)).toEqual([true, true])
  expect(await Promise.all(answers)).toEqual(['ok', 'ok'])
})

it('does not end the answer of a client that has disconnected meanwhile', async () => {
  const { port, responses, received } = await listening()
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'))
  await received(1)
  const [response] = responses
  if (response === undefined) throw new Error('no request arrived')
  const errors: unknown[] = []
  response.on('error', (error) => errors.push(error))
  endTogether(response, ['ok'])
  response.destroy()
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  expect(errors).toEqual([])
  expect(response.writableEnded).toBe(false)
})

describe('answers of a node', () => {
  const OWN = { status: 200 }
  it.each<[string, string, { method?: string; body?: unknown; status: number }]>([
    ['an object', 'alice/access-info', OWN],
    ['a list', 'alice/events?limit=1', OWN],
    ['a created item', 'alice/streams', { body: { id: 'a', name: 'A' }, status: 201 }],
    ['a failure', 'alice/events/absent', { status: 404 }],
    ['a preflight', 'alice/events', { method: 'OPTIONS', status: 200 }],
    ['a preflight of another protocol', '.well-known/oauth-authorization-server', { method: 'OPTIONS', status: 204 }],
    ['another protocol', '.well-known/oauth-authorization-server', OWN],
  ])('are ended together: %s', async (_, path, { status, ...options }) => {
    const node = await startTestNode()
    onTestFinished(() => node.stop())
    const token = await registerUser(node, 'alice')
    const { end } = ServerResponse.prototype
    const causes: unknown[] = []
    const spy = vi.spyOn(ServerResponse.prototype, 'end').mockImplementation(function (this: ServerResponse, ...rest: unknown[]) {
      causes.push(executionAsyncResource().constructor.name)
      return Reflect.apply(end, this, rest) as ServerResponse
    })
    const answer = await request(`${node.url}${path}`, { token, ...options })
    spy.mockRestore()
    expect(answer.status).toBe(status)
    expect(causes).toEqual(['Immediate'])
  })
})
