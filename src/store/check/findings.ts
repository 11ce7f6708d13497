/** What a check of the store looks at, counts and reports. */

/** One thing that is wrong. */
export interface Problem {
  /** The commit, account, item or key that it concerns: `account 3, event cjx…`. */
  where: string
  /** What is wrong, as the end of a sentence that begins with the place. */
  what: string
}

/** Where a problem comes from, for whoever mends it. */
export interface Cause {
  /** The key of the entry that was read when it showed. */
  of?: string
  /** What would make it right: an entry that follows from others, or the key of one that must go. */
  repair?: { put: string; value: string } | { remove: string }
  /** Whether it shows that something is missing, which no other entry makes good. */
  isLoss?: boolean
  /** An attached file whose bytes are not there, or not its own. */
  file?: { account: string; digest: string; event: string; size: number }
  /** An account that has entries and no user. */
  ownerless?: string
  /** An account whose journal holds changes that no item leads to. */
  strays?: string
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
  report(where: string, what: string, cause?: Cause): void
}

/**
 * Findings that keep at most `most` problems, so that a store in ruins needs no memory for all of them. `hear` is told of
 * every one, with its cause.
 */
export function createFindings(max: number, hear: (problem: Problem, cause: Cause) => void = () => {}): Findings {
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
    report(where, what, cause = {}) {
      found += 1
      hear({ where, what }, cause)
      if (problems.length < max) problems.push({ where, what })
    },
  }
}

/** The same findings, for the reading of one entry after another: what is reported comes from the entry at hand. */
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
      count: (kind) => findings.count(kind),
      report: (where, what, cause) => findings.report(where, what, of === undefined ? cause : { of, ...cause }),
    },
  }
}
