/** The one order in which every copy lists the changes of an item. */

/** A change as its place in the order depends on it. */
export interface OrderedChange {
  /** Of the change. */
  hash: string
  /** Hashes of the changes that it builds on. */
  deps: readonly string[]
  /** When it was made, in seconds, as its maker says. */
  modified: number
  /** Lamport counter of its first operation. */
  startOp: number
}

/** Orders changes that do not build on each other: by their time, then by their Lamport counters, then by their hashes. */
function compareChanges(a: OrderedChange, b: OrderedChange): number {
  return a.modified - b.modified || a.startOp - b.startOp || (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0)
}

/**
 * Puts the changes of an item into an order that follows from the set of them alone, so that all copies that hold the same
 * changes have the same order, however those came. Each change comes after those that it builds on; of those that could
 * come next, the first by `compareChanges` does. So the times ascend unless the clock of a node was behind.
 * Changes that build on others which are missing are left out.
 */
export function linearise<T extends OrderedChange>(changes: readonly T[]): T[] {
  const followers = new Map<string, T[]>()
  const waiting = new Map<string, number>()
  /** The first by `compareChanges` last. */
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
