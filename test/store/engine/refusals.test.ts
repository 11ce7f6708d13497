/** What is kept of refusals: of a bounded number of items, so that a peer that sends nothing else does not fill the disk. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { forgetRefusals, MAX_REFUSED, noteRefusal, readMergeState } from '../../../src/store/engine/mergeState.js'
import { openTestStore, type TestStore } from '../../sync/digest/opened.js'

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
async function kept(): Promise<Set<string>> {
  const range = accountKeys.allRefused(test.account.prefix)
  const found = new Set<string>()
  for await (const key of each(test.account.db.keys(under(range)))) found.add(key.slice(range.length))
  return found
}

it('those noted first give way to others, from all peers, in memory and on disk', async () => {
  await refuse(0, 1, 2)
  await refuse(0, MAX_REFUSED)
  expect((await kept()).size).toBe(MAX_REFUSED + 1)
  await refuse(MAX_REFUSED, MAX_REFUSED + 5)
  const left = await kept()
  expect(left.size).toBe(MAX_REFUSED)
  for (let n = 0; n < 5; n++) expect([left.has(`1/${item(n)}`), left.has(`2/${item(n)}`)]).toEqual([false, false])
  for (const n of [5, MAX_REFUSED + 4]) expect(left.has(`1/${item(n)}`)).toBe(true)
  expect(test.account.mergeState.refused.size).toBe(MAX_REFUSED)
})

it('what is refused again takes no further place, and what is forgotten makes one', async () => {
  await refuse(5, MAX_REFUSED + 5)
  await refuse(5, 8, 2)
  expect((await kept()).size).toBe(MAX_REFUSED + 3)
  await test.account.write((t) => {
    forgetRefusals(t, item(5))
    t.sync()
  })
  await refuse(MAX_REFUSED + 5, MAX_REFUSED + 6)
  expect((await kept()).has(`1/${item(6)}`)).toBe(true)
  expect(test.account.mergeState.refused.size).toBe(MAX_REFUSED)
})

it('is the same after a start', async () => {
  const { refused } = await readMergeState(test.account.db, test.account.prefix)
  expect(new Set(refused.keys())).toEqual(new Set(test.account.mergeState.refused.keys()))
})
