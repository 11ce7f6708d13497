/** Checks stores in tests, with the comparison of records and changes, which needs `sync`. */
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { HelperThread } from '../../../src/store/check/firstPass.js'
import { checkStore, type CheckResult } from '../../../src/store/check/index.js'
import { openHighWater, type Mark } from '../../../src/store/leveldb/highWater.js'
import { readNodeKey } from '../../../src/store/keyring/nodeKey.js'
import { openStore, type OpenedStore } from '../../../src/store/engine/open.js'
import { createSeal, type Seal } from '../../../src/store/keyring/seal.js'
import { changeComparison } from '../../../src/sync/merge/changeComparison.js'
import type { HomePlaces } from '../../../src/server/launch/init.js'

/** Returns the high-water mark of a closed store. */
export async function markOf(store: string): Promise<Mark | undefined> {
  const file = openHighWater(join(store, 'HEAD'))
  const mark = file.read()
  await file.close()
  return mark
}

/** Checks the whole of an opened store. */
export function checkOpened(opened: OpenedStore, seal: Seal, mark?: Mark, compare = true, helper?: HelperThread): Promise<CheckResult> {
  return checkStore(opened.db, {
    head: opened.committer.head,
    ...(mark === undefined ? {} : { mark }),
    seal,
    files: join(dirname(opened.folder), 'files'),
    ...(compare ? { comparison: changeComparison } : {}),
    ...(helper === undefined ? {} : { helper }),
  })
}

/** Returns the problems of the store of a home whose node is stopped. */
export const faultsOfStore = async (places: HomePlaces): Promise<CheckResult['problems']> => (await checkClosed(places)).problems

/** Opens the store of a home whose node is stopped, and expects no problem. */
export async function expectSound(places: HomePlaces): Promise<CheckResult> {
  const result = await checkClosed(places)
  expect(result.problems).toEqual([])
  expect(result.ok).toBe(true)
  return result
}

async function checkClosed(places: HomePlaces): Promise<CheckResult> {
  const key = await readNodeKey(places.key)
  if (key === undefined) throw new Error('no node key')
  const seal = await createSeal(key)
  const mark = await markOf(places.store)
  const opened = await openStore({ folder: places.store, now: () => Date.now() / 1000 })
  try {
    return await checkOpened(opened, seal, mark)
  } finally {
    await opened.close()
  }
}
