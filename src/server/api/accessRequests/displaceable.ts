/** Eviction order of access requests when the node is at its limit. */

interface Displaceable {
  add(key: string, client: string): void
  delete(key: string, client: string): void
  /**
   * Returns the key to evict for a new request of `client`: the oldest one of the client with the most requests, the new
   * one included. A client that fills the node thus evicts its own requests first. Undefined when there is none.
   */
  nextFor(client: string): string | undefined
}

export function createDisplaceable(): Displaceable {
  /** Keys of each client, oldest first. */
  const byClient = new Map<string, Set<string>>()
  /** Clients by number of keys; ties in the order in which they reached it. */
  const bySize = new Map<number, Set<string>>()
  let largest = 0

  function resize(client: string, before: number, after: number): void {
    const former = bySize.get(before)
    former?.delete(client)
    if (former?.size === 0) bySize.delete(before)
    if (after > 0) bySize.set(after, (bySize.get(after) ?? new Set()).add(client))
    largest = Math.max(largest, after)
    while (largest > 0 && !bySize.has(largest)) largest -= 1
  }

  return {
    add(key, client) {
      const keys = byClient.get(client) ?? new Set()
      if (keys.has(key)) return
      byClient.set(client, keys.add(key))
      resize(client, keys.size - 1, keys.size)
    },
    delete(key, client) {
      const keys = byClient.get(client)
      if (keys?.delete(key) !== true) return
      if (keys.size === 0) byClient.delete(client)
      resize(client, keys.size + 1, keys.size)
    },
    nextFor(client) {
      const own = byClient.get(client)
      if (own?.size === largest) return own.values().next().value
      const [other] = bySize.get(largest) ?? []
      return other === undefined ? undefined : byClient.get(other)?.values().next().value
    },
  }
}
