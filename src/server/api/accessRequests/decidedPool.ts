/**
 * Pool of decided access requests retained until they expire (`access.terminalRetentionMs` 0). They are counted separately, so that
 * they do not take slots of pending requests; the same limits apply to them, in total and per client.
 */
import { createDisplaceable } from './displaceable.js'

interface DecidedPool {
  readonly size: number
  /** Adds the key of a decided request and returns the evicted keys. `client` is the counting key, undefined for uncounted clients. */
  add(key: string, client: string | undefined): string[]
  delete(key: string): void
}

/** Shared name of all uncounted clients. */
const UNCOUNTED = ''

/** Creates a pool with limits in total and per client; 0 means unlimited. */
export function createDecidedPool(max: number, maxOfClient: number): DecidedPool {
  const clients = new Map<string, string>()
  const byClient = new Map<string, Set<string>>()
  const order = createDisplaceable()

  function remove(key: string): void {
    const client = clients.get(key)
    if (client === undefined) return
    clients.delete(key)
    order.delete(key, client)
    const others = byClient.get(client)
    others?.delete(key)
    if (others?.size === 0) byClient.delete(client)
  }

  return {
    get size() {
      return clients.size
    },
    add(key, client = UNCOUNTED) {
      const displaced: string[] = []
      const giveWay = (other: string | undefined): void => {
        if (other === undefined) return
        remove(other)
        displaced.push(other)
      }
      const own = byClient.get(client)
      if (client !== UNCOUNTED && maxOfClient > 0 && own !== undefined && own.size >= maxOfClient) giveWay(own.values().next().value)
      if (max > 0 && clients.size >= max) giveWay(order.nextFor(client))
      clients.set(key, client)
      order.add(key, client)
      byClient.set(client, (byClient.get(client) ?? new Set()).add(key))
      return displaced
    },
    delete: remove,
  }
}
