/** Merge state of a field: conflicting edits and repairs of the tree, which may apply together. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { noteConflict } from '../../../src/store/engine/mergeState.js'
import { openTestStore, type TestStore } from '../../sync/digest/testStore.js'

let test: TestStore
beforeAll(async () => {
  test = await openTestStore()
})
afterAll(() => test.end())

const ITEM = 'sheart'
type Conflict = Parameters<typeof noteConflict>[2]

/** Returns the stored merge state after a conflict was noted. */
async function stateAfter(conflict: Conflict, at: number): Promise<unknown> {
  await test.account.write((t) => noteConflict(t, ITEM, conflict, at))
  const text = test.account.db.get(accountKeys.conflict(test.account.prefix, ITEM))
  expect(test.account.mergeState.conflicts.has(ITEM)).toBe(text !== undefined)
  return text === undefined ? undefined : JSON.parse(text)
}

it('keeps the conflict of a field while repairs of that field come and go', async () => {
  expect(await stateAfter({ edits: ['name'] }, 1)).toEqual({ at: 1, fields: ['name'] })
  expect(await stateAfter({ repair: ['name'] }, 2)).toEqual({ at: 2, fields: ['name'], repaired: ['name'] })
  expect(await stateAfter({ edits: ['name'] }, 3)).toEqual({ at: 2, fields: ['name'], repaired: ['name'] })
  expect(await stateAfter({ repair: [] }, 4)).toEqual({ at: 4, fields: ['name'] })
  expect(await stateAfter({ edits: [] }, 5)).toBeUndefined()
})

it('keeps the repair of a field when its conflict is resolved', async () => {
  await stateAfter({ edits: ['parentId'], repair: ['parentId', 'name'] }, 1)
  expect(await stateAfter({ edits: [] }, 2)).toEqual({ at: 2, fields: [], repaired: ['name', 'parentId'] })
  expect(await stateAfter({ repair: [] }, 3)).toBeUndefined()
})

it('stores nothing without a conflict or repair', async () => {
  expect(await stateAfter({ edits: [], repair: [] }, 1)).toBeUndefined()
  expect(await stateAfter({ repair: [] }, 1)).toBeUndefined()
})
