/** Deterministic order of an item's changes, the same on every copy. */

/** A change with the properties that decide its order. */
export interface OrderedChange {
  /** Hash of the change. */
  hash: string
  /** Hashes of its dependencies. */
  deps: readonly string[]
  /** Creation time in seconds, by the author's clock. */
  modified: number
  /** Lamport counter of its first operation. */
  startOp: number
}

/** Compares concurrent changes: by time, then Lamport counter, then hash. */
function compareChanges(a: OrderedChange, b: OrderedChange): number {
  return a.modified - b.modified || a.startOp - b.startOp || (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0)
}

/**
 * Sorts the changes of an item into an order that depends on their set alone, so that all copies with the same changes
 * agree. Each change comes after its dependencies; of several candidates, the first by `compareChanges` is next. Times
 * ascend unless the clock of a node was behind. Changes with missing dependencies are left out.
 */
export function linearise<T extends OrderedChange>(changes: readonly T[]): T[] {
  const followers = new Map<string, T[]>()
  const waiting = new Map<string, number>()
  /** Candidates in reverse order of `compareChanges`. */
  const ready: T[] = []
  const isReady = (change: T): void => {
    let from = 0
    let to = ready.length
    while (from < to) {
      const middle = (from + to) >> 1
      if (compareChanges(ready[middle] as T, change) > 0) from = middle + 1
      else to = middle
    }
    ready.splice(from, 0, change)
  }
  for (const change of changes) {
    const deps = new Set(change.deps)
    waiting.set(change.hash, deps.size)
    for (const dep of deps) {
      const list = followers.get(dep)
      if (list === undefined) followers.set(dep, [change])
      else list.push(change)
    }
    if (deps.size === 0) isReady(change)
  }
  const ordered: T[] = []
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    ordered.push(next)
    for (const follower of followers.get(next.hash) ?? []) {
      const left = (waiting.get(follower.hash) ?? 0) - 1
      waiting.set(follower.hash, left)
      if (left === 0) isReady(follower)
    }
  }
  return ordered
}
