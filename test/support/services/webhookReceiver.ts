/** A receiver of webhook calls on loopback, which notes what it is sent and answers as it is told. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/**
 * What a receiver does with a call: a status; no answer at all; a redirect to itself; an answer whose head, or whose body,
 * comes byte by byte without end; a connection that is closed.
 */
export type Answering = number | 'hang' | 'redirect' | 'drip head' | 'drip body' | 'close'

export interface Received {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  messages: string[]
  meta: Record<string, unknown>
  /** Whether the caller has given the connection up, or it has ended otherwise. */
  isOver: boolean
}

export interface Receiver {
  /** Such as `http://127.0.0.1:4321/`. */
  url: string
  port: number
  /** Calls so far. */
  readonly received: Received[]
  /** The messages of each call so far. */
  readonly messages: string[][]
  /** What it does from now on. */
  answer: Answering
  /** Resolves with the calls once there are so many; rejects when they do not come. */
  calls(count: number): Promise<Received[]>
  /** Goes away, and takes no connections until `start`. */
  stop(): Promise<void>
  /** Comes back on the same port. */
  start(): Promise<void>
}

const PATIENCE_MS = 10_000

export async function startReceiver(answer: Answering = 200): Promise<Receiver> {
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')))
    request.on('end', () => {
      const { messages, meta } = JSON.parse(body) as Pick<Received, 'messages' | 'meta'>
      const { method = '', url = '', headers, socket } = request
      const call: Received = { method, url, headers, messages, meta, isOver: false }
      socket.on('close', () => {
        call.isOver = true
        for (const look of waiting) look()
      })
      receiver.received.push(call)
      react(receiver.answer, response, socket)
      for (const look of waiting) look()
    })
  })
  const listen = (port: number): Promise<void> => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/`,
    port,
    received: [],
    get messages() {
      return receiver.received.map(({ messages }) => messages)
    },
    answer,
    async calls(count) {
      await until(() => receiver.received.length >= count, waiting, () => `${count} calls; there are ${JSON.stringify(receiver.messages)}`)
      return receiver.received
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
    start: () => listen(port),
  }
  return receiver
}

function react(answer: Answering, response: ServerResponse, socket: Socket): void {
  if (typeof answer === 'number') return void response.writeHead(answer).end(answer === 204 ? undefined : '{}')
  if (answer === 'redirect') return void response.writeHead(307, { Location: '/elsewhere' }).end()
  if (answer === 'close') return void socket.destroy()
  if (answer === 'hang') return
  if (answer === 'drip body') response.writeHead(200, { 'Content-Type': 'text/plain' })
  else socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
  const drop = setInterval(() => void (answer === 'drip body' ? response.write('x') : socket.write('x')), 5)
  socket.on('error', () => {})
  socket.on('close', () => clearInterval(drop))
}

function until(isSo: () => boolean, waiting: Set<() => void>, what: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!isSo()) return
      clearTimeout(timer)
      waiting.delete(look)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.delete(look)
      reject(new Error(`waited in vain for ${what()}`))
    }, PATIENCE_MS)
    waiting.add(look)
    look()
  })
}
