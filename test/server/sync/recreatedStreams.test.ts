/** Streams that are deleted and recreated with the same id on mirror nodes. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { callAt, pairSides, sidesInSync, startSide, stopSides, type Side } from '../../support/sync/pairedNodes.js'

let here: Side
let there: Side
beforeAll(async () => {
  here = await startSide()
  there = await startSide()
  await pairSides(here, there)
})
afterAll(() => stopSides(here, there))

const createStream = (side: Side, id: string): Promise<unknown> => callAt(side, 'streams.create', { id, name: id })
async function remove(side: Side, id: string): Promise<void> {
  for (let step = 0; step < 2; step++) await callAt(side, 'streams.delete', { id })
}
const pause = async (paused: boolean): Promise<void> => {
  await here.node.node.sync.peers.change(here.account, 1, { paused })
}

/** Returns the ids of streams and of deletions as a client reads them; checks the records of the deletions. */
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
  await sidesInSync(here, there)
  for (const side of [here, there]) expect(await listedAt(side)).toEqual(expected)
}

it('a stream deleted on one node and recreated on the other is not listed as deleted', async () => {
  await createStream(here, 'a')
  await sidesInSync(here, there)
  await remove(here, 'a')
  await expectAtBoth({ streams: [], deletions: ['a'] })
  await createStream(there, 'a')
  await expectAtBoth({ streams: ['a'], deletions: [] })
  await remove(here, 'a')
  await expectAtBoth({ streams: [], deletions: ['a'] })
})

it('a stream deleted and recreated while the other node is disconnected is not listed as deleted there', async () => {
  await createStream(here, 'b')
  await sidesInSync(here, there)
  await pause(true)
  await remove(here, 'b')
  await createStream(here, 'b')
  await pause(false)
  await expectAtBoth({ streams: ['b'], deletions: ['a'] })
})

it('a stream deleted on one node and concurrently deleted and recreated on the other remains', async () => {
  await pause(true)
  await remove(here, 'b')
  await remove(there, 'b')
  await createStream(there, 'b')
  await pause(false)
  await expectAtBoth({ streams: ['b'], deletions: ['a'] })
})

it('a stream concurrently created and deleted on one node and created on the other remains', async () => {
  await pause(true)
  await createStream(here, 'c')
  await remove(here, 'c')
  await createStream(there, 'c')
  await pause(false)
  await expectAtBoth({ streams: ['b', 'c'], deletions: ['a'] })
})
