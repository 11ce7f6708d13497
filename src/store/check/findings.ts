/** What a check of the store looks at, counts and reports. */

/** One thing that is wrong. */
export interface Problem {
  /** The commit, account, item or key that it concerns: `account 3, event cjx…`. */
  where: string
  /** What is wrong, as the end of a sentence that begins with the place. */
  what: string
}

/** Gathers what a check finds. */
export interface Findings {
  /** How many things of each kind were looked at. */
  readonly checked: Record<string, number>
  /** The first problems found, as many as are kept. */
  readonly problems: Problem[]
  /** How many problems there were, kept or not. */
  readonly found: number
  count(kind: string): void
  report(where: string, what: string): void
}

/** Findings that keep at most `most` problems, so that a store in ruins needs no memory for all of them. */
export function createFindings(most: number): Findings {
  const checked: Record<string, number> = {}
  const problems: Problem[] = []
  let found = 0
  return {
    checked,
    problems,
    get found() {
      return found
    },
    count(kind) {
      checked[kind] = (checked[kind] ?? 0) + 1
    },
    report(where, what) {
      found += 1
      if (problems.length < most) problems.push({ where, what })
    },
  }
}
