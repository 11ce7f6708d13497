/**
 * Tells a peer that was restarted from one of which two processes are live. Each process names itself by a random id. The id of
 * a process that was stopped never comes back; one that comes back after another took its place proves that both are live,
 * as two copies of one home are.
 */

/** Ids that are remembered of a peer. */
const MAX_REMEMBERED = 64

export interface Instances {
  /** Notes that a process wants the place of another; returns whether both are proved to be live. */
  isCopy(next: string, live: string): boolean
}

export function createInstances(): Instances {
  /** Processes whose place another one took, the earliest first. */
  const replaced = new Set<string>()
  return {
    isCopy(next, live) {
      if (next === live) return false
      if (replaced.has(next)) return true
      replaced.add(live)
      const [earliest] = replaced
      if (replaced.size > MAX_REMEMBERED && earliest !== undefined) replaced.delete(earliest)
      return false
    },
  }
}
