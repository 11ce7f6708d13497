/** Retention of archives: keeps the latest ones, and the last of each of the latest days, weeks and months. */

export interface Retention {
  last: number
  daily: number
  weekly: number
  monthly: number
}

/** Retention rules, each with the name of the period that contains a time. */
const RULES: ReadonlyArray<[keyof Retention, (time: number) => string]> = [
  ['last', (time) => String(time)],
  ['daily', (time) => dayOf(time)],
  ['weekly', (time) => String(Math.floor((time / 86_400 + 3) / 7))],
  ['monthly', (time) => dayOf(time).slice(0, 7)],
]

const dayOf = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10)

/**
 * Returns the archives that no rule keeps. A rule of n keeps the last archive of each of the n latest periods that have
 * one; days, weeks (from Monday) and months are in UTC. `made` is in seconds.
 */
export function expired<T extends { made: number }>(archives: readonly T[], retention: Retention): T[] {
  const latestFirst = [...archives].sort((a, b) => b.made - a.made)
  const stored = new Set<T>()
  for (const [rule, stretchOf] of RULES) {
    const seen = new Set<string>()
    for (const [i, archive] of latestFirst.entries()) {
      // Two archives of the same time count as two.
      const stretch = rule === 'last' ? String(i) : stretchOf(archive.made)
      if (seen.has(stretch)) continue
      if (seen.size === retention[rule]) break
      seen.add(stretch)
      stored.add(archive)
    }
  }
  return latestFirst.filter((archive) => !stored.has(archive)).reverse()
}
