/** Merging of the segments of a series: the same points in fewer segments, of one account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { headOf, type Head } from '../../../src/store/series/head.js'
import { mayMerge, mergeStep, MERGE_LIMITS, type MergeLimits } from '../../../src/store/series/mergeSegments.js'
import { writePoints } from '../../../src/store/series/series.js'
import { dice } from '../../property/merge/copies.js'
import { standaloneAccount, pointsOf, readRows, type StandaloneAccount, type Row } from './support.js'

const LIMITS: MergeLimits = { fanIn: 4, overlapped: 2, points: 64, sizes: { ...MERGE_LIMITS.sizes, points: 32 } }

let standalone: StandaloneAccount
beforeAll(async () => {
  standalone = await standaloneAccount()
})
afterAll(() => standalone.close())

const segments = async (family: string): Promise<number> => {
  let count = 0
  for await (const _ of each(standalone.account.db.keys(under(family)))) count += 1
  return count
}
const head = (event: string): Head => headOf(standalone.account.db, '1', event) as Head

describe('merging of segments', () => {
  it('keeps all points, the latest of each time, and counts what it stores', async () => {
    const { account } = standalone
    const roll = dice(7)
    const expected = new Map<number, Row>()
    for (let i = 0; i < 300; i++) {
      const rows = Array.from({ length: 1 + roll(4) }, (): [number, Row] => [roll(200), { value: i }])
      for (const [time, row] of rows) expected.set(time, row)
      await account.write((t) => writePoints(t, 'e1', pointsOf(rows), i))
      await account.write((t) => writePoints(t, 'e2', pointsOf([[i, { value: i }]]), i))
      if (roll(3) === 0) await mergeStep(account, 'e1', LIMITS)
      if (i % 50 === 0) expect(await readRows(account, 'e1')).toEqual([...expected].sort(([a], [b]) => a - b))
    }
    let steps = 0
    while (await mergeStep(account, 'e1', LIMITS)) expect(++steps).toBeLessThan(200)
    expect(await readRows(account, 'e1')).toEqual([...expected].sort(([a], [b]) => a - b))
    const { epoch, fresh, merged, oldest, next, points } = head('e1')
    expect([fresh, merged?.segments]).toEqual([await segments(accountKeys.newPointsOf('1', 'e1', epoch)), await segments(accountKeys.pointsOf('1', 'e1', epoch))])
    expect(fresh).toBeLessThan(2 * LIMITS.fanIn)
    expect(points + (merged?.points ?? 0)).toBeGreaterThanOrEqual(expected.size)
    expect(oldest).toBeLessThanOrEqual(next)
    expect(head('e2').fresh).toBe(300)
    expect((await readRows(account, 'e2')).length).toBe(300)
  })

  it('does nothing with no or few new segments', async () => {
    const { account } = standalone
    expect(await mergeStep(account, 'none', LIMITS)).toBe(false)
    await account.write((t) => writePoints(t, 'few', pointsOf([[1, { value: 1 }]]), 1))
    const before = head('few')
    expect(await mergeStep(account, 'few', LIMITS)).toBe(false)
    expect(head('few')).toEqual(before)
  })

  it.each([
    [{ fresh: 3, points: 3 }, false],
    [{ fresh: 4, points: 4 }, true],
    [{ fresh: 1, points: 16 }, true],
    [{ fresh: 1, points: 15 }, false],
  ])('may be needed by %j: %j', (unmerged, may) => {
    expect(mayMerge(unmerged, { fresh: 0, points: 0 }, LIMITS)).toBe(may)
    const remaining = { fresh: 10, points: 100 }
    expect(mayMerge({ fresh: unmerged.fresh + 10, points: unmerged.points + 100 }, remaining, LIMITS)).toBe(may)
  })
})
