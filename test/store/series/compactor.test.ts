/** Background work on series, in a store without a node. */
import { describe, expect, it } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { nodeKeys } from '../../../src/store/engine/keys.js'
import { createSeriesCompactor } from '../../../src/store/series/compactor.js'
import { headOf } from '../../../src/store/series/head.js'
import { MERGE_LIMITS } from '../../../src/store/series/mergeSegments.js'
import { removePoints, writePoints } from '../../../src/store/series/series.js'
import { repositories } from '../repository.js'
import { standaloneAccount, pointsOf, readRows } from './support.js'

async function fill(account: Account, event: string, writes: number): Promise<void> {
  for (let i = 0; i < writes; i++) await account.write((t) => writePoints(t, event, pointsOf([[i, { value: i }]]), i))
}

describe('background work on series', () => {
  const all = repositories()

  it('merges the segments of many writes', async () => {
    const account = await all.account()
    await fill(account, 'e1', 3 * MERGE_LIMITS.fanIn)
    await all.store.series.settled()
    expect(headOf(all.store.db, account.prefix, 'e1')?.fresh).toBeLessThan(MERGE_LIMITS.fanIn + 3)
    expect((await readRows(account, 'e1')).map(([time]) => time)).toEqual(Array.from({ length: 3 * MERGE_LIMITS.fanIn }, (_, i) => i))
  })

  it('erases the points of removed series, of one account and holder', async () => {
    const [account, other] = [await all.account(), await all.account()]
    const before = await all.keys()
    await fill(account, 'e1', 5)
    await account.write((t) => removePoints(t, 'e1'))
    expect(await all.keys()).toEqual(before)
    for (const event of ['e1', 'e2']) await fill(account, event, 5)
    await fill(other, 'e1', 5)
    await account.write((t) => removePoints(t, 'e1'))
    await all.store.series.settled()
    expect([(await readRows(account, 'e1')).length, (await readRows(account, 'e2')).length, (await readRows(other, 'e1')).length]).toEqual([0, 5, 5])
  })

  it('continues an erasure that a crash interrupted, and stops on request', async () => {
    const { account, opened, close } = await standaloneAccount()
    const { db, committer } = opened
    await fill(account, 'e1', 5)
    await account.write((t) => removePoints(t, 'e1'))
    const mark = (): boolean => db.get(nodeKeys.erasingSeries('1', 'e1', 1)) !== undefined
    expect(mark()).toBe(true)
    const options = { db, committer, loaded: () => account }
    const compactor = createSeriesCompactor(options)
    await compactor.settled()
    expect(mark()).toBe(false)
    await compactor.stop()
    await fill(account, 'e2', 2 * MERGE_LIMITS.fanIn)
    await compactor.settled()
    expect(headOf(db, '1', 'e2')?.fresh).toBe(2 * MERGE_LIMITS.fanIn)
    await close()
  })
})
