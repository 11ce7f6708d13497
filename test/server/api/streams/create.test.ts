/** Behaviour of streams.create: docs/interface/streams.md. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grantAccess } from '../../../support/people/access.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { describeMethod, type Stage } from '../../../support/http/methodTable.js'
import { announced, watch } from '../../../support/http/announcedChanges.js'

type StreamAnswer = { stream: Record<string, unknown> }

const streamOf = (result: Record<string, unknown>): Record<string, unknown> => (result as StreamAnswer).stream

/** Creates a root stream `home` with a child `room`. */
async function createHouse(s: Stage): Promise<void> {
  await s.arrange('streams.create', { id: 'home', name: 'Home' })
  await s.arrange('streams.create', { id: 'room', name: 'Room', parentId: 'home' })
}

const afterHouse = (send: unknown) => async (s: Stage) => {
  await createHouse(s)
  return send
}

/** Ids of requests, with the ids that the node derives from them. */
const slugs: [string, string][] = [
  ['pas encodé de bleu!', 'pas-encode-de-bleu'],
  ['  A b.c~d_e  ', 'A-b.c~d_e'],
  ['hello/world', 'helloworld'],
  ['a:b', 'ab'],
  ['x*y', 'xy'],
  ['a--b', 'a-b'],
  ['-x-', 'x'],
  ['.a.', '.a.'],
  ['Ünïcode ß', 'Unicode-ss'],
  ['a@b.c', 'ab.c'],
  ['日本', '5pel5pys'],
  ['size', 'size'],
  ['constructor', 'constructor'],
  ['__proto__', '__proto__'],
]

