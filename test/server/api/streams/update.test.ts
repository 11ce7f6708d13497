/** Behaviour of streams.update: docs/interface/streams.md#updates. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { describeMethod, type Stage } from '../../../support/http/methodTable.js'
import { announced, watch } from '../../../support/http/announcedChanges.js'

const streamOf = (result: Record<string, unknown>): Record<string, unknown> =>
  (result as { stream: Record<string, unknown> }).stream

/** Two roots: `home` with `room` with `desk` in it, and `garden` with `shed`. */
async function house(s: Stage): Promise<void> {
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

const changing = (id: string, update: unknown) => async (s: Stage) => {
  await house(s)
  return { id, update }
}

const treeOf = async (s: Stage, params: unknown = { state: 'all' }): Promise<Record<string, unknown>[]> =>
  (await s.arrange('streams.get', params))['streams'] as Record<string, unknown>[]

describeMethod('streams.update', [
  {
    it: 'renames a stream',
    given: async (s) => {
      await house(s)
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
    it: 'changes nothing when nothing is asked',
    given: changing('room', {}),
    gives: 200,
    result: { stream: { id: 'room', name: 'Room', parentId: 'home' } },
  },
  {
    it: 'sets, keeps and takes away keys of client data',
    given: changing('room', { clientData: { 'app:colour': 'green', 'app:size': null, 'other:key': [1] } }),
    gives: 200,
    then: (result) => {
      expect(streamOf(result)['clientData']).toEqual({ 'app:colour': 'green', 'other:key': [1] })
    },
  },
  {
    it: 'takes null for optional fields',
    given: changing('garden', { parentId: null, clientData: null, trashed: null }),
    gives: 200,
    then: (result) => {
      expect(streamOf(result)).not.toHaveProperty('clientData')
      expect(streamOf(result)).not.toHaveProperty('trashed')
    },
  },
  {
    it: 'moves a stream with all that is below it',
    given: changing('room', { parentId: 'garden' }),
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
    given: changing('desk', { parentId: null }),
    gives: 200,
    result: { stream: { id: 'desk', parentId: null } },
    then: async (_, s) => {
      const roots = await treeOf(s)
      expect(roots.map((root) => root['id'])).toEqual([':_audit:', ':_system:account', ':_cmc:', 'desk', 'garden', 'home'])
    },
  },
  {
    it: 'trashes a stream',
    given: changing('room', { trashed: true }),
    gives: 200,
    result: { stream: { id: 'room', trashed: true } },
    then: async (_, s) => expect(await treeOf(s, { id: 'home' })).toMatchObject([{ children: [] }]),
  },
  {
    it: 'restores a stream from the trash',
    given: async (s) => {
      await house(s)
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
    it: 'takes the name and parent that the stream has',
    given: changing('room', { name: 'Room', parentId: 'home' }),
    gives: 200,
  },
  {
    it: 'refuses the name of another root',
    given: changing('garden', { name: 'Home' }),
    gives: [409, 'item-already-exists'],
    data: { name: 'Home' },
  },
  {
    it: 'refuses the name of a sibling without its parent being named',
    given: async (s) => {
      await house(s)
      await s.arrange('streams.create', { id: 'hall', name: 'Hall', parentId: 'home' })
      return { id: 'hall', update: { name: 'Room' } }
    },
    gives: [409, 'item-already-exists'],
    data: { name: 'Room' },
  },
  {
    it: 'takes the name of a root for a stream elsewhere',
    given: changing('room', { name: 'Garden' }),
    gives: 200,
  },
  {
    it: 'refuses to move to where the name is taken',
    given: async (s) => {
      await house(s)
      await s.arrange('streams.create', { name: 'Room', parentId: 'garden' })
      return { id: 'room', update: { parentId: 'garden' } }
    },
    gives: [409, 'item-already-exists'],
    data: { name: 'Room' },
  },
  {
    it: 'renames and moves at once',
    given: async (s) => {
      await house(s)
      await s.arrange('streams.create', { name: 'Room', parentId: 'garden' })
      return { id: 'room', update: { parentId: 'garden', name: 'Study' } }
    },
    gives: 200,
    result: { stream: { parentId: 'garden', name: 'Study' } },
  },
  {
    it: 'refuses a stream as its own parent',
    given: changing('room', { parentId: 'room' }),
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses to move a stream below its own child',
    given: changing('home', { parentId: 'desk' }),
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses an unknown parent',
    given: changing('room', { parentId: 'nowhere' }),
    gives: [400, 'unknown-referenced-resource'],
    data: { parentId: 'nowhere' },
  },
  {
    it: 'refuses a parent in the trash',
    given: async (s) => {
      await house(s)
      await s.arrange('streams.delete', { id: 'garden' })
      return { id: 'room', update: { parentId: 'garden' } }
    },
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses an account stream as parent',
    given: changing('room', { parentId: ':_system:account' }),
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses an empty parentId',
    given: changing('room', { parentId: '' }),
    gives: [400, 'invalid-parameters-format'],
  },
  { it: 'refuses an empty name', given: changing('room', { name: '' }), gives: [400, 'invalid-parameters-format'] },
  {
    it: 'refuses client data that is no object',
    given: changing('room', { clientData: ['x'] }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses trashed that is no truth value',
    given: changing('room', { trashed: 'true' }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses an unknown property before a protected one',
    given: changing('room', { colour: 'red', id: 'other' }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses singleActivity, which is no more',
    given: changing('room', { singleActivity: false }),
    gives: [400, 'invalid-parameters-format'],
  },
  ...[{ id: 'x' }, { children: [] }, { created: 1 }, { createdBy: 'x' }, { modified: 1 }, { modifiedBy: 'x' }].map((field) => ({
    it: `refuses the protected field ${Object.keys(field).join()}`,
    given: changing('room', { ...field, name: 'Study' }),
    gives: [403, 'forbidden'] as [403, 'forbidden'],
    then: async (_: unknown, s: Stage) => expect(await treeOf(s, { id: 'room' })).toMatchObject([{ name: 'Room' }]),
  })),
  { it: 'refuses an unknown stream', send: { id: 'nowhere', update: { name: 'X' } }, gives: [404, 'unknown-resource'] },
  {
    it: 'refuses a deleted stream',
    given: async (s) => {
      await house(s)
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
    it: 'refuses an account stream to an app that manages everything',
    as: [{ streamId: '*', level: 'manage' }],
    send: { id: ':_system:language', update: { name: 'X' } },
    gives: [400, 'invalid-operation'],
  },
  ...(['read', 'contribute', 'create-only', 'none'] as const).map((level) => ({
    it: `refuses an app that may only ${level}`,
    given: changing('room', { name: 'Study' }),
    as: [{ streamId: 'home', level }],
    gives: [403, 'forbidden'] as [403, 'forbidden'],
  })),
  {
    it: 'refuses an app whose permission is on the child only',
    given: changing('room', { name: 'Study' }),
    as: [{ streamId: 'desk', level: 'manage' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'lets an app rename the very stream it manages, without repeating its parent',
    given: changing('home', { name: 'House' }),
    as: [{ streamId: 'home', level: 'manage' }],
    gives: 200,
    result: { stream: { name: 'House' } },
  },
  {
    it: 'lets an app move between streams it manages',
    given: changing('room', { parentId: 'garden' }),
    as: [
      { streamId: 'home', level: 'manage' },
      { streamId: 'garden', level: 'manage' },
    ],
    gives: 200,
  },
  {
    it: 'refuses an app that does not manage the new parent',
    given: changing('room', { parentId: 'garden' }),
    as: [
      { streamId: 'home', level: 'manage' },
      { streamId: 'garden', level: 'contribute' },
    ],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses an app that may not make roots to move a stream there',
    given: changing('room', { parentId: null }),
    as: [{ streamId: 'home', level: 'manage' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'lets an app that manages everything move a stream to the root',
    given: changing('room', { parentId: null }),
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

  it('takes an update without its protected fields when so configured', async () => {
    const { status, body } = await send('home', { id: 'other', created: 1, modifiedBy: 'x', children: [], name: 'House' })
    expect(status).toBe(200)
    const stream = streamOf(body)
    expect(stream).toMatchObject({ id: 'home', name: 'House', children: [] })
    expect(stream['created']).not.toBe(1)
    expect(stream['modifiedBy']).not.toBe('x')
  })

  it('takes a stream as it was read, changed in its name', async () => {
    await request(`${node.url}alice/streams`, { token, body: { id: 'read', name: 'Read', clientData: { a: 1 }, childrenHidden: true } })
    await request(`${node.url}alice/streams`, { token, body: { id: 'below', name: 'Below', parentId: 'read' } })
    const { body } = await request(`${node.url}alice/streams?id=read`, { token })
    const [read] = body['streams'] as object[]
    const { status, body: answer } = await send('read', { ...read, name: 'Written' })
    expect(status).toBe(200)
    expect(streamOf(answer)).toMatchObject({ id: 'read', name: 'Written', clientData: { a: 1 } })
  })

  it('refuses unknown properties all the same', async () => {
    const { status, body } = await send('home', { colour: 'red' })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { id: 'invalid-parameters-format' } })
  })

  it('refuses a list as body', async () => {
    const { status, body } = await send('home', [{ name: 'X' }])
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { id: 'invalid-parameters-format' } })
  })

  it('never makes a cycle, however moves meet', async () => {
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
