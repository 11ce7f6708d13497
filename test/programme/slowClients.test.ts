/**
 * Clients that send headers or bodies byte by byte, or do not read answers: a normal client is served, and slow ones are
 * disconnected. Part of the long run: LONG=1.
 */
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import build from '../acceptance/support/build.js'
import { afterTheFile, coffer, folder, start, type Running } from '../acceptance/support/coffer.js'
import { request } from '../support/nodes/node.js'
import { LONG } from './support/needs.js'

const CLIENTS = 500
/** Number of clients that do not read; each requests megabytes, which the node reads from its store. */
const READERS = 100
/** Header timeout of the node, with a margin for its check interval. */
const HEADERS_END_MS = 60_000
const later = afterTheFile()
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe.runIf(LONG)('slow clients', () => {
  let node: Running
  let token = ''
  const open: Socket[] = []

  beforeAll(async () => {
    build()
    const home = `${folder(later)}/home`
    const account = ['--user', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin']
    expect((await coffer(['init', '--home', home, ...account], { stdin: 'correct horse battery' })).code).toBe(0)
    node = await start(home, {}, later)
    const body = { username: 'ana-lovelace', password: 'correct horse battery', appId: 'coffer-test' }
    token = String((await request(`${node.url}ana-lovelace/auth/login`, { body, headers: { origin: node.url } })).body['token'])
    await request(`${node.url}ana-lovelace/streams`, { token, body: { id: 's', name: 's' } })
    const events = Array.from({ length: 200 }, () => ({ method: 'events.create', params: { streamIds: ['s'], type: 'test/text', content: 'x'.repeat(20_000) } }))
    await request(`${node.url}ana-lovelace`, { token, body: events })
  }, 120_000)
  afterAll(async () => {
    for (const socket of open) socket.destroy()
    expect((await node.stop()).code).toBe(0)
  })

  interface Slow {
    socket: Socket
    isClosed: boolean
  }

  function slow(first: string): Slow {
    const { hostname, port } = new URL(node.url)
    const socket = connect(Number(port), hostname)
    const one = { socket, isClosed: false }
    socket.on('error', () => {})
    // Without reading, a closed connection is detected by writing.
    socket.on('close', () => (one.isClosed = true))
    socket.write(first)
    open.push(socket)
    return one
  }

  /** Calls the node repeatedly; returns the times in milliseconds, ascending. */
  async function latencies(seconds: number): Promise<number[]> {
    const times: number[] = []
    for (const until = Date.now() + seconds * 1000; Date.now() < until; ) {
      const began = performance.now()
      const { status } = await request(`${node.url}ana-lovelace/events?limit=1`, { token })
      expect(status).toBe(200)
      times.push(performance.now() - began)
      await pause(5)
    }
    return times.sort((a, b) => a - b)
  }
  const percentile = (times: readonly number[], share: number): number => times[Math.floor((times.length - 1) * share)] ?? NaN

  it.each<[kind: string, first: () => string, areClosed: boolean]>([
    ['headers', () => 'GET /ana-lovelace/events HTTP/1.1\r\nHost: a\r\nX: ', true],
    ['bodies', () => `POST /ana-lovelace/events HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`, false],
    ['reading', () => `GET /ana-lovelace/events?limit=1000 HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\n\r\n`, false],
  ])('with slow %s do not delay others', { timeout: 300_000 }, async (kind, first, areClosed) => {
    const clients = Array.from({ length: kind === 'reading' ? READERS : CLIENTS }, () => {
      const one = slow(first())
      if (kind === 'reading') one.socket.pause()
      return one
    })
    const dripping = setInterval(() => {
      if (kind !== 'reading') for (const { socket, isClosed } of clients) if (!isClosed) socket.write('x')
    }, 500)
    try {
      if (kind === 'reading') await pause(5000)
      const times = await latencies(8)
      // Far below the normal rate of a node, and far above that of a blocked one.
      console.log(JSON.stringify({ kind, calls: times.length, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }))
      expect(times.length).toBeGreaterThan(50)
      if (areClosed) {
        for (const until: number = Date.now() + HEADERS_END_MS; clients.some(({ isClosed }) => !isClosed); await pause(200)) {
          expect(Date.now(), 'some are still open').toBeLessThan(until)
        }
      }
    } finally {
      clearInterval(dripping)
      for (const { socket } of clients) socket.destroy()
    }
    // The node still answers.
    expect((await request(`${node.url}ana-lovelace/events?limit=1`, { token })).status).toBe(200)
  })
})
