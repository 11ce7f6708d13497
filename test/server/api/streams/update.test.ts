/** Behaviour of streams.update: docs/interface/streams.md#updates. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { describeMethod, type Stage } from '../../../support/http/methodTable.js'
import { announced, watch } from '../../../support/http/announcedChanges.js'

const streamOf = (result: Record<string, unknown>): Record<string, unknown> =>
  (result as { stream: Record<string, unknown> }).stream

/** Creates the streams `home` > `room` > `desk`, and `garden` > `shed`. */
async function createHouse(s: Stage): Promise<void> {
  await s.arrange('streams.create', { id: 'home', name: 'Home' })
  await s.arrange('streams.create', {
    id: 'room',
    name: 'Room',
    parentId: 'home',
    clientData: { 'app:colour': 'white', 'app:size': 12 },
  })
  await s.arrange('streams.create', { id: 'desk', name: 'Desk', parentId: 'room' })
  await s.arrange('streams.create', { id: 'garden', name: 'Garden' })
  await s.arrange('streams.create', { id: 'shed', name: 'Shed', parentId: 'garden' })
}

const updateOf = (id: string, update: unknown) => async (s: Stage) => {
  await createHouse(s)
  return { id, update }
}

const treeOf = async (s: Stage, params: unknown = { state: 'all' }): Promise<Record<string, unknown>[]> =>
  (await s.arrange('streams.get', params))['streams'] as Record<string, unknown>[]

