/** Controls the process with many WebSocket clients (listeners.ts). */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Owner } from './account.js'
import { defer } from './cleanup.js'
import type { Post } from './post.js'
import type { Server } from './processes.js'

/** Command to the process. */
export type ListenerCommand =
  | { do: 'connect'; addresses: readonly string[] }
  | { do: 'broadcast'; change: Post }
  | { do: 'disconnect' }

/** Reply of the process. */
export type ListenerReply = { value: number } | { error: string }

export interface Listeners {
  /** Connects more sockets, one to each address. */
  connect(addresses: readonly string[]): Promise<void>
  /** Sends one request; returns the milliseconds until all sockets received `eventsChanged`. */
  broadcast(change: Post): Promise<number>
  disconnect(): Promise<void>
  stop(): Promise<void>
}

/** Returns the address for sockets of an account. */
export const addressOf = (node: Pick<Server, 'url'>, { username, token }: Owner): string =>
  `${node.url}${username}?auth=${token}`

/** Starts the process. */
export function startListeners(): Listeners {
  const child = fork(fileURLToPath(new URL('listeners.ts', import.meta.url)), [], {
    execArgv: ['--import', import.meta.resolve('tsx')],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  defer(stop)
  const send = async (command: ListenerCommand): Promise<number> => {
    child.send(command)
    const waiting = new AbortController()
    const { signal } = waiting
    const first = Promise.race([once(child, 'message', { signal }), once(child, 'exit', { signal })])
    const [reply] = (await first.finally(() => waiting.abort())) as [ListenerReply | number | null]
    if (reply === null || typeof reply === 'number') throw new Error('the process of the listeners has ended')
    if ('error' in reply) throw new Error(reply.error)
    return reply.value
  }
  return {
    connect: async (addresses) => void (await send({ do: 'connect', addresses })),
    broadcast: (change) => send({ do: 'broadcast', change }),
    disconnect: async () => void (await send({ do: 'disconnect' })),
    stop,
  }
}
