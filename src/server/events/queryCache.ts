/**
 * Answers to recent small queries. A client that asks again before anything changed (a poll, a page reloaded) gets the
 * same texts without a scan or a walk. An entry is valid for one version of what it was read from: an account's events,
 * whose number the journal moves, or its tree of streams.
 */
import type { Account } from '../../store/engine/account.js'

/** Equal to itself alone: what is read at one version is not what is read at another. */
export type Version = number | object

export interface QueryCache {
  /** What was answered to a query, if it was read at this version. */
  get(account: Account, query: string, version: Version): Remembered | undefined
  /** Keeps what was answered to a query as read at `version`. */
  put(account: Account, query: string, version: Version, answer: Remembered): void
}

/** A list that was answered. */
export interface RememberedList {
  /** Its records, joined by commas. */
  joined: string
  count: number
}

export interface Remembered {
  /** Of events, the events, then the deletions when they were asked for. */
  lists: readonly RememberedList[]
  /** What the record of a call tells of the query. */
  scope: string
}

interface Entry {
  version: Version
  answer: Remembered
  /** Characters that the entry takes, roughly. */
  size: number
}

/** Event answers of more characters are read anew: keeping them would push out many small ones. */
export const MAX_REMEMBERED_SIZE = 64 * 1024
/** What an entry takes beside its texts. */
const OVERHEAD = 200

export function createQueryCache(capacity = 16 * 1024 * 1024): QueryCache {
  const largest = capacity / 16
  // A Map keeps insertion order, so its first entry is the one least recently used.
  const entries = new Map<string, Entry>()
  let size = 0

  function remove(key: string, entry: Entry): void {
    entries.delete(key)
    size -= entry.size
  }

  return {
    get(account, query, version) {
      const key = `${account.prefix}/${query}`
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry.version !== version) {
        remove(key, entry)
        return undefined
      }
      entries.delete(key)
      entries.set(key, entry)
      return entry.answer
    },
    put(account, query, version, answer) {
      const key = `${account.prefix}/${query}`
      const around = OVERHEAD + key.length + answer.scope.length
      const entry = { version, answer, size: answer.lists.reduce((sum, { joined }) => sum + joined.length, around) }
      if (entry.size > largest) return
      const former = entries.get(key)
      if (former !== undefined) remove(key, former)
      entries.set(key, entry)
      size += entry.size
      for (const [oldest, { size: freed }] of entries) {
        if (size <= capacity) break
        entries.delete(oldest)
        size -= freed
      }
    },
  }
}
