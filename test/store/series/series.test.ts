/** Points of series in the store: written, read, received, merged, sent and removed. */
import { describe, expect, it } from 'vitest'
import { accountKeys, nodeKeys } from '../../../src/store/engine/keys.js'
import type { Account } from '../../../src/store/engine/account.js'
import { headOf } from '../../../src/store/series/head.js'
import { lastDelta, preparePoints, readPoints, removePoints, writePoints } from '../../../src/store/series/series.js'
import { yieldEvery } from '../../../src/store/engine/yield.js'
import { describeRepository, repositories, type TestAccount } from '../repository.js'
import { pointsOf, readRows, type Row } from './support.js'

const first: [number, Row][] = [[0, { value: 1 }], [10, { value: 2 }]]
const second: [number, Row][] = [[10, { value: 3 }], [5, { value: 4 }]]
const joined: [number, Row][] = [[0, { value: 1 }], [5, { value: 4 }], [10, { value: 3 }]]

async function read({ store: { db }, account }: TestAccount): Promise<unknown> {
  const { fields, pages } = await readPoints(account, 'e1', { from: -Infinity, to: Infinity })
  await pages[Symbol.asyncIterator]().return?.()
  return { fields, rows: await readRows(account, 'e1'), last: lastDelta(db, account.prefix, 'e1'), other: await readRows(account, 'e2') }
}

describeRepository('points of series', {
  read,
  absent: { fields: [], rows: [], last: undefined, other: [] },
  steps: [
    { write: (t) => writePoints(t, 'e1', pointsOf(first), 100), expected: { fields: ['value'], rows: first, last: 10, other: [] } },
    { write: (t) => writePoints(t, 'e1', pointsOf(second), 200), expected: { fields: ['value'], rows: joined, last: 10, other: [] } },
    {
      write: (t) => writePoints(t, 'e1', pointsOf([[20, { value: 5, note: 'x' }]]), 300),
      expected: { fields: ['value', 'note'], rows: [...joined, [20, { value: 5, note: 'x' }]], last: 20, other: [] },
    },
  ],
  remove: (t) => removePoints(t, 'e1'),
})

describe('writes of points', () => {
  const all = repositories()
  const write = (account: Account, rows: [number, Row][], at: number): Promise<void> => account.write((t) => writePoints(t, 'e1', pointsOf(rows), at))

  it('win by order of writing, even if the clock was set back', async () => {
    const account = await all.account()
    await write(account, [[0, { value: 1 }]], 200)
    await write(account, [[0, { value: 2 }]], 100)
    expect(await readRows(account, 'e1')).toEqual([[0, { value: 2 }]])
    expect(headOf(all.store.db, account.prefix, 'e1')?.stamp).toBe(200_000_001)
  })

  it('are read in windows that include their start and exclude their end', async () => {
    const account = await all.account()
    await write(account, joined, 100)
    expect(await readRows(account, 'e1', { from: 0, to: 10 })).toEqual(joined.slice(0, 2))
    expect(await readRows(account, 'e1', { from: 5, to: 10.5 })).toEqual(joined.slice(1))
    expect(await readRows(account, 'e1', { from: 11, to: 20 })).toEqual([])
  })

  it('store prepared points equally', async () => {
    const [account, other] = [await all.account(), await all.account()]
    const rows = Array.from({ length: 5000 }, (_, i): [number, Row] => [(i * 7919) % 5000, { value: i }])
    const prepared = await preparePoints([pointsOf(rows.slice(0, 2000)), pointsOf(rows.slice(2000))], yieldEvery())
    await account.write((t) => writePoints(t, 'e1', prepared, 100))
    await write(other, rows, 100)
    expect(await readRows(account, 'e1')).toEqual(rows.sort(([a], [b]) => a - b))
    expect(await readRows(other, 'e1')).toEqual(await readRows(account, 'e1'))
    expect(headOf(all.store.db, account.prefix, 'e1')?.merged?.points).toBe(5000)
  })

  it('refuse columns of another length and infinite times, and write nothing for no points', async () => {
    const account = await all.account()
    const before = await all.keys()
    await write(account, [], 100)
    for (const bad of [{ deltaTimes: Float64Array.of(NaN), columns: new Map() }, { deltaTimes: Float64Array.of(1), columns: new Map([['value', { kind: 'number' as const, values: Float64Array.of(1, 2) }]]) }]) {
      await expect(account.write((t) => writePoints(t, 'e1', bad, 100))).rejects.toThrow(RangeError)
    }
    expect(await all.keys()).toEqual(before)
  })

  it('after a removal begin another series, which the erasure of the former one does not touch', async () => {
    const account = await all.account()
    await write(account, first, 100)
    const epoch = headOf(all.store.db, account.prefix, 'e1')?.epoch ?? 0
    await account.write((t) => {
      removePoints(t, 'e1')
      expect(t.get(nodeKeys.erasingSeries(account.prefix, 'e1', epoch))).toBe('')
      writePoints(t, 'e1', pointsOf(second), 200)
    })
    const keys = [...(await all.keys()).keys()]
    expect(headOf(all.store.db, account.prefix, 'e1')?.epoch).not.toBe(epoch)
    expect(keys.filter((key) => key.startsWith(accountKeys.newPointsOf(account.prefix, 'e1', epoch)) || key.startsWith(nodeKeys.erasingsSeries))).toEqual([])
    expect((await readRows(account, 'e1')).length).toBe(2)
  })

  it('write nothing for the removal of a series without points', async () => {
    const account = await all.account()
    const { sequence } = account
    await account.write((t) => removePoints(t, 'e1'))
    expect(account.sequence).toBe(sequence)
  })
})
