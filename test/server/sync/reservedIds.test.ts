/** Stored streams with ids that are reserved now, on mirror nodes. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addStream } from '../../../src/store/streams/streams.js'
import { callAt, pairSides, sidesInSync, startSide, stopSides, type Side } from '../../support/sync/pairedNodes.js'

let here: Side
let there: Side
beforeAll(async () => {
  here = await startSide()
  there = await startSide()
})
afterAll(() => stopSides(here, there))

it('streams with reserved ids and their changes are synced', async () => {
  const ids = ['.', '..', ':_emails:x', ':_cmc:x']
  const { account, node } = here
  await account.write((t) => {
    for (const id of ids) addStream(account, t, node.node.store.recorder, { id, name: id, parentId: null, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' })
  })
  await callAt(here, 'events.create', { streamIds: ['.', ':_emails:x'], type: 'note/txt', content: 'x' })
  await pairSides(here, there)
  await sidesInSync(here, there)
  expect(ids.filter((id) => there.account.tree.has(id))).toEqual(ids)
  await callAt(there, 'streams.update', { id: ':_cmc:x', update: { name: 'renamed' } })
  await callAt(there, 'streams.create', { id: 'after', name: 'after', parentId: '..' })
  await sidesInSync(here, there)
  expect(here.account.tree.get(':_cmc:x')).toMatchObject({ name: 'renamed' })
  expect(here.account.tree.get('after')).toMatchObject({ parentId: '..' })
  for (const side of [here, there]) {
    expect(side.account.mergeState.refused.size).toBe(0)
    expect((await callAt(side, 'events.get', { streams: ['.'] }))['events']).toHaveLength(1)
  }
})
