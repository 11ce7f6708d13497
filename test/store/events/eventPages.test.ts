/** Pages of events in memory, compared with a sorted list: builds, updates, and what a scan sees of later ones. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareChanges, createPageBuilder, createRecordGroups, updatedPages, type AccountPages, type RecordChange } from '../../../src/store/events/eventPages.js'
import { scanPages, scanPagesAtOnce, type PageScan } from '../../../src/store/events/eventPageScan.js'
import { eventToRecord } from '../../../src/store/model/eventRecord.js'
import { runs } from '../../support/oracles/runs.js'

const ALL: PageScan = {
  streams: [{ any: 'everything', account: new Set(), all: [], not: new Set() }],
  state: 'all',
  runningOnly: false,
  ascending: true,
  wanted: Infinity,
}

const recordOf = (id: string, time: number, version: number): string =>
  eventToRecord({ id, streamIds: [`s${version % 3}`], type: 'note/txt', time, content: version, tags: [], created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' })

/** A change: one of few events at one of few times is written, or deleted. */
const drawn = fc.record({ id: fc.nat({ max: 3 }), time: fc.nat({ max: 900 }), isDeleted: fc.boolean() })

async function found(account: AccountPages, scan: Partial<PageScan> = {}): Promise<string[]> {
  const all: string[] = []
  const fromDisk = (): never => {
    throw new Error('read the database')
  }
  for await (const page of scanPages(account, { ...ALL, ...scan }, { pause: () => undefined, fromDisk, isSame: true })) all.push(...page)
  return all
}

function accountWith(count: number): AccountPages {
  const groups = createRecordGroups()
  const builder = createPageBuilder(groups)
  for (let n = 0; n < count; n++) builder.add(recordOf('e', n, n))
  return { pages: builder.finish(), groups }
}

/** The state of the account as a map, sorted when it is read. */
function naive(): { put(change: RecordChange): void; records(): string[] } {
  const events = new Map<string, RecordChange>()
  return {
    put(change) {
      const key = `${change.time} ${change.id}`
      if (change.record === undefined) events.delete(key)
      else events.set(key, change)
    },
    records: () => [...events.values()].sort(compareChanges).map(({ record = '' }) => record),
  }
}

it('agree with a sorted list after any updates, which leave earlier pages as they were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 1500 }), fc.array(fc.array(drawn, { minLength: 1, maxLength: 700 }), { maxLength: 6 }), async (count, updates) => {
      const groups = createRecordGroups()
      const expected = naive()
      for (let n = 0; n < count; n++) expected.put({ id: `e${n % 2}`, time: n >> 1, record: recordOf(`e${n % 2}`, n >> 1, n) })
      const builder = createPageBuilder(groups)
      for (const record of expected.records()) builder.add(record)
      let pages = builder.finish()
      expect(builder.bytes).toBe(pages.reduce((sum, { bytes }) => sum + bytes, 0))
      let version = count
      for (const update of updates) {
        const changes = new Map<string, RecordChange>()
        for (const { id, time, isDeleted } of update) {
          version += 1
          changes.set(`${time} ${id}`, { id: `e${id}`, time, ...(isDeleted ? {} : { record: recordOf(`e${id}`, time, version) }) })
        }
        const before = { pages, groups }
        const former = await found(before)
        pages = updatedPages(pages, [...changes.values()].sort(compareChanges), groups)
        for (const change of changes.values()) expected.put(change)
        expect(await found(before)).toEqual(former)
        expect(await found({ pages, groups })).toEqual(expected.records())
        expect(await found({ pages, groups }, { ascending: false })).toEqual(expected.records().reverse())
      }
      for (const { records } of pages) {
        expect(records.length).toBeGreaterThan(0)
        expect(records.length).toBeLessThanOrEqual(512)
      }
    }),
    { numRuns: runs(15) },
  )
})

it('share what an update does not concern', () => {
  const { pages = [], groups } = accountWith(2000)
  expect(pages).toHaveLength(8)
  const next = updatedPages(pages, [{ id: 'e', time: 700, record: recordOf('e', 700, 1) }, { id: 'z', time: 5000, record: recordOf('z', 5000, 1) }], groups)
  expect(next.map((page, at) => page === pages[at])).toEqual([true, true, false, true, true, true, true, false])
})

it('are scanned up to the number of records wanted', async () => {
  const account = accountWith(2000)
  expect(await found(account, { wanted: 700 })).toHaveLength(700)
  const window = { from: 100, to: 1300, includeRunning: true }
  expect(await found(account, { wanted: 2, window })).toEqual([recordOf('e', 100, 100), recordOf('e', 101, 101)])
  expect(await found(account, { wanted: 2, window, ascending: false })).toEqual([recordOf('e', 1300, 1300), recordOf('e', 1299, 1299)])
})

