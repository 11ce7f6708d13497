/** Asking the process that holds many websocket clients (listeners.ts). */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Owner } from './account.js'
import { defer } from './cleanup.js'
import type { Post } from './post.js'
import type { Server } from './processes.js'

/** What the process is asked. */
export type Asked =
  | { do: 'connect'; addresses: readonly string[] }
  | { do: 'broadcast'; change: Post }
  | { do: 'disconnect' }

/** What it answers. */
export type Told = { value: number } | { error: string }

export interface Listeners {
  /** Connects more sockets, one to each address. */
  connect(addresses: readonly string[]): Promise<void>
  /** Sends one request; answers the milliseconds until all sockets had `eventsChanged`. */
  broadcast(change: Post): Promise<number>
  disconnect(): Promise<void>
  stop(): Promise<void>
}

/** Where the sockets of an account connect. */
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
  const ask = async (asked: Asked): Promise<number> => {
    child.send(asked)
    const waiting = new AbortController()
    const { signal } = waiting
    const first = Promise.race([once(child, 'message', { signal }), once(child, 'exit', { signal })])
    const [told] = (await first.finally(() => waiting.abort())) as [Told | number | null]
    if (told === null || typeof told === 'number') throw new Error('the process of the listeners has ended')
    if ('error' in told) throw new Error(told.error)
    return told.value
  }
  return {
    connect: async (addresses) => void (await ask({ do: 'connect', addresses })),
    broadcast: (change) => ask({ do: 'broadcast', change }),
    disconnect: async () => void (await ask({ do: 'disconnect' })),
    stop,
  }
}
