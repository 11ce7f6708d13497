/** Summary records of merged segments: written with them, repaired by readers, erased with the series. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkStore } from '../../../src/store/check/index.js'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { createSeriesCompactor } from '../../../src/store/series/compactor.js'
import { mergeStep } from '../../../src/store/series/mergeSegments.js'
import { removePoints, writePoints } from '../../../src/store/series/series.js'
import { expectTrueSummary, summaryOf } from '../../support/oracles/naiveSummary.js'
import { standaloneAccount, pointsOf, type Row, type StandaloneAccount } from './support.js'

const COUNT = 50_000
const rows = (from: number, count: number, step = 1): [number, Row][] =>
  Array.from({ length: count }, (_, i) => [from + i * step, { value: Math.sin(i) }])

let standalone: StandaloneAccount
beforeEach(async () => {
  standalone = await standaloneAccount()
  await standalone.account.write((t) => writePoints(t, 'e', pointsOf(rows(0, COUNT)), 1000))
})
afterEach(() => standalone.close())

async function records(): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  for await (const [key, bytes] of each(standalone.account.db.byteEntries(under(accountKeys.allPointsSummaries('1'))))) found.set(key, bytes)
  return found
}

async function problems(): Promise<string[]> {
  const { db, committer } = standalone.opened
  return (await checkStore(db, { head: committer.head })).problems.map(({ what }) => what).filter((what) => /summar/.test(what))
}

describe('summary records', () => {
  it('are read in place of points', async () => {
    const { account } = standalone
    expect((await records()).size).toBe(7)
    const counting: string[] = []
    const db = { ...account.db, getBytes: (key: string, ...more: []) => (counting.push(key), account.db.getBytes(key, ...more)) }
    const from = Object.create(account, { db: { value: db }, prefix: { value: '1' } }) as typeof account
    expect((await summaryOf(from, 'e', ['value'], undefined, 10)).count.reduce((sum, one) => sum + one, 0)).toBe(COUNT)
    expect(counting).toEqual([])
    await expectTrueSummary(account, 'e', ['value'], undefined, 10)
  })

  it('that are damaged or missing are computed and stored again', async () => {
    const { account, opened } = standalone
    const before = await records()
    const keys = [...before.keys()]
    await account.write((t) => {
      for (const [i, key] of keys.entries()) {
        if (i % 3 === 0) t.delete(key)
        else if (i % 3 === 1) t.put(key, (before.get(key) as Uint8Array).map((byte, at) => (at === 30 ? byte ^ 1 : byte)))
      }
      t.put(keys[2] as string, before.get(keys[3] as string) as Uint8Array)
    })
    expect(await problems()).toContain('has a wrong summary')
    await expectTrueSummary(account, 'e', ['value'], undefined, 10)
    await opened.committer.settled()
    expect(await records()).toEqual(before)
    expect(await problems()).toEqual([])
  })

  it('follow overwritten points, and are removed with their segments', async () => {
    const { account, opened } = standalone
    await account.write((t) => writePoints(t, 'e', pointsOf(rows(100, 5000, 2)), 2000))
    await expectTrueSummary(account, 'e', ['value'], undefined, 10)
    while (await mergeStep(account, 'e'));
    await expectTrueSummary(account, 'e', ['value'], undefined, 10)
    expect(await problems()).toEqual([])
    await account.write((t) => removePoints(t, 'e'))
    expect(await summaryOf(account, 'e', ['value'])).toMatchObject({ count: [] })
    const compactor = createSeriesCompactor({ db: opened.db, committer: opened.committer, loaded: () => account })
    await compactor.settled()
    await compactor.stop()
    expect((await records()).size).toBe(0)
  })

  it('without a segment are reported by the check', async () => {
    const { account } = standalone
    await account.write((t) => t.put(accountKeys.pointsSummary('1', 'e', 1, 1, 2, 2), new Uint8Array(3)))
    expect(await problems()).toEqual(['summarizes a missing segment'])
  })

  it('are not used for a block with a gap', async () => {
    const { account } = standalone
    await account.write((t) => writePoints(t, 'gap', pointsOf([...rows(0, 3000), ...rows(50_000, 3000)]), 1000))
    const { from, to } = await expectTrueSummary(account, 'gap', ['value'], undefined, 10)
    expect(from.some((begin, i) => begin < 3000 && (to[i] as number) >= 50_000)).toBe(false)
  })
})
