/** Damage to series that a check of a store reports. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Value } from '../../../src/store/engine/database.js'
import { addEvent } from '../../../src/store/events/events.js'
import { accountKeys as keys, nodeKeys, under } from '../../../src/store/engine/keys.js'
import { checkHead, checkSegment, checkSeries, expectSeriesUnused } from '../../../src/store/check/series.js'
import { checkExpectedEntries, type CheckContext } from '../../../src/store/check/crossReference.js'
import { createFindings, type Findings } from '../../../src/store/check/findings.js'
import { freshPlace, headOf, headToText, mergedPlace, type Head } from '../../../src/store/series/head.js'
import { decodeSegment, encodeSegment } from '../../../src/store/series/segment.js'
import { writePoints } from '../../../src/store/series/series.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import { standaloneAccount, pointsOf, type StandaloneAccount, type Row } from '../series/support.js'

const EVENT = 'holder'
const OTHER = 'note'
let standalone: StandaloneAccount
let head: Head
let merged: string[]
let fresh: string[]

const rows = (from: number, count: number): [number, Row][] =>
  Array.from({ length: count }, (_, i) => [from + i, { value: i }])

beforeAll(async () => {
  standalone = await standaloneAccount()
  const { account } = standalone
  const recorder = createRecorder({ actor: '00'.repeat(16) })
  const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
  await account.write((t) => {
    addEvent(t, recorder, { id: EVENT, streamIds: ['a'], type: 'series:mass/kg', time: 1, tags: [], ...tracking })
    addEvent(t, recorder, { id: OTHER, streamIds: ['a'], type: 'note/txt', content: '', time: 1, tags: [], ...tracking })
  })
  for (const [from, count] of [[0, 20_000], [5, 3], [30_000, 2]] as const) {
    await account.write((t) => writePoints(t, EVENT, pointsOf(rows(from, count)), 1000))
  }
  head = headOf(account.db, '1', EVENT) as Head
  merged = await keysUnder(keys.allPoints('1'))
  fresh = await keysUnder(keys.allNewPoints('1'))
})
afterAll(() => standalone.close())

async function keysUnder(prefix: string): Promise<string[]> {
  const source = standalone.account.db.keys(under(prefix))
  const found = await source.next(1000)
  await source.close()
  return found
}

async function findings(): Promise<Findings> {
  const { db } = standalone.account
  const found = createFindings(100)
  const context: CheckContext = { db, findings: found }
  const entries = async (prefix: string): Promise<{ account: string; rest: string; bytes: Uint8Array }[]> => {
    const source = db.byteEntries(under(prefix))
    const page = await source.next(1000)
    await source.close()
    return page.map(([key, bytes]) => ({ account: '1', rest: key.slice(prefix.length), bytes }))
  }
  for (const entry of await entries(keys.allNewPoints('1'))) checkSegment(context, entry, 'fresh')
  for (const entry of await entries(keys.allPoints('1'))) checkSegment(context, entry, 'merged')
  for (const entry of await entries(keys.allSeries('1'))) checkHead(context, entry)
  await checkSeries(context, '1')
  for (const { rest } of await entries(nodeKeys.erasingsSeries)) {
    const [account = '', event = '', epoch = ''] = rest.split('/')
    await checkExpectedEntries(context, [expectSeriesUnused(account, event, Number.parseInt(epoch, 36))])
  }
  return found
}

/** Applies changes, checks, and reverts the changes. */
async function problemsWith(changes: Record<string, Value | null>): Promise<string[]> {
  const { db } = standalone.account
  const write = async (values: Iterable<[string, Value | null]>): Promise<void> => {
    const batch = db.batch()
    for (const [key, value] of values) {
      if (value === null) batch.delete(key)
      else batch.put(key, value)
    }
    await batch.write({ sync: false })
  }
  const former = Object.keys(changes).map((key): [string, Value | null] => [key, db.getBytes(key) ?? null])
  await write(Object.entries(changes))
  try {
    return (await findings()).problems.map(({ where, what }) => `${where} ${what}`)
  } finally {
    await write(former)
  }
}

const keyOf = (list: readonly string[], at = 0): string => list[at] ?? ''
const bytesOf = (key: string): Uint8Array => standalone.account.db.getBytes(key) ?? new Uint8Array(0)
const changed = (bytes: Uint8Array): Uint8Array => bytes.map((byte, i) => (i === 20 ? byte ^ 1 : byte))
const withHead = (change: Partial<Head>): Record<string, string> => ({ [keys.series('1', EVENT)]: headToText({ ...head, ...change }) })

