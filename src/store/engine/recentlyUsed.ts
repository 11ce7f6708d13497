/**
 * Bounded memory for what can be read or computed again. The least recently used values leave it first, and `releaseUnused`, called
 * at an interval, removes those without a use since the call before: an idle process gives their memory back.
 */
export interface RecentlyUsed<Value> {
  /** Returns a value and marks it as used. */
  use(key: string): Value | undefined
  /** Returns a value. */
  peek(key: string): Value | undefined
  /** Adds a value as used, or replaces one, and makes room for it. */
  set(key: string, value: Value, size: number): void
  /** Notes the size of a value and makes room for it. Returns false if the others could not leave enough. */
  resize(key: string, size: number): boolean
  delete(key: string): void
  /** Removes the values that were not used since the last call. */
  releaseUnused(): void
  clear(): void
}

interface MemoryOptions<Value> {
  /** Maximum sum of the sizes, in a unit of the caller. */
  capacity: number
  maxValues?: number
  /** Returns true for a value that must stay, because it is being read. */
  isBusy?(value: Value): boolean
  /** Called with each value that was removed. */
  removed?(value: Value): void
}

interface Entry<Value> {
  value: Value
  size: number
  /** Number of calls of `releaseUnused` before the last use. */
  period: number
}

export function createRecentlyUsed<Value>({ capacity, maxValues = Infinity, isBusy = () => false, removed }: MemoryOptions<Value>): RecentlyUsed<Value> {
  // A Map keeps insertion order, so its first entry is the least recently used.
  const entries = new Map<string, Entry<Value>>()
  let total = 0
  let period = 0

  function remove(key: string, entry: Entry<Value>): void {
    entries.delete(key)
    total -= entry.size
    removed?.(entry.value)
  }

  function makeRoom(latest: Entry<Value>): boolean {
    for (const [key, entry] of entries) {
      const areTooMany = entries.size > maxValues
      if (total <= capacity && !areTooMany) return true
      const isUseful = areTooMany || entry.size > 0
      if (isUseful && entry !== latest && !isBusy(entry.value)) remove(key, entry)
    }
    return total <= capacity
  }

  return {
    use(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      entry.period = period
      return entry.value
    },
    peek: (key) => entries.get(key)?.value,
    set(key, value, size) {
      const former = entries.get(key)
      if (former !== undefined) remove(key, former)
      const entry = { value, size, period }
      entries.set(key, entry)
      total += size
      makeRoom(entry)
    },
    resize(key, size) {
      const entry = entries.get(key)
      if (entry === undefined) return false
      total += size - entry.size
      entry.size = size
      return makeRoom(entry)
    },
    delete(key) {
      const entry = entries.get(key)
      if (entry !== undefined) remove(key, entry)
    },
    releaseUnused() {
      for (const [key, entry] of entries) {
        // The entries that follow were used later.
        if (entry.period === period) break
        if (!isBusy(entry.value)) remove(key, entry)
      }
      period += 1
    },
    clear() {
      for (const [key, entry] of entries) remove(key, entry)
    },
  }
}
