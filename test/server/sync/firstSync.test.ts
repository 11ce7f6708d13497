/** First sync with a node that has a history. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { request } from '../../support/nodes/node.js'
import { callAt, pairSides, sidesInSync, startSide, stopSides, type Side } from '../../support/sync/pairedNodes.js'

let here: Side
let there: Side
beforeAll(async () => {
  here = await startSide()
  there = await startSide()
})
afterAll(() => stopSides(here, there))

it('transfers the current items without placeholders for deleted streams', async () => {
  const id = 'clonggoneandmovedelsewher'
  await callAt(here, 'streams.create', { id: 'old', name: 'old' })
  await callAt(here, 'events.create', { id, streamIds: ['old'], type: 'note/txt', content: 'first' })
  await callAt(here, 'streams.create', { id: 'work', name: 'work' })
  // More items than fit in one group.
  const params = { streamIds: ['work'], type: 'count/generic', content: 1 }
  const body = Array.from({ length: 700 }, () => ({ method: 'events.create', params }))
  await request(`${here.node.url}anna1/`, { token: here.token, body })
  await callAt(here, 'events.update', { id, update: { streamIds: ['work'] } })
  await callAt(here, 'streams.delete', { id: 'old' })
  await callAt(here, 'streams.delete', { id: 'old', mergeEventsWithParent: false })
  await pairSides(here, there)
  await sidesInSync(here, there)
  for (const side of [here, there]) {
    const { streams } = await callAt(side, 'streams.get', { state: 'all' })
    expect((streams as unknown as { id: string }[]).map((stream) => stream.id).filter((one) => !one.startsWith(':'))).toEqual(['work'])
    const { event } = await callAt(side, 'events.getOne', { id })
    expect(event).toMatchObject({ streamIds: ['work'], content: 'first' })
  }
})
