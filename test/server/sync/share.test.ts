/** Contents of a shared stream on both nodes while items enter and leave the share. */
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { request } from '../../support/nodes/node.js'
import { callAt, pairSides, sharing, sidesInSync, startSide, type Side } from '../../support/sync/pairedNodes.js'

let host: Side
let guest: Side
beforeAll(async () => {
  host = await startSide()
  guest = await startSide()
  for (const [id, parentId] of [['shared', null], ['inside', 'shared'], ['private', null]]) {
    await callAt(host, 'streams.create', { id, name: id, parentId })
  }
})
afterAll(async () => {
  for (const { home, node } of [host, guest]) {
    await node.stop()
    await rm(home, { recursive: true, force: true })
  }
})

const note = async (streamId: string): Promise<string> =>
  String((await callAt(host, 'events.create', { streamIds: [streamId], type: 'note/txt', content: 'x' }))['event']?.['id'])

const seriesAt = ({ node }: Side, id: string): string => `${node.url}anna1/events/${id}/series`

async function addPoints(side: Side, id: string, points: number[][]): Promise<void> {
  const { status } = await request(seriesAt(side, id), { token: side.token, body: { format: 'flatJSON', fields: ['deltaTime', 'value'], points } })
  expect(status).toBe(200)
}

const pointsAt = async (side: Side, id: string): Promise<unknown> => (await request(`${seriesAt(side, id)}?toDeltaTime=1000`, { token: side.token })).body['points']

async function idsAt(side: Side): Promise<string[]> {
  const { streams } = await callAt(side, 'streams.get', { state: 'all' })
  const { events } = await callAt(side, 'events.get', { state: 'all', limit: 1000 })
  const ids = [streams, events].flatMap((items) => (items as unknown as { id: string }[]).map(({ id }) => id))
  return ids.filter((id) => !id.startsWith(':')).sort()
}

it('a series and its earlier points are synced', async () => {
  const made = await callAt(host, 'events.create', { streamIds: ['inside'], type: 'series:mass/kg' })
  const id = String(made['event']?.['id'])
  await addPoints(host, id, [[0, 71], [60, 72]])
  await pairSides(host, guest, guest.node.url, sharing('shared'))
  await sidesInSync(host, guest)
  expect(await pointsAt(guest, id)).toEqual([[0, 71], [60, 72]])
  await addPoints(guest, id, [[120, 73]])
  await sidesInSync(host, guest)
  expect(await pointsAt(host, id)).toHaveLength(3)
})

it('events moved into a stream that enters the share are sent after it', async () => {
  for (const [id, parentId] of [['trip', null], ['photos', 'trip']]) await callAt(host, 'streams.create', { id, name: id, parentId })
  const id = await note('inside')
  await sidesInSync(host, guest)
  const refusals = vi.spyOn(guest.account.mergeState.refused, 'set')
  const { peers } = host.node.node.sync
  const pause = (paused: boolean): Promise<unknown> => peers.change(host.account, 1, { paused })
  await pause(true)
  await callAt(host, 'streams.update', { id: 'trip', update: { parentId: 'inside' } })
  await callAt(host, 'events.update', { id, update: { streamIds: ['photos'] } })
  await pause(false)
  await sidesInSync(host, guest)
  // An event received before its stream would be refused, and sent again after a comparison.
  expect(refusals.mock.calls).toEqual([])
  refusals.mockRestore()
  expect((await callAt(guest, 'events.getOne', { id }))['event']).toMatchObject({ streamIds: ['photos'] })
})

it('a stream that enters the share while no session runs is added to the events in it that the peer has', async () => {
  await callAt(host, 'streams.create', { id: 'later', name: 'later', parentId: null })
  const made = await callAt(host, 'events.create', { streamIds: ['inside', 'later'], type: 'note/txt', content: 'x' })
  const id = made['event']?.['id']
  await sidesInSync(host, guest)
  expect((await callAt(guest, 'events.getOne', { id }))['event']).toMatchObject({ streamIds: ['inside'] })
  const { peers } = host.node.node.sync
  await peers.change(host.account, 1, { paused: true })
  await callAt(host, 'streams.update', { id: 'later', update: { parentId: 'inside' } })
  await peers.change(host.account, 1, { paused: false })
  await sidesInSync(host, guest)
  expect((await callAt(guest, 'events.getOne', { id }))['event']).toMatchObject({ streamIds: ['inside', 'later'] })
})

it('a stream deleted and recreated outside of the share is withdrawn, and the new one is not sent', async () => {
  await callAt(host, 'streams.create', { id: 'again', name: 'again', parentId: 'shared' })
  await sidesInSync(host, guest)
  const { peers } = host.node.node.sync
  await peers.change(host.account, 1, { paused: true })
  await callAt(host, 'streams.update', { id: 'again', update: { trashed: true } })
  await callAt(host, 'streams.delete', { id: 'again' })
  await callAt(host, 'streams.create', { id: 'again', name: 'secret', parentId: null })
  const refusals = vi.spyOn(guest.account.mergeState.refused, 'set')
  await peers.change(host.account, 1, { paused: false })
  await sidesInSync(host, guest)
  expect(await idsAt(guest)).not.toContain('again')
  expect(refusals.mock.calls).toEqual([])
  refusals.mockRestore()
  await callAt(host, 'streams.update', { id: 'again', update: { trashed: true } })
  await callAt(host, 'streams.delete', { id: 'again' })
})

it('the contents of a stream are withdrawn with it, when it leaves the share and when it is deleted', async () => {
  // More events than fit in one group, so that streams are withdrawn before their events.
  const { length } = await Promise.all(Array.from({ length: 600 }, () => note('inside')))
  await sidesInSync(host, guest)
  expect((await idsAt(guest)).length).toBeGreaterThan(length)
  await callAt(host, 'streams.update', { id: 'inside', update: { parentId: 'private' } })
  await sidesInSync(host, guest)
  expect(await idsAt(guest)).toEqual(['shared'])

  await callAt(host, 'streams.update', { id: 'inside', update: { parentId: 'shared' } })
  await sidesInSync(host, guest)
  await callAt(host, 'streams.update', { id: 'shared', update: { trashed: true } })
  await callAt(host, 'streams.delete', { id: 'shared', mergeEventsWithParent: false })
  await sidesInSync(host, guest)
  expect(await idsAt(host)).toEqual(['private'])
  // Nothing remains, in any order of withdrawal.
  expect((await idsAt(guest)).filter((id) => id !== 'recovered')).toEqual([])
})
