/**
 * Distinguishes a restarted peer from two live processes with one identity. Each process has a random id. The id of a
 * stopped process never returns; one that returns after another replaced it proves that both are live, as with two copies
 * of one home.
 */

/** Maximum number of ids stored per peer. */
const MAX_REMEMBERED = 64

interface Instances {
  /** Records that a process wants to replace another; returns whether both are proved live. */
  isCopy(next: string, live: string): boolean
}

export function createInstances(): Instances {
  /** Replaced processes, earliest first. */
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
