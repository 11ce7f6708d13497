/** What the guest of a share has made again of what both deleted, once the shared stream is gone: it is the guest's own. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callAt, pairSides, sharing, sidesInStep, startSide, stopSides, type Side } from '../../support/sync/pairedNodes.js'

let host: Side
let guest: Side
beforeAll(async () => {
  host = await startSide()
  guest = await startSide()
  await callAt(host, 'streams.create', { id: 'shared', name: 'shared' })
  await callAt(host, 'streams.create', { id: 'inside', name: 'inside', parentId: 'shared' })
  await pairSides(host, guest, guest.node.url, sharing('shared'))
  await sidesInStep(host, guest)
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

it('both are in sync, and it stays there', async () => {
  await pause(true)
  await remove(guest, 'inside')
  await callAt(guest, 'streams.create', { id: 'inside', name: 'again', parentId: 'shared' })
  await remove(host, 'shared')
  await pause(false)
  await sidesInStep(host, guest)
  expect([await namesAt(host), await namesAt(guest)]).toEqual([[], ['again']])
  // Not even the deletion that both know is counted, in the next contact either.
  await pause(true)
  await pause(false)
  await sidesInStep(host, guest)
})

it('comes to the other side once the shared stream is there again', async () => {
  await callAt(host, 'streams.create', { id: 'shared', name: 'new' })
  await sidesInStep(host, guest)
  expect([await namesAt(host), await namesAt(guest)]).toEqual([['new', 'again'], ['new', 'again']])
})
