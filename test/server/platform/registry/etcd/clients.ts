/** Clients of test clusters, and collected changes. */
import { EtcdError, type EtcdClient, type WatchEvent, type WatchListener } from '../../../../../src/server/platform/registry/etcd/api.js'
import { createEtcdClient, type EtcdClientOptions } from '../../../../../src/server/platform/registry/etcd/client.js'
import type { Log } from '../../../../../src/server/base/log.js'
import type { TestEtcd } from '../../../../support/services/etcd.js'

export interface LoggedLine {
  message: string
  fields: Record<string, unknown>
}

/** Returns a log that collects its lines. */
export function collectingLog(): { log: Log; lines: LoggedLine[] } {
  const lines: LoggedLine[] = []
  const add = (message: string, fields: Record<string, unknown> = {}): void => void lines.push({ message, fields })
  return { log: { debug: add, info: add, warn: add, error: add }, lines }
}

/** Returns functions that create clients of a cluster, and close all of them. */
export function clients(): { connect(etcd: Pick<TestEtcd, 'endpoints' | 'tls'>, options?: Partial<EtcdClientOptions>): EtcdClient; closeAll(): void } {
  const open = new Set<EtcdClient>()
  return {
    connect({ endpoints, tls }, options = {}) {
      const client = createEtcdClient({ endpoints, ...(tls === undefined ? {} : { tls }), log: collectingLog().log, ...options })
      open.add(client)
      return client
    },
    closeAll() {
      for (const client of open) client.close()
      open.clear()
    },
  }
}

export interface CollectedChanges {
  events: WatchEvent[]
  /** Number of calls of `lost`. */
  readonly losses: number
  listener: WatchListener
  /** Resolves when a condition on the events holds. */
  until(condition: (events: readonly WatchEvent[]) => boolean): Promise<void>
}

/** Creates a listener that collects changes. `recover` is what `lost` does. */
export function collectChanges(recover: () => Promise<number> = () => Promise.reject(new Error('not expected'))): CollectedChanges {
  const events: WatchEvent[] = []
  const waiting = new Set<() => void>()
  let losses = 0
  const check = (): void => {
    for (const each of [...waiting]) each()
  }
  return {
    events,
    get losses() {
      return losses
    },
    listener: {
      changed(more) {
        events.push(...more)
        check()
      },
      async lost() {
        losses += 1
        const revision = await recover()
        check()
        return revision
      },
    },
    until: (condition) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!condition(events)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}

/** Returns the members of the error that a call rejects with. */
export async function failureOf(call: Promise<unknown>): Promise<Pick<EtcdError, 'message' | 'applied' | 'isUnavailable'>> {
  const error = await call.then(
    () => new Error('the call succeeded'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof EtcdError)) throw error
  return { message: error.message, applied: error.applied, isUnavailable: error.isUnavailable }
}
