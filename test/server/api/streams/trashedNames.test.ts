/**
 * Error messages about names and ids of trashed streams (docs/interface/streams.md#creation,
 * docs/interface/streams.md#updates).
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { callThrough, newStage, type Transport, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'

const at = withNode()

describe.each<Transport>(['http', 'form', 'batch', 'socket'])('a trashed stream (%s)', (transport) => {
  let s: Stage
  beforeAll(async () => {
    s = await newStage(at())
    for (const [id, name, parentId] of [['kept', 'Kept', null], ['gone', 'Gone', null], ['other', 'Other', null], ['below', 'Gone', 'kept']]) {
      await s.arrange('streams.create', { id, name, parentId })
    }
    await s.arrange('streams.delete', { id: 'gone' })
  })

  const permissions = [{ streamId: 'new', level: 'read', defaultName: 'Gone' }]
  it.each<[string, unknown, object]>([
    ['streams.create', { name: 'Gone' }, { name: 'Gone' }],
    ['streams.create', { id: 'gone', name: 'New' }, { id: 'gone' }],
    ['streams.update', { id: 'other', update: { name: 'Gone' } }, { name: 'Gone' }],
    ['streams.update', { id: 'below', update: { parentId: null } }, { name: 'Gone' }],
    ['accesses.create', { name: 'a', permissions }, { name: 'Gone' }],
  ])('is mentioned as trashed in the error of a conflict: %s %j', async (method, params, data) => {
    const { status, body } = await callThrough(transport, s, s.owner, method, params)
    expect({ status, ...body }).toMatchObject({
      status: 409,
      error: { id: 'item-already-exists', message: expect.stringContaining('in the trash') as string, data },
    })
  })

  it('is not mentioned in the error of a conflict with another stream', async () => {
    const { body } = await callThrough(transport, s, s.owner, 'streams.create', { name: 'Kept' })
    expect((body['error'] as { message: string }).message).not.toContain('trash')
  })
})
