/**
 * Counts the usage of accesses (docs/interface/accesses.md#usage-and-expiry). Counters are collected in memory and stored a few
 * seconds later, so that counting never delays an answer.
 */
import { hasAccess, putUsage, readUsage, type Usage } from '../../store/accesses/accesses.js'
import type { Account } from '../../store/engine/account.js'
import type { Store } from '../../store/index.js'

export interface UsageTracker {
  /** Counts a call of `method` at `now` (seconds) by an access. */
  count(account: Account, accessId: string, method: string, now: number): void
  /** Returns the current usage of an access. */
  read(account: Account, accessId: string): Usage
  /** Writes the collected counts to the store. */
  flush(): void
  stop(): void
}

const FLUSH_MS = 3000

export function createUsageTracker(store: Store, isActive: boolean): UsageTracker {
  const pending = new Map<string, { account: Account; accessId: string; usage: Usage }>()

  function merged(account: Account, accessId: string, added: Usage | undefined): Usage {
    const usage = readUsage(store.db, account.prefix, accessId)
    if (added === undefined) return usage
    for (const [method, n] of Object.entries(added.calls)) usage.calls[method] = (usage.calls[method] ?? 0) + n
    if (added.lastUsed !== undefined) usage.lastUsed = added.lastUsed
    return usage
  }

  function flush(): void {
    if (store.state !== 'writable') return
    for (const [key, { account, accessId, usage }] of pending) {
      pending.delete(key)
      const total = merged(account, accessId, usage)
      store.note(account, (t) => {
        if (hasAccess(t, t.account, accessId)) putUsage(t, accessId, total)
      })
    }
  }

  const timer = setInterval(flush, FLUSH_MS)
  timer.unref()
  return {
    count(account, accessId, method, now) {
      if (!isActive) return
      const key = `${account.prefix}/${accessId}`
      let entry = pending.get(key)
      if (entry === undefined) {
        entry = { account, accessId, usage: { calls: {} } }
        pending.set(key, entry)
      }
      entry.usage.lastUsed = now
      entry.usage.calls[method] = (entry.usage.calls[method] ?? 0) + 1
    },
    read: (account, accessId) => merged(account, accessId, pending.get(`${account.prefix}/${accessId}`)?.usage),
    flush,
    stop() {
      clearInterval(timer)
      flush()
    },
  }
}
