/**
 * Cache of the answers to recent queries. A client that repeats a query without changes in between (polling, page reload) gets the
 * same texts without a scan. An entry is valid for one version of its source: of the account's events, numbered by the journal, or
 * of its stream tree. Small answers are cached at once; large ones, and those for a time window, when the query is repeated: most
 * are asked once, and would evict many others.
 */
import type { Account } from '../../../store/engine/account.js'
import { createRecentlyUsed } from '../../../store/engine/recentlyUsed.js'

/** Version of the source of an entry, compared by identity. */
type Version = number | object

interface QueryCache {
  /** Returns the cached answer to a query, if it was read at this version. */
  get(account: Account, query: string, version: Version): CachedAnswer | undefined
  /** Caches the answer to a query as read at `version`. */
  put(account: Account, query: string, version: Version, answer: CachedAnswer): void
  /**
   * Returns how to collect the answer to a query that is not cached; undefined to cache none.
   * @param isSelective true for a query that is only worth caching when it is repeated
   */
  collectionOf(account: Account, query: string, version: Version, isSelective: boolean): Collection | undefined
  /** Removes the answers that were not used since the last call. */
  releaseUnused(): void
}

/** Collection of an answer while it is sent. */
export interface Collection {
  /** Maximum size in characters; a larger answer is not cached. */
  readonly most: number
  /** Begins to collect; the returned function ends it. Undefined when too many large answers are being collected. */
  begin(): (() => void) | undefined
  /** Notes that the answer is larger. */
  exceeded(): void
}

/** A list of an answer. */
export interface RememberedList {
  /** Its records, joined by commas. */
  joined: string
  count: number
  /** Offset in `joined` after each record, for readers of single records. */
  ends?: Uint32Array
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
}

/** Maximum size in characters of an answer that is cached when it is first asked. */
const MAX_SMALL = 64 * 1024
/** Maximum number of large answers that are collected at a time: each is in memory as long as its client reads it. */
const MAX_COLLECTED = 4
/** Maximum number of queries whose repetition is noticed, and the maximum length of one. */
const MAX_ASKED = 1000
const MAX_NOTED = 2000
/** Size of an entry without its texts. */
const OVERHEAD = 200

const nothing = (): void => {}
const SMALL: Collection = { most: MAX_SMALL, begin: () => nothing, exceeded: nothing }

/** Creates a cache of at most `capacity` characters. */
export function createQueryCache(capacity = 16 * 1024 * 1024): QueryCache {
  const largest = capacity / 16
  const entries = createRecentlyUsed<Entry>({ capacity })
  /** Queries without an entry, with the version at which they were last asked; null: the answer is too large. */
  const asked = new Map<string, Version | null>()
  let collected = 0

  function note(key: string, version: Version | null): void {
    asked.delete(key)
    asked.set(key, version)
    const [oldest] = asked.keys()
    if (asked.size > MAX_ASKED && oldest !== undefined) asked.delete(oldest)
  }

  function beginLarge(): (() => void) | undefined {
    if (collected >= MAX_COLLECTED) return undefined
    collected += 1
    return () => void (collected -= 1)
  }

  return {
    get(account, query, version) {
      const key = `${account.prefix}/${query}`
      const entry = entries.use(key)
      if (entry?.version === version) return entry.answer
      if (entry !== undefined) entries.delete(key)
      return undefined
    },
    put(account, query, version, answer) {
      const key = `${account.prefix}/${query}`
      const around = OVERHEAD + key.length + answer.scope.length
      const size = answer.lists.reduce((sum, { joined, ends }) => sum + joined.length + (ends?.byteLength ?? 0), around)
      if (size > largest) return
      asked.delete(key)
      entries.set(key, { version, answer }, size)
    },
    collectionOf(account, query, version, isSelective) {
      const key = `${account.prefix}/${query}`
      const small = isSelective ? undefined : SMALL
      if (key.length > MAX_NOTED) return small
      const before = asked.get(key)
      if (before === null) return undefined
      note(key, version)
      return before === version ? { most: largest, begin: beginLarge, exceeded: () => note(key, null) } : small
    },
    releaseUnused: entries.releaseUnused,
  }
}

/** Needed by functions that answer repeated queries. */
export interface QueryCacheDeps {
  readonly queryCache: QueryCache
}
