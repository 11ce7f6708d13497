/** Minimum rate of request bodies: long uploads are accepted, connections with hardly any data are closed. */
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { enforceMinBodyRate } from '../../../src/server/http/minBodyRate.js'
import { startTestNode } from '../../support/nodes/node.js'

let server: Server | undefined
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server?.close()
  server = undefined
})

const SIZE = 120_000
const EVERY_MS = 20

/** Sends a body in pieces of `piece` bytes; returns the answer and the codes of client errors. */
async function sent(piece: number, first = ''): Promise<{ answer: string; refused: string[] }> {
  const refused: string[] = []
  const listening = createServer((request, response) => {
    let bytes = 0
    request.on('data', (chunk: Buffer) => (bytes += chunk.length))
    request.on('end', () => response.end(`took ${bytes}`))
    request.on('error', () => undefined)
  })
  server = listening
  listening.on('clientError', (error: Error & { code?: string }, socket) => {
    refused.push(String(error.code))
    socket.destroy()
  })
  enforceMinBodyRate(listening, { graceMs: 200, minBytesPerSecond: 20_000, everyMs: 20 })
  await new Promise<void>((ready) => listening.listen(0, '127.0.0.1', ready))
  const socket = connect((listening.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  socket.on('error', () => undefined)
  socket.write(`${first}POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${SIZE}\r\n\r\n`)
  let remaining = SIZE
  const dripping = setInterval(() => {
    const bytes = Math.min(piece, remaining)
    remaining -= bytes
    if (bytes > 0) socket.write('x'.repeat(bytes))
  }, EVERY_MS)
  await new Promise<void>((over) => {
    socket.on('close', () => over())
    socket.on('data', () => void (answer.includes(`took ${SIZE}`) && over()))
  })
  clearInterval(dripping)
  return { answer, refused }
}

it('a body above the minimum rate may take longer than the grace period', async () => {
  // 20 times the minimum rate, for 300 ms.
  expect(await sent(8000)).toEqual({ answer: expect.stringContaining(`took ${SIZE}`) as string, refused: [] })
})

it('a body below the minimum rate times out', async () => {
  expect(await sent(2)).toEqual({ answer: '', refused: ['ERR_HTTP_REQUEST_TIMEOUT'] })
})

it('the rate excludes earlier requests of the connection', async () => {
  const before = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`
  const { answer, refused } = await sent(2, before)
  expect(answer).toContain('took 100000')
  expect(refused).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
})

it('a node enforces the rate and answers with the reason', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const node = await startTestNode()
  try {
    const socket = connect(node.port, '127.0.0.1')
    sockets.push(socket)
    let answer = ''
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
    await new Promise<void>((begun) => {
      socket.write('POST /users HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{', () => setTimeout(begun, 200))
    })
    vi.advanceTimersByTime(290_000)
    expect(answer).toBe('')
    vi.advanceTimersByTime(20_000)
    await closed
    expect(answer).toContain('The request arrived too slowly.')
  } finally {
    vi.useRealTimers()
    await node.stop()
  }
})
