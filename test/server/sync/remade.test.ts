/** Streams that are deleted and made again under their ids, on nodes with copies of one account. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { callAt, pairSides, sidesInStep, startSide, stopSides, type Side } from '../../support/sync/pairedNodes.js'

let here: Side
let there: Side
beforeAll(async () => {
  here = await startSide()
  there = await startSide()
  await pairSides(here, there)
})
afterAll(() => stopSides(here, there))

const make = (side: Side, id: string): Promise<unknown> => callAt(side, 'streams.create', { id, name: id })
async function remove(side: Side, id: string): Promise<void> {
  for (let step = 0; step < 2; step++) await callAt(side, 'streams.delete', { id })
}
const pause = async (paused: boolean): Promise<void> => {
  await here.node.node.sync.peers.change(here.account, 1, { paused })
}

/** Lists the ids of streams and of deletions, as a client reads them, and of the records behind the deletions. */
async function listedAt(side: Side): Promise<{ streams: string[]; deletions: string[] }> {
  const { streams, streamDeletions } = await callAt(side, 'streams.get', { state: 'all', includeDeletionsSince: 0 })
  const idsOf = (items: unknown): string[] => (items as { id: string }[]).map(({ id }) => id).filter((id) => !id.startsWith(':')).sort()
  const deletions = idsOf(streamDeletions)
  const records: string[] = []
  const { db, prefix } = side.account
  for await (const text of each(db.values(under(accountKeys.streamDeletions(prefix))))) records.push((JSON.parse(text) as { id: string }).id)
  expect(records.sort()).toEqual(deletions)
  return { streams: idsOf(streams), deletions }
}

async function expectAtBoth(expected: { streams: string[]; deletions: string[] }): Promise<void> {
  await sidesInStep(here, there)
  for (const side of [here, there]) expect(await listedAt(side)).toEqual(expected)
}

it('a stream that is deleted here and made again there is no deletion on either', async () => {
  await make(here, 'a')
  await sidesInStep(here, there)
  await remove(here, 'a')
  await expectAtBoth({ streams: [], deletions: ['a'] })
  await make(there, 'a')
  await expectAtBoth({ streams: ['a'], deletions: [] })
  await remove(here, 'a')
  await expectAtBoth({ streams: [], deletions: ['a'] })
})

it('a stream that is deleted and made again while the other node is away is no deletion there', async () => {
  await make(here, 'b')
  await sidesInStep(here, there)
  await pause(true)
  await remove(here, 'b')
  await make(here, 'b')
  await pause(false)
  await expectAtBoth({ streams: ['b'], deletions: ['a'] })
})

it('a stream that one deletes while the other deletes it and makes it again stays, and is no deletion', async () => {
  await pause(true)
  await remove(here, 'b')
  await remove(there, 'b')
  await make(there, 'b')
  await pause(false)
  await expectAtBoth({ streams: ['b'], deletions: ['a'] })
})

it('the deletion of a stream of which the other made its own does not list it', async () => {
  await pause(true)
  await make(here, 'c')
  await remove(here, 'c')
  await make(there, 'c')
  await pause(false)
  await expectAtBoth({ streams: ['b', 'c'], deletions: ['a'] })
})