describeMethod('streams.create', [
  {
    it: 'creates a root stream from a name alone',
    given: async (s) => {
      await watch(s)
      return { name: 'Weight' }
    },
    gives: 201,
    then: (result, s) => {
      const stream = streamOf(result)
      expect(stream).toEqual({
        id: expect.stringMatching(/^[a-z][a-z0-9]{23}$/) as string,
        name: 'Weight',
        parentId: null,
        children: [],
        created: expect.any(Number) as number,
        createdBy: expect.stringMatching(/^[a-z0-9]{24}$/) as string,
        modified: stream['created'],
        modifiedBy: stream['createdBy'],
      })
      expect(announced(s)).toEqual([`stream create ${String(stream['id'])}`])
    },
  },
  {
    it: 'stores the fields of the request, and overwrites tracking fields',
    given: afterHouse({
      id: 'desk',
      name: 'Desk',
      parentId: 'room',
      clientData: { 'app:colour': 'oak', nested: { a: [1, null] } },
      trashed: false,
      children: [{ id: 'ignored' }],
      childrenHidden: null,
      created: 1,
      createdBy: 'me',
      modified: 2,
      modifiedBy: 'me',
    }),
    gives: 201,
    result: {
      stream: { id: 'desk', parentId: 'room', clientData: { 'app:colour': 'oak', nested: { a: [1, null] } }, children: [] },
    },
    then: (result) => {
      const stream = streamOf(result)
      expect(stream).not.toHaveProperty('trashed')
      expect(stream['created']).toBeGreaterThan(1e9)
      expect(stream['createdBy']).not.toBe('me')
      expect(stream['modifiedBy']).toBe(stream['createdBy'])
    },
  },
  {
    it: 'creates a trashed stream',
    send: { id: 'old', name: 'Old', trashed: true },
    gives: 201,
    result: { stream: { id: 'old', trashed: true } },
  },
  {
    it: 'accepts null for optional fields',
    send: { id: 'plain', name: 'Plain', parentId: null, clientData: null, trashed: null, children: null },
    gives: 201,
    then: (result) => {
      expect(Object.keys(streamOf(result)).sort()).toEqual(
        ['children', 'created', 'createdBy', 'id', 'modified', 'modifiedBy', 'name', 'parentId'].sort(),
      )
    },
  },
  ...slugs.map(([id, slug]) => ({
    it: `derives the id ${slug} from ${JSON.stringify(id)}`,
    send: { id, name: 'Any' },
    gives: 201 as const,
    result: { stream: { id: slug } },
    only: ['http' as const],
  })),
  { it: 'refuses a missing name', send: { id: 'x' }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses an empty name', send: { name: '' }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses a name that is not a string', send: { name: 5 }, gives: [400, 'invalid-parameters-format'] },
  {
    it: 'refuses an unknown property',
    send: { name: 'X', colour: 'red' },
    gives: [400, 'invalid-parameters-format'],
    then: (result) =>
      void expect(result).toMatchObject({ error: { data: [{ code: 'OBJECT_ADDITIONAL_PROPERTIES', path: '#/' }] } }),
  },
  {
    it: 'refuses the removed field singleActivity',
    send: { name: 'X', singleActivity: true },
    gives: [400, 'invalid-parameters-format'],
  },
  { it: 'refuses an empty parentId', send: { name: 'X', parentId: '' }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses an empty id', send: { name: 'X', id: '' }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses an id that is not a string', send: { name: 'X', id: 7 }, gives: [400, 'invalid-parameters-format'] },
  {
    it: 'refuses clientData that is not an object',
    send: { name: 'X', clientData: 'text' },
    gives: [400, 'invalid-parameters-format'],
  },
  { it: 'refuses a list', send: [{ name: 'X' }], gives: [400, 'invalid-parameters-format'] },
  {
    it: 'refuses the id of another stream',
    given: afterHouse({ id: 'home', name: 'Other' }),
    gives: [409, 'item-already-exists'],
    data: { id: 'home' },
  },
  {
    it: 'refuses an id whose slug is the id of another stream',
    given: afterHouse({ id: ' home! ', name: 'Other' }),
    gives: [409, 'item-already-exists'],
    data: { id: 'home' },
  },
  {
    it: 'refuses the id of a trashed stream',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'room' })
      return { id: 'room', name: 'New room', parentId: 'home' }
    },
    gives: [409, 'item-already-exists'],
    data: { id: 'room' },
  },
  {
    it: 'accepts the id of a deleted stream',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'room' })
      await s.arrange('streams.delete', { id: 'room' })
      return { id: 'room', name: 'Room', parentId: 'home' }
    },
    gives: 201,
  },
  {
    it: 'refuses the name of a sibling',
    given: afterHouse({ name: 'Room', parentId: 'home' }),
    gives: [409, 'item-already-exists'],
    data: { name: 'Room' },
  },
  {
    it: 'refuses the name of another root',
    given: afterHouse({ name: 'Home' }),
    gives: [409, 'item-already-exists'],
    data: { name: 'Home' },
  },
  {
    it: 'accepts a name with other case or blanks, or of a stream with another parent',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.create', { name: 'room', parentId: 'home' })
      await s.arrange('streams.create', { name: ' Room', parentId: 'home' })
      return { name: 'Room' }
    },
    gives: 201,
  },
  {
    it: 'refuses an unknown parent',
    send: { name: 'X', parentId: 'nowhere' },
    gives: [400, 'unknown-referenced-resource'],
    data: { parentId: 'nowhere' },
  },
  {
    it: 'refuses a trashed parent',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'room' })
      return { name: 'X', parentId: 'room' }
    },
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses a parent below a trashed stream',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'home' })
      return { name: 'X', parentId: 'room' }
    },
    gives: [400, 'invalid-operation'],
  },
  ...['null', 'undefined', '*', ' null ', 'nu!ll'].map((id) => ({
    it: `refuses the reserved id ${JSON.stringify(id)}`,
    send: { name: 'X', id },
    gives: [400, 'invalid-item-id'] as [400, 'invalid-item-id'],
  })),
  ...['.', '..', ' .. ', '.!.'].map((id) => ({
    it: `refuses the id ${JSON.stringify(id)}, which is a dot segment of URLs`,
    send: { name: 'X', id },
    gives: [400, 'invalid-item-id'] as [400, 'invalid-item-id'],
    data: { id },
  })),
  { it: 'accepts an id of dots that is not a dot segment', send: { name: 'X', id: '...' }, gives: 201, result: { stream: { id: '...' } } },
  ...[':_emails:x', ':_emails:', ':_emails:.'].map((id) => ({
    it: `refuses the reserved id ${id}`,
    send: { name: 'X', id },
    gives: [400, 'invalid-item-id'] as [400, 'invalid-item-id'],
    data: { id },
  })),
  ...[':_cmc:x', ':_cmc:apps-of-mine', ':_cmc:inbox:x'].map((id) => ({
    it: `refuses the id ${id}, which is outside of the streams of apps`,
    send: { name: 'X', id },
    gives: [400, 'invalid-operation'] as [400, 'invalid-operation'],
    data: { id: 'cmc-reserved-stream', streamId: id },
  })),
  {
    it: 'accepts the id of a stream of an app',
    send: { name: 'X', id: ':_cmc:apps:study', parentId: ':_cmc:apps' },
    gives: 201,
    result: { stream: { id: ':_cmc:apps:study' } },
  },
  {
    it: 'refuses an id of another store than its parent',
    given: afterHouse({ name: 'X', id: ':elsewhere:x', parentId: 'home' }),
    gives: [400, 'invalid-request-structure'],
  },
  {
    it: 'refuses an id of another store for a root',
    send: { name: 'X', id: ':_audit:x' },
    gives: [400, 'invalid-request-structure'],
  },
  ...['"', "'", '\\', '\u0000', '\t', '\n', '/', '%'].map((character) => ({
    it: `refuses ${JSON.stringify(character)} in an id that is not converted to a slug`,
    send: { name: 'X', id: `:_cmc:a${character}b` },
    gives: [400, 'invalid-request-structure'] as [400, 'invalid-request-structure'],
    only: ['http' as const],
  })),
  ...[':_system:account', ':_system:language', ':system:email', ':_system:appId', ':_system:nothing'].map((parentId) => ({
    it: `refuses the account stream ${parentId} as parent`,
    send: { name: 'X', parentId },
    gives: [400, 'invalid-operation'] as [400, 'invalid-operation'],
  })),
  ...[':_system:account', ':_system:language', ':system:email'].map((id) => ({
    it: `refuses the id ${id} of an account stream`,
    send: { name: 'X', id },
    gives: [400, 'invalid-operation'] as [400, 'invalid-operation'],
  })),
  {
    it: 'refuses an account stream as parent for an app with manage on *',
    as: [{ streamId: '*', level: 'manage' }],
    send: { name: 'X', parentId: ':_system:account' },
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'allows a root stream for an app with manage on *',
    as: [{ streamId: '*', level: 'manage' }],
    send: { name: 'Weight' },
    gives: 201,
  },
  {
    it: 'allows a stream below one that the app manages',
    given: afterHouse({ name: 'Desk', parentId: 'room' }),
    as: [{ streamId: 'home', level: 'manage' }],
    gives: 201,
    result: { stream: { parentId: 'room' } },
  },
  ...(['read', 'contribute', 'create-only', 'none'] as const).map((level) => ({
    it: `refuses an app with ${level}`,
    given: afterHouse({ name: 'Desk', parentId: 'room' }),
    as: [{ streamId: 'home', level }],
    gives: [403, 'forbidden'] as [403, 'forbidden'],
  })),
  {
    it: 'refuses a root stream for an app with contribute on *',
    as: [{ streamId: '*', level: 'contribute' }],
    send: { name: 'Weight' },
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses a root stream for an app that manages one stream',
    given: afterHouse({ name: 'Weight' }),
    as: [{ streamId: 'home', level: 'manage' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses an app that manages a stream but only reads the child used as parent',
    given: afterHouse({ name: 'Desk', parentId: 'room' }),
    as: [
      { streamId: 'home', level: 'manage' },
      { streamId: 'room', level: 'read' },
    ],
    gives: [403, 'forbidden'],
  },
  {
    it: 'allows an app with read on * to create below the stream it manages',
    given: afterHouse({ name: 'Desk', parentId: 'room' }),
    as: [
      { streamId: '*', level: 'read' },
      { streamId: 'room', level: 'manage' },
    ],
    gives: 201,
  },
])

