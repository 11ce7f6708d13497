/** Requests for an upgrade of the protocol. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { rawRequest, rawTarget } from '../../support/http/rawRequest.js'

const TO_WEBSOCKET = [
  'Host: x',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]

let node: TestNode
let token: string
beforeAll(async () => {
  node = await startTestNode()
  token = await registerUser(node, 'alice')
})
afterAll(() => node.stop())

const raw = (lines: string[], body = ''): ReturnType<typeof rawRequest> => rawRequest(node.port, `${lines.join('\r\n')}\r\n\r\n${body}`)

describe('a request for an upgrade to HTTP/2', () => {
  const upgrade = ['Host: x', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA']

  it('is answered in HTTP/1.1', async () => {
    const { status, body } = await raw(['GET /service/info HTTP/1.1', 'Connection: close', ...upgrade])
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'coffer' })
  })

  it('is answered with its body, and so is the next request', async () => {
    const body = JSON.stringify({ id: 'diary', name: 'Diary' })
    const length = `Content-Length: ${body.length}`
    const first = ['POST /alice/streams HTTP/1.1', ...upgrade, `Authorization: ${token}`, 'Content-Type: application/json', length]
    const second = ['GET /service/info HTTP/1.1', 'Host: x', 'Connection: close']
    const { status, text } = await raw(first, `${body}${second.join('\r\n')}\r\n\r\n`)
    expect(status).toBe(201)
    expect(text.match(/HTTP\/1.1 200 OK/g)).toHaveLength(1)
    expect(text).toMatch(/"name":"Diary".*HTTP[^]*"name":"coffer"/)
  })
})

describe('a request for a websocket', () => {
  it.each([['/'], ['/alice'], ['/alice/events'], ['/service/info'], ['/socket.iox'], ['/alice/socket.io/'], ['/syncs']])(
    'is refused at %s',
    async (target) => {
      const { status, body, headers } = await raw([`GET ${target} HTTP/1.1`, ...TO_WEBSOCKET])
      expect(status).toBe(400)
      expect(headers['connection']).toBe('close')
      expect(body).toMatchObject({ error: { id: 'invalid-request-structure' }, meta: { serial: expect.stringMatching(/^[0-9a-f]{16}$/) as string } })
    },
  )

  it.each([
    ['two hosts', ['Host: y']],
    ['no key', []],
  ])('is refused with %s', async (_, more) => {
    const lines = more.length > 0 ? [...TO_WEBSOCKET, ...more] : TO_WEBSOCKET.slice(0, -1)
    const { status } = await raw(['GET /socket.io/?EIO=4&transport=websocket HTTP/1.1', ...lines])
    expect(status).toBe(400)
  })

  it('is refused without a host, and with an absolute target', async () => {
    const target = '/socket.io/?EIO=4&transport=websocket'
    expect((await raw([`GET ${target} HTTP/1.1`, ...TO_WEBSOCKET.slice(1)])).status).toBe(400)
    expect((await raw([`GET http://x${target} HTTP/1.1`, ...TO_WEBSOCKET])).status).toBe(400)
  })

  it('is refused without the upgrade', async () => {
    expect((await rawTarget(node.port, '/socket.io/?EIO=4&transport=websocket', ['Host: x'])).status).toBe(400)
  })
})
