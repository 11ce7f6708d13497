/** Clients of a node's websockets. */
import { io, type Socket } from 'socket.io-client'
import type { TestNode } from '../nodes/node.js'

type Json = Record<string, unknown>

/** What a refused connection was told. */
export interface ConnectError extends Error {
  data?: { id: string; message: string; data?: unknown }
}

export interface TestSocket {
  readonly io: Socket
  /** Calls a method; resolves with what the callback was given. */
  call(id: string, ...content: unknown[]): Promise<{ error: Json | null; result: Json | undefined }>
  /** Messages received, by name, in their order. */
  readonly received: { name: string; content: unknown[] }[]
  /** How often a message was received. */
  count(name: string): number
  close(): void
}

export interface SocketOptions {
  token?: string
  /** The namespace, when it is not the user name. */
  namespace?: string
  polling?: true
  query?: Record<string, string>
  auth?: Json
  headers?: Record<string, string>
  reconnects?: true
  /** Whose certificates are trusted, of a node that serves HTTPS. */
  ca?: string
}

/** A socket that may not be connected. */
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

/** Connects; rejects with what the node refused the connection with. */
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

/** The refusal of a connection. */
export async function refusalOf(connecting: Promise<TestSocket>): Promise<ConnectError> {
  try {
    const { close } = await connecting
    close()
  } catch (error) {
    return error as ConnectError
  }
  throw new Error('the connection was not refused')
}
