/**
 * Cache of the answers to recent small queries. A client that repeats a query without changes in between (polling, page reload)
 * gets the same texts without a scan. An entry is valid for one version of its source: of the account's events, numbered by the
 * journal, or of its stream tree.
 */
import type { Account } from '../../../store/engine/account.js'

/** Version of the source of an entry, compared by identity. */
type Version = number | object

interface QueryCache {
  /** Returns the cached answer to a query, if it was read at this version. */
  get(account: Account, query: string, version: Version): CachedAnswer | undefined
  /** Caches the answer to a query as read at `version`. */
  put(account: Account, query: string, version: Version, answer: CachedAnswer): void
}

/** A list of an answer. */
export interface RememberedList {
  /** Its records, joined by commas. */
  joined: string
  count: number
}

interface CachedAnswer {
  /** For events: the events, then the deletions if requested. */
  lists: readonly RememberedList[]
  /** The scope of the query for the audit record of a call. */
  scope: string
}

interface Entry {
  version: Version
  answer: CachedAnswer
  /** Approximate size of the entry, in characters. */
  size: number
}

/** Larger answers, in characters, are not cached: they would evict many small ones. */
export const MAX_REMEMBERED_SIZE = 64 * 1024
/** Size of an entry without its texts. */
const OVERHEAD = 200

export function createQueryCache(capacity = 16 * 1024 * 1024): QueryCache {
  const largest = capacity / 16
  // A Map keeps insertion order, so its first entry is the least recently used.
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

/** Needed by functions that answer repeated queries. */
export interface QueryCacheDeps {
  readonly queryCache: QueryCache
}
