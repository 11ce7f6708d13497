/**
 * First pass over an account: finds out whether it has problems, mostly without point reads, and says nothing about them. Reads
 * each family of keys in one scan. eventSums.ts compares events with their indexes and changes; other entries are checked as
 * families.ts states.
 */
import { checkExpectedEntries, createEntry, textOf, type Entry, type ExpectedEntry } from './crossReference.js'
import { addPlace, areZero, createEventSums, SUMMED, type EventSums } from './eventSums.js'
import { readEntry, type AccountCheck, type Family } from './families.js'
import type { Findings } from './findings.js'
import { accountKeys, under } from '../engine/keys.js'
import type { Database, Range } from '../engine/database.js'
import type { Yielder } from '../engine/yield.js'

/** Large families that are read as text: their checks use nothing but the text of an entry. */
const TEXTS = new Set(['e', 'i', 's', 'r', 'm', 'g'])

const PAGE = 500

/**
 * Checks an account, and counts what it checks in the findings of `check`, which get no problems. Returns false as soon as
 * something is wrong.
 */
export async function isSound(check: AccountCheck, families: Readonly<Record<string, Family>>, pause: Yielder): Promise<boolean> {
  const sums = createEventSums()
  let found = 0
  const findings: Findings = { ...check.findings, report: () => void (found += 1) }
  const pass: AccountCheck = { ...check, findings, sums }
  for await (const { name, pages } of familiesOf(pass)) {
    const read = Object.hasOwn(families, name) ? families[name] : undefined
    if (read === undefined) return false
    for await (const page of pages) {
      const expected: ExpectedEntry[] = []
      for (const [key, entry] of page) {
        if (!addToSums(pass, sums, name, key, entry)) expected.push(...unsummed(sums, readEntry(read, pass, entry)))
        const turn = pause()
        if (turn !== undefined) await turn
      }
      await checkExpectedEntries(pass, distinct(expected))
      if (found > 0) return false
    }
  }
  // Changes of streams and other items are counted rather than summed.
  return areZero(sums) && check.changes.stored === check.changes.reached
}

/** Adds an entry that follows from a record to the sums; returns false for other entries. */
function addToSums({ findings }: AccountCheck, sums: EventSums, name: string, key: string, entry: Entry): boolean {
  const summed = SUMMED[name]
  const part = summed?.partOf(textOf(entry))
  if (summed === undefined || part === undefined) return false
  findings.count(summed.counted)
  sums.indexes.remove(key, part)
  if (name === 'i') addPlace(sums, entry.rest, textOf(entry))
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

/** Entries with their keys. */
type EntryPage = readonly (readonly [string, Entry])[]

/** Iterates over the families of an account that have entries, seeking from one to the next. */
async function* familiesOf({ db, account }: AccountCheck): AsyncGenerator<{ name: string; pages: AsyncGenerator<EntryPage> }> {
  const prefix = accountKeys.all(account)
  const { lt: end } = under(prefix)
  let from = prefix
  for (;;) {
    const first = db.keys({ gte: from, lt: end }, { limit: 1 })
    const [key] = await first.next(1)
    await first.close()
    if (key === undefined) return
    const [name = ''] = key.slice(prefix.length).split('/', 1)
    const start = `${prefix}${name}`
    // An entry of its own, such as that of the user.
    const isSingle = key === start
    const range = isSingle ? { gte: key, lt: `${key}\0` } : under(`${start}/`)
    from = range.lt
    yield { name, pages: pagesOf(db, account, range, isSingle ? start.length : start.length + 1, TEXTS.has(name)) }
  }
}

/** Iterates over a range whose keys have `length` characters before the rest of an entry. */
async function* pagesOf(db: Database, account: string, range: Range, length: number, isText: boolean): AsyncGenerator<EntryPage> {
  const source = isText ? db.entries(range) : db.byteEntries(range)
  try {
    for (;;) {
      const page = await source.next(PAGE)
      if (page.length === 0) return
      yield page.map(([key, value]) => [key, createEntry(account, key.slice(length), value)] as const)
    }
  } finally {
    await source.close()
  }
}
