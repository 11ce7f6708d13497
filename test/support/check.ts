/** Checking a store in tests: everything, with the comparison of records and changes that `sync` makes possible. */
import { isDeepStrictEqual } from 'node:util'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { checkStore, type CheckResult } from '../../src/store/check.js'
import type { Comparison } from '../../src/store/check/changes.js'
import { openHighWater, type Mark } from '../../src/store/files/highWater.js'
import { keyFile } from '../../src/store/nodeKey.js'
import { openStore, type OpenedStore } from '../../src/store/open.js'
import { createSeal, type Seal } from '../../src/store/seal.js'
import type { Item } from '../../src/store/ports.js'
import { materialise } from '../../src/sync/document.js'
import { fieldsToItem } from '../../src/sync/fields.js'
import type { HomePlaces } from '../../src/server/init.js'

/** What counts of an item when copies are compared: no integrity, and empty client data is none. */
function essence(item: Item['item']): Record<string, unknown> {
  const { integrity: _, clientData, ...rest }: Record<string, unknown> = { ...item }
  const isEmpty = typeof clientData === 'object' && clientData !== null && Object.keys(clientData).length === 0
  return clientData === undefined || isEmpty ? rest : { ...rest, clientData }
}

/** Compares an item with what Automerge makes of its changes, and the bookkeeping with the one they would have. */
export const compareWithChanges: Comparison = (item, { changes, book }) => {
  try {
    const merged = materialise(changes)
    const { id } = item.item
    const said = fieldsToItem(item.kind, id, merged.fields).item
    if (merged.missing.length > 0) return 'lacks changes that others build on'
    if (Object.keys(merged.conflicts).length > 0) return 'has conflicts, which one node alone cannot make'
    if (!isDeepStrictEqual(essence(said), essence(item.item))) return 'is not what its changes say'
    return book === undefined || Buffer.compare(book, merged.book) === 0 ? undefined : 'has a wrong bookkeeping'
  } catch (error) {
    return `has changes that cannot be read: ${String(error)}`
  }
}

/** The high-water mark of a closed store. */
export async function markOf(store: string): Promise<Mark | undefined> {
  const file = openHighWater(join(store, 'HEAD'))
  const mark = file.read()
  await file.close()
  return mark
}

/** Checks the whole of an opened store. */
export function checkOpened(opened: OpenedStore, seal: Seal, mark?: Mark, compare = true): Promise<CheckResult> {
  return checkStore(opened.db, {
    head: opened.committer.head,
    ...(mark === undefined ? {} : { mark }),
    seal,
    files: join(dirname(opened.folder), 'files'),
    ...(compare ? { compare: compareWithChanges } : {}),
  })
}

/** Opens the store of a home whose node does not run, and expects everything in it to be right. */
export async function expectSound(places: HomePlaces): Promise<CheckResult> {
  const key = await keyFile(places.key).read()
  if (key === undefined) throw new Error('no node key')
  const seal = await createSeal(key)
  const mark = await markOf(places.store)
  const opened = await openStore({ folder: places.store, now: () => Date.now() / 1000 })
  try {
    const result = await checkOpened(opened, seal, mark)
    expect(result.problems).toEqual([])
    expect(result.ok).toBe(true)
    return result
  } finally {
    await opened.close()
  }
}
