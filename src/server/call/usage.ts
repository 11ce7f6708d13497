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

/** The usage of an access that was called since counts were stored last, or shortly before. */
interface Counted {
  account: Account
  accessId: string
  /** Calls that are not stored yet. */
  added: Usage
  /** Usage before them, once it was needed: that of a busy access is not read from the store for each call. */
  before?: Usage
}

export function createUsageTracker(store: Store, isActive: boolean): UsageTracker {
  const counted = new Map<string, Counted>()

  const stored = (account: Account, accessId: string): Usage => readUsage(store.db, account.prefix, accessId)

  function flush(): void {
    if (store.state !== 'writable') return
    for (const [key, entry] of counted) {
      const { account, accessId, added } = entry
      if (added.lastUsed === undefined) {
        counted.delete(key)
        continue
      }
      const total = sumOf((entry.before ??= stored(account, accessId)), added)
      counted.set(key, { account, accessId, added: { calls: {} }, before: total })
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
      let entry = counted.get(key)
      if (entry === undefined) {
        entry = { account, accessId, added: { calls: {} } }
        counted.set(key, entry)
      }
      entry.added.lastUsed = now
      entry.added.calls[method] = (entry.added.calls[method] ?? 0) + 1
    },
    read(account, accessId) {
      const entry = counted.get(`${account.prefix}/${accessId}`)
      return entry === undefined ? stored(account, accessId) : sumOf((entry.before ??= stored(account, accessId)), entry.added)
    },
    flush,
    stop() {
      clearInterval(timer)
      flush()
    },
  }
}

function sumOf(before: Usage, added: Usage): Usage {
  const calls = { ...before.calls }
  for (const method in added.calls) calls[method] = (calls[method] ?? 0) + (added.calls[method] ?? 0)
  const lastUsed = added.lastUsed ?? before.lastUsed
  return { calls, ...(lastUsed === undefined ? {} : { lastUsed }) }
}
