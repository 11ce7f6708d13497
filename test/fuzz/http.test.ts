/** Malformed HTTP over raw sockets: every request leads to a valid response or a closed connection. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { registerUser, request, startTestNode, type TestNode } from '../support/nodes/node.js'
import { expectFitting, expectServing } from './expect.js'
import { converse, leave } from './raw.js'
import { rawRequests } from './requests.js'

const { home } = homes()
let places: HomePlaces
let node: TestNode
let token: string

beforeAll(async () => {
  places = await home()
  node = await startTestNode({}, { home: places.home })
  token = await registerUser(node, 'alice')
  await request(`${node.url}alice/streams`, { token, body: { id: 'a', name: 'A' } })
})

afterAll(async () => {
  await node.stop()
  await expectSound(places)
})

describe('a malformed request', () => {
  it.each(rawRequests.map((row) => [row.name, row] as const))('%s', async (_, { send, gives, sending }) => {
    const { answers, rest, closed } = await converse(node.port, send, sending)
    const got = answers.map(({ status }) => status)
    for (const { status, headers, body } of answers) {
      expectFitting(send, status, body, headers.get('api-version'))
    }
    expect(got, rest).toHaveLength(gives.length)
    for (const [i, status] of gives.entries()) expect([status].flat(), JSON.stringify(got)).toContain(got[i])
    expect(rest).toBe('')
    expect(closed).toBe(true)
    await expectServing(node, send)
  })
})

describe('a change followed by garbage on the same connection', () => {
  it('succeeds, because it was performed', async () => {
    const body = '{"streamIds":["a"],"type":"note/txt","content":"x"}'
    const head = ['POST /alice/events HTTP/1.1', 'Host: a', 'Content-Type: application/json', `Authorization: ${token}`]
    const change = `${[...head, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`
    const header = 'POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n'
    for (const garbage of ['\x16\x03\x01', 'BREW / HTTP/1.1\r\n\r\n', '{}', header]) {
      const { answers, closed } = await converse(node.port, [change + change + garbage])
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 400])
      expect(closed).toBe(true)
    }
    const { body: found } = await request(`${node.url}alice/events?limit=100&streams=a`, { token })
    expect(found['events']).toHaveLength(8)
  })
})

describe('a client that disconnects during its body', () => {
  it('causes no unexpected error', async () => {
    const lines = ['POST /alice/events HTTP/1.1', 'Host: a', `Authorization: ${token}`, 'Content-Type: application/json', '']
    const head = lines.join('\r\n')
    for (const rest of ['Content-Length: 1000\r\n\r\n{"a":', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n']) {
      await leave(node.port, head + rest)
      await expectServing(node, rest)
    }
  })
})

describe('a client that stays connected after a refusal', () => {
  it.each(['BREW / HTTP/1.1\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'])('is disconnected: %j', { timeout: 20_000 }, async (garbage) => {
    const socket = connect({ port: node.port, host: '127.0.0.1', allowHalfOpen: true })
    const gone = new Promise((resolve) => socket.on('close', resolve))
    socket.on('error', () => {})
    socket.write(garbage)
    socket.resume()
    // The client neither reads to the end nor closes: only a closed connection refuses its writes.
    const dripping = setInterval(() => socket.write('x'), 50)
    onTestFinished(() => {
      clearInterval(dripping)
      socket.destroy()
    })
    await gone
  })
})