describe('a check of series', () => {
  it('reports no problem in a sound store, and checks every segment', async () => {
    const { problems, checked } = await findings()
    expect(problems).toEqual([])
    expect(checked).toEqual({ series: 1, 'merged segments': 3, 'new segments': 2, points: 20_005 })
  })

  const damages: [name: string, changes: () => Record<string, Value | null>, what: RegExp][] = [
    ['a changed segment', () => ({ [keyOf(merged)]: changed(bytesOf(keyOf(merged))) }), /cannot be read: .* checksum/],
    ['an empty segment', () => ({ [keyOf(fresh)]: new Uint8Array(0) }), /cannot be read/],
    ['a segment under the key of another', () => ({ [keyOf(merged)]: bytesOf(keyOf(merged, 1)) }), /do not match its key/],
    ['a lost new segment', () => ({ [keyOf(fresh)]: null }), /counts 2 new segments, but has 1/],
    ['a lost merged segment', () => ({ [keyOf(merged, 1)]: null }), /counts 3 merged segments, but has 2/],
    ['a merged segment in place of a larger one', () => {
      const segment = decodeSegment(bytesOf(keyOf(fresh, 1)))
      return { [keyOf(merged, 2)]: null, [keys.points('1', EVENT, head.epoch, 30_000, 30_001, 2)]: encodeSegment(segment) }
    }, /counts 20000 merged points, but has \d+/],
    ['a head that counts other points', () => withHead({ points: 4 }), /counts 4 new points, but has 5/],
    ['the end lost', () => ({ [keyOf(fresh, 1)]: null }), /ends at 19999 instead of 30001/],
    ['a lost head', () => ({ [keys.series('1', EVENT)]: null }), /belongs to no series/],
    ['an invalid head', () => ({ [keys.series('1', EVENT)]: '{"epoch":1}' }), /has a head that cannot be read/],
    ['a head of another epoch', () => withHead({ epoch: head.epoch + 1 }), /belongs to no series/],
    ['a head without the field', () => withHead({ fields: [] }), /has fields missing in its series: value/],
    ['a head that ends too early', () => withHead({ last: 10 }), /extends beyond the end of its series/],
    ['a head of an earlier write', () => withHead({ stamp: 1 }), /is newer than its series/],
    ['a head that skips new segments', () => withHead({ oldest: 2 }), /has a new segment with invalid number 1/],
    ['a head that would reuse a number', () => withHead({ next: 2 }), /has a new segment with invalid number 2/],
    ['a series without its holder', () => ({ [keys.eventPlace('1', EVENT)]: null }), /its holder does not exist/],
    [
      'a series whose holder has another type',
      () => ({ [keys.series('1', OTHER)]: headToText({ ...head, fresh: 0, last: 5 }) }),
      /holder is not a series/,
    ],
    [
      'merged segments that overlap',
      () => {
        const segment = decodeSegment(bytesOf(keyOf(fresh)))
        return { [keys.points('1', EVENT, head.epoch, 5, 7, 3)]: encodeSegment(segment) }
      },
      /merged segments that overlap at 0/,
    ],
    ['a series in use that is being erased', () => ({ [nodeKeys.erasingSeries('1', EVENT, head.epoch)]: '' }), /is in use/],
  ]
  it.each(damages)('reports %s', async (_, changes, what) => {
    expect(await problemsWith(changes())).toContainEqual(expect.stringMatching(what))
  })

  it('does not count merged segments where the head has no count', async () => {
    const { merged: counted, ...older } = head
    expect(counted).toEqual({ segments: 3, points: 20_000 })
    const changes = { [keys.series('1', EVENT)]: headToText(older) }
    expect(await problemsWith(changes)).toEqual([])
    expect(await problemsWith({ ...changes, [keyOf(merged, 1)]: null })).toEqual([])
  })

  it('accepts segments of a series that is being erased', async () => {
    const changes = { [keys.series('1', EVENT)]: null, [nodeKeys.erasingSeries('1', EVENT, head.epoch)]: '' }
    expect(await problemsWith(changes)).toEqual([])
  })

  it('reads keys as they are written', () => {
    const prefix = keys.newPointsOf('1', EVENT, 7)
    expect(freshPlace(keys.newPoints('1', EVENT, 7, 12, -0.5, 1e9, 8192), prefix)).toMatchObject({ number: 12, from: -0.5, to: 1e9, count: 8192 })
    const other = keys.pointsOf('1', EVENT, 7)
    expect(mergedPlace(keys.points('1', EVENT, 7, 0.25, 1e9, 40), other)).toMatchObject({ from: 0.25, to: 1e9, count: 40 })
  })
})

