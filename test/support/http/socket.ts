/** Websocket clients of a node. */
import { io, type Socket } from 'socket.io-client'
import type { TestNode } from '../nodes/node.js'

type Json = Record<string, unknown>

/** Failure of a refused connection. */
export interface ConnectError extends Error {
  data?: { id: string; message: string; data?: unknown }
}

export interface TestSocket {
  readonly io: Socket
  /** Calls a method; resolves with the arguments of the callback. */
  call(id: string, ...content: unknown[]): Promise<{ error: Json | null; result: Json | undefined }>
  /** Received messages, by name, in order. */
  readonly received: { name: string; content: unknown[] }[]
  /** Returns the number of received messages of a name. */
  count(name: string): number
  close(): void
}

export interface SocketOptions {
  token?: string
  /** Namespace, if not the user name. */
  namespace?: string
  polling?: true
  query?: Record<string, string>
  auth?: Json
  headers?: Record<string, string>
  reconnects?: true
  /** Trusted certificate of a node that serves HTTPS. */
  ca?: string
}

/** Returns a socket that may not be connected. */
export function openSocket(node: Pick<TestNode, 'url'>, username: string, options: SocketOptions = {}): Socket {
  const { token, namespace = `/${username}`, polling, query, auth, headers, reconnects, ca } = options
  return io(node.url.slice(0, -1) + namespace, {
    forceNew: true,
    reconnection: reconnects === true,
    transports: [polling === true ? 'polling' : 'websocket'],
    ...(polling === true ? { upgrade: false } : {}),
    query: { ...(token === undefined ? {} : { auth: token }), ...query },
    ...(ca === undefined ? {} : { ca }),
    ...(auth === undefined ? {} : { auth }),
    ...(headers === undefined ? {} : { extraHeaders: headers }),
  })
}

/** Connects; rejects with the failure of a refused connection. */
export function connectSocket(node: Pick<TestNode, 'url'>, username: string, options: SocketOptions = {}): Promise<TestSocket> {
  const socket = openSocket(node, username, options)
  const received: TestSocket['received'] = []
  socket.onAny((name: string, ...content: unknown[]) => void received.push({ name, content }))
  return new Promise((resolve, reject) => {
    socket.once('connect_error', (error) => {
      socket.close()
      reject(error)
    })
    socket.once('connect', () => {
      resolve({
        io: socket,
        received,
        call: (id, ...content) =>
          new Promise((answered) => {
            socket.emit(id, ...content, (error: Json | null, result?: Json) => answered({ error, result }))
          }),
        count: (name) => received.filter((message) => message.name === name).length,
        close: () => void socket.close(),
      })
    })
  })
}

/** Returns the failure of a refused connection. */
export async function refusalOf(connecting: Promise<TestSocket>): Promise<ConnectError> {
  try {
    const { close } = await connecting
    close()
  } catch (error) {
    return error as ConnectError
  }
  throw new Error('the connection was not refused')
}
