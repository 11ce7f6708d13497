/** Full disk: the session reports it to the peer. Also: `sync conflicts` omits items without content. */
import { afterAll, expect, it } from 'vitest'
import { Failure } from '../../../src/store/model/failure.js'
import { noteConflict } from '../../../src/store/engine/mergeState.js'
import { readConflicts } from '../../../src/sync/peers/conflicts.js'
import { readItem } from '../../../src/sync/digest/readItem.js'
import { typicalEvents } from '../wire/typical.js'
import { pair, realNode, withStream, type RealNode } from './realNodes.js'

const nodes: RealNode[] = []
afterAll(async () => {
  for (const node of nodes) await node.stop()
})

it('ends the session with a message for each side when the disk is full', async () => {
  const [a, b] = [await realNode('a'), await realNode('b')]
  nodes.push(a, b)
  await withStream(a, 'heart-rate')
  await a.write(typicalEvents(3, 1).events)
  const isFull = { merge: () => Promise.reject(new Failure('storage-full')) }
  Object.assign(b, { merger: isFull })
  const { a: here, b: there } = await pair(a, b).connect()
  expect(await here.ended).toMatchObject({ reason: 'no-space', byPeer: true, message: expect.stringContaining('disk of the other node is full') as string })
  expect(await there.ended).toMatchObject({ reason: 'no-space', byPeer: false, message: expect.stringContaining('disk of this node is full') as string })
  expect(here.status().state).toBe('behind')
})

it('lists no conflict of a deleted item, and no field without a difference', async () => {
  const a = await realNode('a')
  nodes.push(a)
  await a.account.write((t) => noteConflict(t, 'ecgone0000000000000000000', { edits: ['content'] }, 1))
  await withStream(a, 'body')
  await a.account.write((t) => noteConflict(t, 'sbody', { edits: ['name', 'clientData'] }, 1))
  expect((await readConflicts(a.store, a.account, readItem, 10)).conflicts).toEqual([])
})
