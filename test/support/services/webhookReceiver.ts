/** Receiver of webhook calls on loopback, which records calls and responds as configured. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** Response to a call: a status; none; a redirect to itself; an endless head or body, byte by byte; a closed connection. */
export type Answering = number | 'hang' | 'redirect' | 'drip head' | 'drip body' | 'close'

export interface Received {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  messages: string[]
  meta: Record<string, unknown>
  /** Flag of a connection that the caller closed, or that ended otherwise. */
  isOver: boolean
}

export interface Receiver {
  /** URL such as `http://127.0.0.1:4321/`. */
  url: string
  port: number
  /** Calls so far. */
  readonly received: Received[]
  /** Messages of each call so far. */
  readonly messages: string[][]
  /** Response from now on. */
  answer: Answering
  /** Resolves with the calls once there are so many; rejects after a timeout. */
  calls(count: number): Promise<Received[]>
  /** Stops, and accepts no connections until `start`. */
  stop(): Promise<void>
  /** Starts again on the same port. */
  start(): Promise<void>
}

const TIMEOUT_MS = 10_000

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
    }, TIMEOUT_MS)
    waiting.add(look)
    look()
  })
}