describe('streams.create over HTTP', () => {
  let node: TestNode
  let token: string
  beforeAll(async () => {
    node = await startTestNode()
    token = await registerUser(node, 'alice')
  })
  afterAll(() => node.stop())

  const send = (body: unknown, headers: Record<string, string> = {}) =>
    request(`${node.url}alice/streams`, { method: 'POST', token, body, headers })

  it('refuses malformed JSON', async () => {
    const { status, body } = await send('{"name":')
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { id: 'invalid-request-structure' }, meta: { serial: expect.stringMatching(/^[0-9a-f]{16}$/) as string } })
  })

  it('refuses a body of another content type', async () => {
    const { status, body } = await send('{"name":"Text"}', { 'content-type': 'text/plain' })
    expect(status).toBe(415)
    expect(body).toMatchObject({ error: { id: 'unsupported-content-type' } })
  })

  it('records the caller id that follows the token', async () => {
    const app = await grantAccess(node, 'alice', [{ streamId: '*', level: 'manage' }])
    const { status, body } = await request(`${node.url}alice/streams`, {
      token: `${app.token} nurse 7`,
      body: { name: 'By the nurse' },
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({ stream: { createdBy: `${app.id} nurse 7`, modifiedBy: `${app.id} nurse 7` } })
  })

  it('creates one stream for many concurrent requests with one id', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => send({ id: 'contested', name: `Claim ${i}` })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
    for (const { status, body } of answers) {
      if (status === 409) expect(body).toMatchObject({ error: { id: 'item-already-exists', data: { id: 'contested' } } })
    }
  })

  it('creates one stream for many concurrent requests with one name', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send({ name: 'One of a kind' })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })

  it('keeps keys of client data that objects inherit, as __proto__', async () => {
    const text = '{"name":"Odd keys","clientData":{"__proto__":{"a":1},"constructor":2,"toString":"x"}}'
    const { status, body } = await send(text)
    expect(status).toBe(201)
    expect(JSON.stringify((body as StreamAnswer).stream['clientData'])).toBe(
      '{"__proto__":{"a":1},"constructor":2,"toString":"x"}',
    )
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
  })
})
