/** Reads of series segments: the points of a window, from a snapshot. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { headOf, type Head } from '../../../src/store/series/head.js'
import { MERGE_LIMITS, mergeStep } from '../../../src/store/series/mergeSegments.js'
import { freshPlaces, readingOf, segmentAt } from '../../../src/store/series/readSegments.js'
import { writePoints } from '../../../src/store/series/series.js'
import { dice } from '../../property/merge/copies.js'
import { standaloneAccount, pointsOf, rowsOf, type StandaloneAccount, type Row } from './support.js'

const EVERYTHING = { from: -Infinity, to: Infinity }

let standalone: StandaloneAccount
beforeAll(async () => {
  standalone = await standaloneAccount()
})
afterAll(() => standalone.close())
const head = (event: string): Head => headOf(standalone.account.db, '1', event) as Head

describe('reads of a series', () => {
  it('return the points of a window, equal to sorting all points, from new and merged segments', async () => {
    const { account } = standalone
    const roll = dice(9)
    const limits = { ...MERGE_LIMITS, fanIn: 4, sizes: { ...MERGE_LIMITS.sizes, points: 32 } }
    const expected = new Map<number, Row>()
    for (let i = 0; i < 60; i++) {
      const rows = Array.from({ length: 1 + roll(10) }, (): [number, Row] => [roll(400) / 2, { value: i }])
      for (const [time, row] of rows) expected.set(time, row)
      await account.write((t) => writePoints(t, 'e1', pointsOf(rows), i))
      if (i === 40) while (await mergeStep(account, 'e1', limits));
    }
    expect(head('e1').fresh).toBeGreaterThan(1)
    expect(head('e1').merged?.segments).toBeGreaterThan(1)
    const snapshot = account.db.snapshot()
    await account.write((t) => writePoints(t, 'e1', pointsOf([[0.25, { value: -1 }]]), 99))
    for (const [from, to] of [[-Infinity, Infinity], [0, 200], [20, 20.5], [33.3, 90], [90, 33], [199, 500], [300, 400]] as const) {
      const rows: [number, Row][] = []
      for await (const page of readingOf(account, 'e1', head('e1'), { from, to }, snapshot)) rows.push(...rowsOf(page))
      const inside = [...expected].filter(([time]) => time >= from && time < to).sort(([a], [b]) => a - b)
      expect(rows).toEqual(inside)
    }
    await snapshot.close()
  })

  it('find new segments by their window, in order of time', async () => {
    const { account } = standalone
    for (const from of [20, 0, 10]) await account.write((t) => writePoints(t, 'w', pointsOf([[from, { value: from }], [from + 5, { value: 1 }]]), from))
    const snapshot = account.db.snapshot()
    const found = async (window: { from: number; to: number }): Promise<number[]> =>
      (await freshPlaces(account.db, '1', 'w', head('w'), window, snapshot)).map(({ from }) => from)
    expect(await found(EVERYTHING)).toEqual([0, 10, 20])
    expect(await found({ from: 5, to: 10 })).toEqual([0])
    expect(await found({ from: 5.1, to: 10.1 })).toEqual([10])
    expect(await freshPlaces(account.db, '1', 'e9', { ...head('w'), fresh: 0 }, EVERYTHING, snapshot)).toEqual([])
    const [place] = await freshPlaces(account.db, '1', 'w', head('w'), EVERYTHING, snapshot)
    if (place === undefined) throw new Error('no segment')
    expect([...segmentAt(account.db, place, snapshot).deltaTimes]).toEqual([0, 5])
    expect(() => segmentAt(account.db, { ...place, key: `${place.key}0` }, snapshot)).toThrow('is missing')
    await snapshot.close()
  })
})
