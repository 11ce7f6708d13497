/** Counts and problems of a store check. */

/** A problem of the store. */
export interface Problem {
  /** Commit, account, item or key concerned: `account 3, event cjx…`. */
  where: string
  /** Description, as the predicate of a sentence whose subject is `where`. */
  what: string
}

/** Origin of a problem, for the repair. */
export interface Cause {
  /** Key of the entry that was read when the problem was found. */
  of?: string
  /** Correct entry that follows from others, or the key of one to remove. */
  repair?: { put: string; value: string } | { remove: string }
  /** True when data are missing that no other entry can restore. */
  isLoss?: boolean
  /** An attached file with missing or wrong bytes. */
  file?: { account: string; digest: string; event: string; size: number }
  /** An account with entries but without a user. */
  ownerless?: string
  /** An account whose journal has changes that belong to no item. */
  strays?: string
}

/** Collects the results of a check. */
export interface Findings {
  /** Number of things checked, by kind. */
  readonly checked: Record<string, number>
  /** The first problems found, up to the limit. */
  readonly problems: Problem[]
  /** Number of problems, stored or not. */
  readonly found: number
  /** Counts things of a kind: one, or `times`. */
  count(kind: string, times?: number): void
  report(where: string, what: string, cause?: Cause): void
}

/**
 * Creates findings that store at most `max` problems, to bound memory for heavily damaged stores. `onProblem` receives every
 * problem with its cause.
 */
export function createFindings(max: number, onProblem: (problem: Problem, cause: Cause) => void = () => {}): Findings {
  const checked: Record<string, number> = {}
  const problems: Problem[] = []
  let found = 0
  return {
    checked,
    problems,
    get found() {
      return found
    },
    count(kind, times = 1) {
      checked[kind] = (checked[kind] ?? 0) + times
    },
    report(where, what, cause = {}) {
      found += 1
      onProblem({ where, what }, cause)
      if (problems.length < max) problems.push({ where, what })
    },
  }
}

/** Wraps findings for reading entries in sequence: reported problems get the current entry as their cause. */
export function attributed(findings: Findings): { findings: Findings; reading(key: string | undefined): void } {
  let of: string | undefined
  return {
    reading(key) {
      of = key
    },
    findings: {
      checked: findings.checked,
      problems: findings.problems,
      get found() {
        return findings.found
      },
      count: (kind, times) => findings.count(kind, times),
      report: (where, what, cause) => findings.report(where, what, of === undefined ? cause : { of, ...cause }),
    },
  }
}
