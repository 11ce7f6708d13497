/**
 * First pass over an account: finds out whether it has problems, mostly without point reads, and says nothing about them. Reads
 * each family of keys in one scan (parts.ts). eventSums.ts compares events with their indexes and changes; other entries are checked
 * as families.ts states. A helper thread, if there is one, reads a part of the families of large accounts.
 */
import { addProfileDelta } from './accountRecords.js'
import { addSums, areZero, createEventSums } from './eventSums.js'
import type { AccountCheck, Family } from './families.js'
import type { Findings } from './findings.js'
import { partsOf, readPart, type FirstPass, type Part, type PartResult, type PartTask } from './parts.js'
import { randomSeeds } from './setSum.js'
import type { Yielder } from '../engine/yield.js'

/** A second thread, which reads parts of accounts one at a time with `createPartReader` (parts.ts). */
export interface HelperThread {
  /** Journal entries from which on an account is worth sharing. */
  readonly minEntries: number
  /** Reads a part. The caller reads it when this rejects. */
  read(task: PartTask): Promise<PartResult>
}

/**
 * Families that a helper can read: events with their indexes and changes, and audit records. They take most of the time of a check.
 * The helper takes them in this order, the caller from the other end.
 */
const SHARED_FAMILIES = ['j', 's', 'm', 'i', 'r', 'g', 'e']

/**
 * Checks an account, and counts what it checks in the findings of `check`, which get no problems. Returns false as soon as
 * something is wrong. Rejects when the database cannot be read.
 */
export async function isSound(
  check: AccountCheck,
  families: Readonly<Record<string, Family>>,
  pause: Yielder,
  helper?: HelperThread,
): Promise<boolean> {
  const seeds = randomSeeds()
  const sums = createEventSums(seeds)
  const findings = countingOnly(check.findings)
  const pass: FirstPass = { ...check, findings, sums }
  const parts = await partsOf(check.db, check.account)
  if (parts === undefined || parts.some(({ family }) => !Object.hasOwn(families, family))) return false

  async function readFamily(part: Part): Promise<void> {
    const read = families[part.family]
    if (read !== undefined) await readPart(pass, read, part, pause)
  }

  const isShared = helper !== undefined && check.lastEntry >= helper.minEntries
  if (isShared) {
    const shared = SHARED_FAMILIES.flatMap((name) => parts.filter(({ family }) => family === name))
    await readShared(pass, shared, { helper, seeds, readFamily, pause })
  }
  for (const part of parts) {
    if (isShared && SHARED_FAMILIES.includes(part.family)) continue
    if (findings.found > 0) return false
    await readFamily(part)
  }
  // Changes of streams and other items are counted rather than summed.
  return findings.found === 0 && areZero(sums) && check.changes.stored === check.changes.reached
}

/** Wraps findings that get the counts of a pass, but not its problems. */
function countingOnly(findings: Findings): Findings {
  let found = 0
  return {
    checked: findings.checked,
    problems: [],
    get found() {
      return found
    },
    count: (kind, times) => findings.count(kind, times),
    report: () => void (found += 1),
  }
}

interface Sharing extends Pick<PartTask, 'seeds'> {
  helper: HelperThread
  readFamily(part: Part): Promise<void>
  pause: Yielder
}

/**
 * Reads parts together with a helper, until all are read or a problem is found. Both have ended when it returns or rejects. What the
 * helper fails to read is read here.
 */
async function readShared(pass: FirstPass, parts: readonly Part[], { helper, seeds, readFamily, pause }: Sharing): Promise<void> {
  const { account, lastEntry, findings } = pass
  const queue = [...parts]
  let hasFailed = false
  const isOver = (): boolean => hasFailed || findings.found > 0

  async function readOwn(): Promise<void> {
    for (let part = queue.pop(); part !== undefined && !isOver(); part = queue.pop()) await readFamily(part)
  }

  async function readInHelper(): Promise<void> {
    for (let next = queue.shift(); next !== undefined && !isOver(); next ??= queue.shift()) {
      const result: PartResult | undefined = await helper.read({ account, part: next, lastEntry, seeds }).catch(() => undefined)
      if (result === undefined) return void queue.unshift(next)
      addResult(pass, result)
      next = result.rest
      const turn = pause()
      if (turn !== undefined) await turn
    }
  }

  const ends = [readOwn(), readInHelper()].map((end) =>
    end.catch((error: unknown) => {
      hasFailed = true
      throw error
    }),
  )
  for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason
  await readOwn()
}

/** Adds the result of a helper to the state of a pass. */
function addResult({ account, findings, sums, changes, profiles }: FirstPass, result: PartResult): void {
  for (const [kind, times] of Object.entries(result.checked)) findings.count(kind, times)
  addSums(sums, result.sums)
  changes.stored += result.changes.stored
  changes.reached += result.changes.reached
  if (profiles !== undefined) for (const [id, change] of result.profiles) addProfileDelta(profiles, { id, change })
  if (!result.isSound) findings.report(`account ${account}`, 'has a problem that the helper found')
}
