/** Where edits met, and what the repair of the tree changed: two things that may be true of one field. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { noteConflict } from '../../../src/store/engine/mergeState.js'
import { openTestStore, type TestStore } from '../../sync/digest/opened.js'

let test: TestStore
beforeAll(async () => {
  test = await openTestStore()
})
afterAll(() => test.end())

const ITEM = 'sheart'
type Met = Parameters<typeof noteConflict>[2]

/** What is kept after something was noted. */
async function noted(met: Met, at: number): Promise<unknown> {
  await test.account.write((t) => noteConflict(t, ITEM, met, at))
  const text = test.account.db.get(accountKeys.conflict(test.account.prefix, ITEM))
  expect(test.account.mergeState.conflicts.has(ITEM)).toBe(text !== undefined)
  return text === undefined ? undefined : JSON.parse(text)
}

it('keeps that edits of a field met when the repair of that field comes and goes', async () => {
  expect(await noted({ edits: ['name'] }, 1)).toEqual({ at: 1, fields: ['name'] })
  expect(await noted({ repair: ['name'] }, 2)).toEqual({ at: 2, fields: ['name'], repaired: ['name'] })
  expect(await noted({ edits: ['name'] }, 3)).toEqual({ at: 2, fields: ['name'], repaired: ['name'] })
  expect(await noted({ repair: [] }, 4)).toEqual({ at: 4, fields: ['name'] })
  expect(await noted({ edits: [] }, 5)).toBeUndefined()
})

it('keeps that a field is repaired when edits of it are settled', async () => {
  await noted({ edits: ['parentId'], repair: ['parentId', 'name'] }, 1)
  expect(await noted({ edits: [] }, 2)).toEqual({ at: 2, fields: [], repaired: ['name', 'parentId'] })
  expect(await noted({ repair: [] }, 3)).toBeUndefined()
})

it('notes nothing where nothing met', async () => {
  expect(await noted({ edits: [], repair: [] }, 1)).toBeUndefined()
  expect(await noted({ repair: [] }, 1)).toBeUndefined()
})