it('are scanned at once, unless that takes more than 16 pages', async () => {
  const account = accountWith(512 * 20)
  const oneOf = (type: string): Partial<PageScan> => ({ types: (other) => other === type })
  expect(scanPagesAtOnce(account, { ...ALL, wanted: 600 })).toEqual(await found(account, { wanted: 600 }))
  const window = { from: 100, to: 140, includeRunning: true }
  for (const ascending of [true, false]) {
    expect(scanPagesAtOnce(account, { ...ALL, wanted: 20, window, ascending })).toEqual(await found(account, { wanted: 20, window, ascending }))
    expect(scanPagesAtOnce(account, { ...ALL, wanted: 100, window, ascending })).toEqual(await found(account, { wanted: 100, window, ascending }))
  }
  expect(scanPagesAtOnce(account, { ...ALL, ...oneOf('mass/kg'), wanted: 1 })).toBe(undefined)
  expect(scanPagesAtOnce(accountWith(512 * 2), { ...ALL, ...oneOf('mass/kg'), wanted: 1 })).toEqual([])
  expect(scanPagesAtOnce({ ...account, pages: undefined }, { ...ALL, wanted: 1 })).toBe(undefined)
})

it('count text beyond ASCII twice', () => {
  const bytes = (content: string): number => {
    const builder = createPageBuilder(createRecordGroups())
    builder.add(eventToRecord({ id: 'e', streamIds: ['s'], type: 'note/txt', time: 1, content, tags: [], created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }))
    builder.finish()
    return builder.bytes
  }
  expect(bytes('é'.repeat(1000))).toBeGreaterThan(bytes('e'.repeat(1000)) + 1000)
})

describe('a scan with a large answer', () => {
  const all = Array.from({ length: 5000 }, (_, n) => recordOf('e', n, n))

  async function* fromDisk(): AsyncGenerator<string[]> {
    for (let at = 0; at < all.length; at += 300) yield await Promise.resolve(all.slice(at, at + 300))
  }

  interface Options {
    isSame: boolean
    /** Number of pages of the answer after which the events in memory are released. */
    releasedAfter?: number
    wanted?: number
  }

  /** Scans all events, or up to `wanted`. Returns what it got and the number of reads of the database. */
  async function read({ isSame, releasedAfter, wanted = Infinity }: Options): Promise<{ records: string[]; diskReads: number }> {
    const loaded = accountWith(5000)
    const records: string[] = []
    let diskReads = 0
    const readDisk = (): AsyncGenerator<string[]> => {
      diskReads += 1
      return fromDisk()
    }
    if (releasedAfter === 0) loaded.pages = undefined
    let pages = 0
    for await (const page of scanPages(loaded, { ...ALL, wanted }, { pause: () => undefined, fromDisk: readDisk, isSame })) {
      records.push(...page)
      pages += 1
      if (pages === releasedAfter) loaded.pages = undefined
    }
    return { records, diskReads }
  }

  it('goes on from the database once the events in memory are released', async () => {
    expect(await read({ isSame: true })).toEqual({ records: all, diskReads: 0 })
    for (const releasedAfter of [0, 1, 3]) {
      expect(await read({ isSame: true, releasedAfter })).toEqual({ records: all, diskReads: 1 })
      expect(await read({ isSame: true, releasedAfter, wanted: 4500 })).toEqual({ records: all.slice(0, 4500), diskReads: 1 })
    }
  })

  it('reads the database only, if that may have other events', async () => {
    expect(await read({ isSame: false })).toEqual({ records: all, diskReads: 1 })
    expect(await read({ isSame: false, wanted: 2500 })).toEqual({ records: all.slice(0, 2500), diskReads: 1 })
    expect(await read({ isSame: false, wanted: 1000 })).toEqual({ records: all.slice(0, 1000), diskReads: 0 })
    expect(await read({ isSame: false, wanted: 1000, releasedAfter: 0 })).toEqual({ records: all.slice(0, 1000), diskReads: 1 })
  })
})

it('are not made of damaged records', () => {
  const builder = createPageBuilder(createRecordGroups())
  builder.add(recordOf('e', 5, 1))
  expect(() => {
    builder.add(recordOf('e', 4, 1))
  }).toThrow(RangeError)
  expect(() => {
    builder.add('{"id":"e"}')
  }).toThrow(RangeError)
})
