/** A stream recreated by the guest of a share after both deleted it: it belongs to the guest once the share is deleted. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callAt, pairSides, sharing, sidesInSync, startSide, stopSides, type Side } from '../../support/sync/pairedNodes.js'

let host: Side
let guest: Side
beforeAll(async () => {
  host = await startSide()
  guest = await startSide()
  await callAt(host, 'streams.create', { id: 'shared', name: 'shared' })
  await callAt(host, 'streams.create', { id: 'inside', name: 'inside', parentId: 'shared' })
  await pairSides(host, guest, guest.node.url, sharing('shared'))
  await sidesInSync(host, guest)
})
afterAll(() => stopSides(host, guest))

async function remove(side: Side, id: string): Promise<void> {
  await callAt(side, 'streams.update', { id, update: { trashed: true } })
  await callAt(side, 'streams.delete', { id, mergeEventsWithParent: false })
}

const namesAt = async (side: Side): Promise<string[]> => {
  const { streams } = await callAt(side, 'streams.get', { state: 'all' })
  const named = (all: { name: string; id: string; children: [] }[]): string[] => all.flatMap(({ name, children }) => [name, ...named(children)])
  return named((streams as unknown as { name: string; id: string; children: [] }[]).filter(({ id }) => !id.startsWith(':')))
}

const pause = (paused: boolean): Promise<unknown> => host.node.node.sync.peers.change(host.account, 1, { paused })

it('the recreated stream remains on the guest, and both are in sync', async () => {
  await pause(true)
  await remove(guest, 'inside')
  await callAt(guest, 'streams.create', { id: 'inside', name: 'again', parentId: 'shared' })
  await remove(host, 'shared')
  await pause(false)
  await sidesInSync(host, guest)
  expect([await namesAt(host), await namesAt(guest)]).toEqual([[], ['again']])
  // The deletion known to both does not count as a difference, in the next session either.
  await pause(true)
  await pause(false)
  await sidesInSync(host, guest)
})

it('the recreated stream is synced once the shared stream exists again', async () => {
  await callAt(host, 'streams.create', { id: 'shared', name: 'new' })
  await sidesInSync(host, guest)
  expect([await namesAt(host), await namesAt(guest)]).toEqual([['new', 'again'], ['new', 'again']])
})
