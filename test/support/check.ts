/** Checking a store in tests: everything, with the comparison of records and changes that `sync` makes possible. */
import { isDeepStrictEqual } from 'node:util'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { checkStore, type CheckResult } from '../../src/store/check.js'
import type { Comparison, KeptChanges } from '../../src/store/check/changes.js'
import { openHighWater, type Mark } from '../../src/store/files/highWater.js'
import { keyFile } from '../../src/store/nodeKey.js'
import { openStore, type OpenedStore } from '../../src/store/open.js'
import { createSeal, type Seal } from '../../src/store/seal.js'
import type { Event } from '../../src/store/model/event.js'
import { eventToRecord } from '../../src/store/model/eventRecord.js'
import { RECOVERED } from '../../src/store/model/recovered.js'
import { canonicalStream, type Stream } from '../../src/store/model/stream.js'
import type { Item } from '../../src/store/ports.js'
import { materialise } from '../../src/sync/document.js'
import { fieldsToItem } from '../../src/sync/fields.js'
import { metIn } from '../../src/sync/merge/documents.js'
import type { HomePlaces } from '../../src/server/init.js'

/** What repair shows for what the changes of an item say. */
function shownFor(item: Item, said: Item, kept: KeptChanges): Item['item'] {
  if (item.kind === 'event' && said.kind === 'event') {
    const { integrity } = item.item
    const there = said.item.streamIds.filter(kept.isStream)
    const streamIds = there.length === 0 ? [RECOVERED] : there
    return { ...said.item, streamIds, ...(integrity === undefined ? {} : { integrity }) }
  }
  if (item.kind !== 'stream' || said.kind !== 'stream' || kept.place === undefined) return said.item
  const { name, parentId } = said.item
  if (!isDeepStrictEqual({ name, parentId }, kept.place)) return said.item
  return { ...said.item, name: item.item.name, parentId: item.item.parentId }
}

/** The bytes that an item is kept as. */
const textOf = ({ kind }: Item, item: Item['item']): string =>
  kind === 'event' ? eventToRecord(item as Event) : JSON.stringify(kind === 'stream' ? canonicalStream(item as Stream) : item)

/** Compares an item with what Automerge makes of its changes, and the bookkeeping with the one they would have. */
export const compareWithChanges: Comparison = (item, kept) => {
  const { changes, book, isMet } = kept
  try {
    const merged = materialise(changes)
    const said = fieldsToItem(item.kind, item.item.id, merged.fields)
    if (merged.missing.length > 0) return 'lacks changes that others build on'
    if (metIn(merged.conflicts).length > 0 && !isMet) return 'has conflicts that are not noted'
    const shown = textOf(item, shownFor(item, said, kept))
    if (shown !== textOf(item, item.item)) return `is not what its changes say: ${shown}`
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

/** What is wrong with the store of a home whose node does not run. */
export const faultsOfStore = async (places: HomePlaces): Promise<CheckResult['problems']> => (await checkClosed(places)).problems

/** Opens the store of a home whose node does not run, and expects everything in it to be right. */
export async function expectSound(places: HomePlaces): Promise<CheckResult> {
  const result = await checkClosed(places)
  expect(result.problems).toEqual([])
  expect(result.ok).toBe(true)
  return result
}

async function checkClosed(places: HomePlaces): Promise<CheckResult> {
  const key = await keyFile(places.key).read()
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
