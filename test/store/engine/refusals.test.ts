/** Stored refusals: of a bounded number of items, so that a hostile peer cannot fill the disk. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { forgetRefusals, MAX_REFUSED, noteRefusal, readMergeState } from '../../../src/store/engine/mergeState.js'
import { openTestStore, type TestStore } from '../../sync/digest/testStore.js'

let test: TestStore
beforeAll(async () => {
  test = await openTestStore()
})
afterAll(() => test.end())

const item = (n: number): string => `e${n}`

async function refuse(from: number, to: number, peer = 1): Promise<void> {
  await test.account.write((t) => {
    for (let n = from; n < to; n++) noteRefusal(t, peer, item(n), { reason: 'invalid', message: 'It is bad.', at: n })
    t.sync()
  })
}

/** Peers and items of the refusals on disk. */
async function stored(): Promise<Set<string>> {
  const range = accountKeys.allRefused(test.account.prefix)
  const found = new Set<string>()
  for await (const key of each(test.account.db.keys(under(range)))) found.add(key.slice(range.length))
  return found
}

it('the oldest refusals are dropped at the limit, of all peers, in memory and on disk', async () => {
  await refuse(0, 1, 2)
  await refuse(0, MAX_REFUSED)
  expect((await stored()).size).toBe(MAX_REFUSED + 1)
  await refuse(MAX_REFUSED, MAX_REFUSED + 5)
  const remaining = await stored()
  expect(remaining.size).toBe(MAX_REFUSED)
  for (let n = 0; n < 5; n++) expect([remaining.has(`1/${item(n)}`), remaining.has(`2/${item(n)}`)]).toEqual([false, false])
  for (const n of [5, MAX_REFUSED + 4]) expect(remaining.has(`1/${item(n)}`)).toBe(true)
  expect(test.account.mergeState.refused.size).toBe(MAX_REFUSED)
})

it('a repeated refusal takes no further place, and a forgotten one frees a place', async () => {
  await refuse(5, MAX_REFUSED + 5)
  await refuse(5, 8, 2)
  expect((await stored()).size).toBe(MAX_REFUSED + 3)
  await test.account.write((t) => {
    forgetRefusals(t, item(5))
    t.sync()
  })
  await refuse(MAX_REFUSED + 5, MAX_REFUSED + 6)
  expect((await stored()).has(`1/${item(6)}`)).toBe(true)
  expect(test.account.mergeState.refused.size).toBe(MAX_REFUSED)
})

it('refusals are the same after a restart', async () => {
  const { refused } = await readMergeState(test.account.db, test.account.prefix)
  expect(new Set(refused.keys())).toEqual(new Set(test.account.mergeState.refused.keys()))
})