describeMethod('streams.update', [
  {
    it: 'renames a stream',
    given: async (s) => {
      await createHouse(s)
      await watch(s)
      return { id: 'room', update: { name: 'Study' } }
    },
    gives: 200,
    result: { stream: { id: 'room', name: 'Study', parentId: 'home', clientData: { 'app:colour': 'white' }, children: [] } },
    then: async (result, s) => {
      const stream = streamOf(result)
      expect(stream['modified']).toBeGreaterThanOrEqual(Number(stream['created']))
      expect(announced(s)).toEqual(['stream update room'])
      expect(await treeOf(s, { id: 'room' })).toMatchObject([{ name: 'Study', children: [{ id: 'desk' }] }])
    },
  },
  {
    it: 'changes nothing with an empty update',
    given: updateOf('room', {}),
    gives: 200,
    result: { stream: { id: 'room', name: 'Room', parentId: 'home' } },
  },
  {
    it: 'sets, keeps and removes keys of client data',
    given: updateOf('room', { clientData: { 'app:colour': 'green', 'app:size': null, 'other:key': [1] } }),
    gives: 200,
    then: (result) => {
      expect(streamOf(result)['clientData']).toEqual({ 'app:colour': 'green', 'other:key': [1] })
    },
  },
  {
    it: 'accepts null for optional fields',
    given: updateOf('garden', { parentId: null, clientData: null, trashed: null }),
    gives: 200,
    then: (result) => {
      expect(streamOf(result)).not.toHaveProperty('clientData')
      expect(streamOf(result)).not.toHaveProperty('trashed')
    },
  },
  {
    it: 'moves a stream with its descendants',
    given: updateOf('room', { parentId: 'garden' }),
    gives: 200,
    result: { stream: { id: 'room', parentId: 'garden' } },
    then: async (_, s) => {
      expect(await treeOf(s, { id: 'garden' })).toMatchObject([
        { children: [{ id: 'room', children: [{ id: 'desk' }] }, { id: 'shed' }] },
      ])
    },
  },
  {
    it: 'moves a stream to the root',
    given: updateOf('desk', { parentId: null }),
    gives: 200,
    result: { stream: { id: 'desk', parentId: null } },
    then: async (_, s) => {
      const roots = await treeOf(s)
      expect(roots.map((root) => root['id'])).toEqual([':_audit:', ':_system:account', ':_cmc:', 'desk', 'garden', 'home'])
    },
  },
  {
    it: 'trashes a stream',
    given: updateOf('room', { trashed: true }),
    gives: 200,
    result: { stream: { id: 'room', trashed: true } },
    then: async (_, s) => expect(await treeOf(s, { id: 'home' })).toMatchObject([{ children: [] }]),
  },
  {
    it: 'restores a trashed stream',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'room' })
      return { id: 'room', update: { trashed: false } }
    },
    gives: 200,
    then: async (result, s) => {
      expect(streamOf(result)).not.toHaveProperty('trashed')
      expect(await treeOf(s, { parentId: 'home' })).toMatchObject([{ id: 'room', children: [{ id: 'desk' }] }])
    },
  },
  {
    it: 'accepts the current name and parent of the stream',
    given: updateOf('room', { name: 'Room', parentId: 'home' }),
    gives: 200,
  },
  {
    it: 'refuses the name of another root',
    given: updateOf('garden', { name: 'Home' }),
    gives: [409, 'item-already-exists'],
    data: { name: 'Home' },
  },
  {
    it: 'refuses the name of a sibling in an update without parentId',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.create', { id: 'hall', name: 'Hall', parentId: 'home' })
      return { id: 'hall', update: { name: 'Room' } }
    },
    gives: [409, 'item-already-exists'],
    data: { name: 'Room' },
  },
  {
    it: 'accepts the name of a root for a stream with a parent',
    given: updateOf('room', { name: 'Garden' }),
    gives: 200,
  },
  {
    it: 'refuses to move a stream below a parent with a child of its name',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.create', { name: 'Room', parentId: 'garden' })
      return { id: 'room', update: { parentId: 'garden' } }
    },
    gives: [409, 'item-already-exists'],
    data: { name: 'Room' },
  },
  {
    it: 'renames and moves a stream in one update',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.create', { name: 'Room', parentId: 'garden' })
      return { id: 'room', update: { parentId: 'garden', name: 'Study' } }
    },
    gives: 200,
    result: { stream: { parentId: 'garden', name: 'Study' } },
  },
  {
    it: 'refuses a stream as its own parent',
    given: updateOf('room', { parentId: 'room' }),
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses to move a stream below its own child',
    given: updateOf('home', { parentId: 'desk' }),
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses an unknown parent',
    given: updateOf('room', { parentId: 'nowhere' }),
    gives: [400, 'unknown-referenced-resource'],
    data: { parentId: 'nowhere' },
  },
  {
    it: 'refuses a trashed parent',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'garden' })
      return { id: 'room', update: { parentId: 'garden' } }
    },
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses an account stream as parent',
    given: updateOf('room', { parentId: ':_system:account' }),
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses an empty parentId',
    given: updateOf('room', { parentId: '' }),
    gives: [400, 'invalid-parameters-format'],
  },
  { it: 'refuses an empty name', given: updateOf('room', { name: '' }), gives: [400, 'invalid-parameters-format'] },
  {
    it: 'refuses client data that is not an object',
    given: updateOf('room', { clientData: ['x'] }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses a trashed that is not a boolean',
    given: updateOf('room', { trashed: 'true' }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses an unknown property before a protected one',
    given: updateOf('room', { colour: 'red', id: 'other' }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses the removed field singleActivity',
    given: updateOf('room', { singleActivity: false }),
    gives: [400, 'invalid-parameters-format'],
  },
  ...[{ id: 'x' }, { children: [] }, { created: 1 }, { createdBy: 'x' }, { modified: 1 }, { modifiedBy: 'x' }].map((field) => ({
    it: `refuses the protected field ${Object.keys(field).join()}`,
    given: updateOf('room', { ...field, name: 'Study' }),
    gives: [403, 'forbidden'] as [403, 'forbidden'],
    then: async (_: unknown, s: Stage) => expect(await treeOf(s, { id: 'room' })).toMatchObject([{ name: 'Room' }]),
  })),
  { it: 'refuses an unknown stream', send: { id: 'nowhere', update: { name: 'X' } }, gives: [404, 'unknown-resource'] },
  {
    it: 'refuses a deleted stream',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'desk' })
      await s.arrange('streams.delete', { id: 'desk' })
      return { id: 'desk', update: { trashed: false } }
    },
    gives: [404, 'unknown-resource'],
  },
  ...[':_system:account', ':_system:language', ':_system:storageUsed', ':_system:appId', ':system:email'].map((id) => ({
    it: `refuses the account stream ${id}`,
    send: { id, update: { name: 'X' } },
    gives: [400, 'invalid-operation'] as [400, 'invalid-operation'],
  })),
  {
    it: 'refuses an account stream for an app with manage on *',
    as: [{ streamId: '*', level: 'manage' }],
    send: { id: ':_system:language', update: { name: 'X' } },
    gives: [400, 'invalid-operation'],
  },
  ...(['read', 'contribute', 'create-only', 'none'] as const).map((level) => ({
    it: `refuses an app with ${level}`,
    given: updateOf('room', { name: 'Study' }),
    as: [{ streamId: 'home', level }],
    gives: [403, 'forbidden'] as [403, 'forbidden'],
  })),
  {
    it: 'refuses an app with a permission on a child only',
    given: updateOf('room', { name: 'Study' }),
    as: [{ streamId: 'desk', level: 'manage' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'allows an app to rename the stream it manages, without parentId',
    given: updateOf('home', { name: 'House' }),
    as: [{ streamId: 'home', level: 'manage' }],
    gives: 200,
    result: { stream: { name: 'House' } },
  },
  {
    it: 'allows an app to move a stream between streams it manages',
    given: updateOf('room', { parentId: 'garden' }),
    as: [
      { streamId: 'home', level: 'manage' },
      { streamId: 'garden', level: 'manage' },
    ],
    gives: 200,
  },
  {
    it: 'refuses an app that does not manage the new parent',
    given: updateOf('room', { parentId: 'garden' }),
    as: [
      { streamId: 'home', level: 'manage' },
      { streamId: 'garden', level: 'contribute' },
    ],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses a move to the root by an app without permission to create roots',
    given: updateOf('room', { parentId: null }),
    as: [{ streamId: 'home', level: 'manage' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'allows a move to the root by an app with manage on *',
    given: updateOf('room', { parentId: null }),
    as: [{ streamId: '*', level: 'manage' }],
    gives: 200,
  },
])

describe('streams.update over HTTP', () => {
  let node: TestNode
  let token: string
  beforeAll(async () => {
    node = await startTestNode({ 'updates.ignoreProtectedFields': true })
    token = await registerUser(node, 'alice')
    await request(`${node.url}alice/streams`, { token, body: { id: 'home', name: 'Home' } })
  })
  afterAll(() => node.stop())

  const send = (id: string, body: unknown) => request(`${node.url}alice/streams/${id}`, { method: 'PUT', token, body })

  it('ignores protected fields of an update when so configured', async () => {
    const { status, body } = await send('home', { id: 'other', created: 1, modifiedBy: 'x', children: [], name: 'House' })
    expect(status).toBe(200)
    const stream = streamOf(body)
    expect(stream).toMatchObject({ id: 'home', name: 'House', children: [] })
    expect(stream['created']).not.toBe(1)
    expect(stream['modifiedBy']).not.toBe('x')
  })

  it('accepts a stream as it was read, with another name', async () => {
    await request(`${node.url}alice/streams`, { token, body: { id: 'read', name: 'Read', clientData: { a: 1 }, childrenHidden: true } })
    await request(`${node.url}alice/streams`, { token, body: { id: 'below', name: 'Below', parentId: 'read' } })
    const { body } = await request(`${node.url}alice/streams?id=read`, { token })
    const [read] = body['streams'] as object[]
    const { status, body: answer } = await send('read', { ...read, name: 'Written' })
    expect(status).toBe(200)
    expect(streamOf(answer)).toMatchObject({ id: 'read', name: 'Written', clientData: { a: 1 } })
  })

  it('still refuses unknown properties', async () => {
    const { status, body } = await send('home', { colour: 'red' })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { id: 'invalid-parameters-format' } })
  })

  it('refuses a list as body', async () => {
    const { status, body } = await send('home', [{ name: 'X' }])
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { id: 'invalid-parameters-format' } })
  })

  it('creates no cycle by concurrent moves', async () => {
    for (const id of ['a', 'b', 'c']) await request(`${node.url}alice/streams`, { token, body: { id, name: id } })
    await Promise.all([
      send('a', { parentId: 'b' }),
      send('b', { parentId: 'c' }),
      send('c', { parentId: 'a' }),
    ])
    const { body } = await request(`${node.url}alice/streams`, { token })
    const ids: string[] = []
    const collect = (streams: { id: string; children: never[] }[]): void => {
      for (const stream of streams) {
        ids.push(stream.id)
        collect(stream.children)
      }
    }
    collect(body['streams'] as { id: string; children: never[] }[])
    expect(ids).toEqual(expect.arrayContaining(['a', 'b', 'c', 'home']))
  })
})
