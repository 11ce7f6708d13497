/** Minimum rate of reading answers: slow downloads are accepted, clients that hardly read are disconnected. */
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createAnswerBudget } from '../../../src/server/call/answers/answerBudget.js'
import { receiveOn, type ReadingPace } from '../../../src/server/http/socketReceivers.js'
import { registerUser, request, startTestNode } from '../../support/nodes/node.js'
import { frame, silentReader, stalledSocket, wireRequest } from '../../support/http/slowReaders.js'

/** More bytes than the socket buffers of the system hold. */
const SIZE = 40_000_000
let server: Server | undefined
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server?.close()
  server = undefined
})

/** Reads `piece` bytes every `everyMs`; returns the bytes received until the server closed the connection or the answer ended. */
async function bytesRead(pace: ReadingPace, piece: number, everyMs: number): Promise<number> {
  const listening = createServer((_, response) => response.end(Buffer.alloc(SIZE)))
  server = listening
  receiveOn(listening, 'connection', createAnswerBudget(64), pace)
  let closed = 0
  listening.on('connection', (socket: Socket) => socket.on('close', () => (closed += 1)))
  await new Promise<void>((ready) => listening.listen(0, '127.0.0.1', ready))
  const socket = connect((listening.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  let bytes = 0
  socket.on('readable', () => undefined)
  while (closed === 0 && bytes < SIZE) {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    const chunk = (piece === 0 ? null : (socket.read(Math.min(piece, socket.readableLength)) as Buffer | null))
    bytes += chunk?.length ?? 0
  }
  return bytes
}

const PACE: ReadingPace = { timeoutMs: 400, graceMs: 60_000, minBytesPerSecond: 1, everyMs: 20 }

it('disconnects a client that reads nothing', async () => {
  expect(await bytesRead(PACE, 0, 20)).toBe(0)
})

it('serves a client that reads steadily for longer than the timeout', async () => {
  expect(await bytesRead(PACE, 1_000_000, 10)).toBeGreaterThanOrEqual(SIZE)
}, 30_000)

it('disconnects a client that reads below the minimum rate', async () => {
  const bytes = await bytesRead({ ...PACE, timeoutMs: 60_000, graceMs: 500, minBytesPerSecond: 50_000_000 }, 1000, 20)
  expect(bytes).toBeLessThan(SIZE)
})

it('a node applies the configured timeout over HTTP and websockets', async () => {
  const node = await startTestNode({ 'limits.answers.timeoutMs': 1000 })
  try {
    const token = await registerUser(node, 'alice')
    await request(`${node.url}alice/streams`, { token, body: { id: 's', name: 's' } })
    const create = { method: 'events.create', params: { streamIds: ['s'], type: 'test/text', content: 'x'.repeat(90_000) } }
    for (let n = 0; n < 4; n++) await request(`${node.url}alice`, { token, body: Array.from({ length: 100 }, () => create) })
    const silent = silentReader(node.port, wireRequest('GET /alice/events?limit=400', token))
    const stalled = await stalledSocket(node.port, 'alice', token)
    sockets.push(silent, stalled)
    stalled.write(frame('42/alice,1["events.get",{"limit":300}]'))
    stalled.write(frame('42/alice,2["events.get",{"limit":300}]'))
    const { answerBudget: answers } = node.node
    await expect.poll(() => answers.used(), { timeout: 20_000 }).toBeGreaterThan(0)
    // A client that does not read does not notice the disconnection, so the budget of the node is checked.
    await expect.poll(() => answers.used(), { timeout: 20_000 }).toBe(0)
    await expect.poll(() => node.node.metrics.websockets, { timeout: 20_000 }).toBe(0)
    expect((await request(`${node.url}alice/events?limit=1`, { token })).status).toBe(200)
  } finally {
    await node.stop()
  }
}, 60_000)
