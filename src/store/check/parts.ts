/**
 * Parts of an account for the first pass: the entries of one family, or a range of them. Each adds to the sums of the account, in
 * whatever order they are read, so that a thread can read some of them (`createPartReader`).
 */
import { checkExpectedEntries, createEntry, textOf, type Entry, type ExpectedEntry } from './crossReference.js'
import { addPlace, createEventSums, SUMMED, sumStates, type EventSums, type SumStates } from './eventSums.js'
import { FAMILIES, readEntry, type AccountCheck, type Family } from './families.js'
import { createFindings } from './findings.js'
import type { Seeds } from './setSum.js'
import { streamTree } from './streams.js'
import type { JournalStates } from './accountRecords.js'
import type { ChangeCount, Comparison } from './changes.js'
import type { Database } from '../engine/database.js'
import { accountKeys, under } from '../engine/keys.js'
import type { Tree } from '../model/tree.js'
import type { Yielder } from '../engine/yield.js'

/** A family of an account's keys, or the rest of it. */
export interface Part {
  /** Letter of the family. */
  family: string
  range: { gte: string; lt: string }
  /** Number of characters of a key before the rest of an entry. */
  prefixLength: number
}

/** State of a check that adds events to sums. */
export type FirstPass = AccountCheck & { sums: EventSums }

/** Large families that are read as text: their checks use nothing but the text of an entry. */
const TEXTS = new Set(['e', 'i', 's', 'r', 'm', 'g'])

const PAGE = 500

/**
 * Lists the families of an account that have entries, seeking from one to the next; one that has an entry of its own beside others is
 * listed twice. Undefined if a key sorts after all possible keys of its family, so that seeking does not get past it.
 */
export async function partsOf(db: Database, account: string): Promise<Part[] | undefined> {
  const prefix = accountKeys.all(account)
  const { lt: end } = under(prefix)
  const parts: Part[] = []
  let from = prefix
  for (;;) {
    const first = db.keys({ gte: from, lt: end }, { limit: 1 })
    const [key] = await first.next(1)
    await first.close()
    if (key === undefined) return parts
    const [family = ''] = key.slice(prefix.length).split('/', 1)
    const start = `${prefix}${family}`
    // An entry of its own, such as that of the user.
    const isSingle = key === start
    const range = isSingle ? { gte: key, lt: `${key}\0` } : under(`${start}/`)
    if (range.lt === from) return undefined
    from = range.lt
    parts.push({ family, range, prefixLength: isSingle ? start.length : start.length + 1 })
  }
}

/**
 * Checks the entries of a part, at most about `maxEntries`; returns the rest of it, if there is one. Stops once the findings have a
 * problem.
 */
export async function readPart(pass: FirstPass, read: Family, part: Part, pause: Yielder, maxEntries = Infinity): Promise<Part | undefined> {
  const { db, account, findings, sums } = pass
  const { family, range, prefixLength } = part
  const source = TEXTS.has(family) ? db.entries(range) : db.byteEntries(range)
  let left = maxEntries
  try {
    for (;;) {
      const page = await source.next(PAGE)
      const last = page.at(-1)
      if (last === undefined) return undefined
      const expected: ExpectedEntry[] = []
      for (const [key, value] of page) {
        const entry = createEntry(account, key.slice(prefixLength), value)
        if (!addToSums(pass, family, key, entry)) expected.push(...unsummed(sums, readEntry(read, pass, entry)))
        const turn = pause()
        if (turn !== undefined) await turn
      }
      await checkExpectedEntries(pass, distinct(expected))
      if (findings.found > 0) return undefined
      left -= page.length
      if (left <= 0) return { ...part, range: { ...range, gte: `${last[0]}\0` } }
    }
  } finally {
    await source.close()
  }
}

/** Adds an entry that follows from a record to the sums; returns false for other entries. */
function addToSums({ findings, sums }: FirstPass, family: string, key: string, entry: Entry): boolean {
  const summed = SUMMED[family]
  const part = summed?.partOf(textOf(entry))
  if (summed === undefined || part === undefined) return false
  findings.count(summed.counted)
  sums.indexes.remove(key, part)
  if (family === 'i') addPlace(sums, entry.rest, textOf(entry))
  return true
}

/** Adds what an entry expects to the sums; returns the expectations that no sum covers. */
function unsummed(sums: EventSums, expected: readonly ExpectedEntry[]): ExpectedEntry[] {
  return expected.filter(({ key, determined }) => {
    if (determined !== undefined) sums.indexes.add(key, determined)
    return determined === undefined
  })
}

/** Leaves out expectations that several entries have: each audit record expects the names of its streams. */
function distinct(expected: readonly ExpectedEntry[]): ExpectedEntry[] {
  const values = new Map<string, string>()
  return expected.filter(({ key, expectedValue }) => {
    if (expectedValue === undefined) return true
    const isKnown = values.get(key) === expectedValue
    values.set(key, expectedValue)
    return !isKnown
  })
}

/** A part for a thread, with what it needs to know of the account's check. */
export interface PartTask {
  account: string
  part: Part
  /** Sequence of the latest journal entry according to the chain. */
  lastEntry: number
  seeds: Seeds
}

/** Result of reading a part in a thread. */
export interface PartResult {
  isSound: boolean
  /** Number of things checked, by kind. */
  checked: Record<string, number>
  sums: SumStates
  changes: ChangeCount
  profiles: JournalStates
  /** The rest of the part. */
  rest?: Part
}

/** Maximum number of entries that a thread reads before it returns a result: a tenth of a second of work. */
const MAX_TASK_ENTRIES = 5000

/**
 * Returns the function that reads parts in a thread, whose database is `db`; nothing may write to the database meanwhile. It rejects
 * when the database cannot be read.
 */
export function createPartReader(db: Database, comparison: Comparison | undefined): (task: PartTask) => Promise<PartResult> {
  let latest: { account: string; tree: Tree } | undefined
  return async ({ account, part, lastEntry, seeds }) => {
    if (latest?.account !== account) latest = { account, tree: await streamTree(db, account) }
    const findings = createFindings(0)
    const sums = createEventSums(seeds)
    const changes: ChangeCount = { stored: 0, reached: 0 }
    const profiles: JournalStates = new Map()
    const pass: FirstPass = {
      ...{ db, findings, account, lastEntry, changes, profiles, sums, tree: latest.tree },
      claims: { unique: 0, tokens: 0 },
      options: comparison === undefined ? {} : { comparison },
    }
    const read = FAMILIES[part.family]
    const rest = read === undefined ? undefined : await readPart(pass, read, part, () => undefined, MAX_TASK_ENTRIES)
    const isSound = read !== undefined && findings.found === 0
    return { isSound, checked: findings.checked, sums: sumStates(sums), changes, profiles, ...(rest === undefined ? {} : { rest }) }
  }
}
