/** Account streams, with account fields configured by the operator: docs/interface/account-streams.md. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grantAccess } from '../../../support/people/access.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { badEmails, badLanguages } from '../../../support/http/badValues.js'
import { describeMethod, newStage, type Row, type Stage } from '../../../support/http/methodTable.js'
import { announced, watch } from '../../../support/http/announcedChanges.js'

const field = (id: string, more: object = {}): object => ({ id, type: `${id}/string`, ...more })

const fields = [
  field('email', { name: 'Email', isIndexed: true, isUnique: true, isRequiredInValidation: true }),
  field('nickname', { name: 'Nickname' }),
  field('badge', { isIndexed: true, isUnique: true }),
  field('age', { type: 'count/generic' }),
  field('secret', { isShown: false, default: 'hidden value' }),
  field('locked', { isEditable: false, default: 'as made' }),
  field('insurance', { regexValidation: '^[0-9]{4}$', regexError: { message: 'Four digits.', code: 'insurance-odd' } }),
  field('address', { type: 'none/none', isEditable: false, children: [field('city', { default: 'Basel' })] }),
]
const settings = { 'custom.systemStreams.account': fields }

interface FieldEvent {
  id: string
  streamIds: string[]
  type: string
  content: unknown
  time: number
  created: number
  modified: number
  integrity: string
}

const eventOf = (result: Record<string, unknown>): FieldEvent => result['event'] as FieldEvent

async function readField(s: Stage, id: string, query = ''): Promise<Record<string, unknown>> {
  return (await request(`${s.node.url}${s.username}/events/${id}${query}`, { token: s.owner })).body
}

/** Registers another user with these values. */
async function registerOther(s: Stage, values: Record<string, unknown>): Promise<void> {
  const stage = await newStage(s.node)
  for (const [id, content] of Object.entries(values)) {
    await stage.arrange('events.create', { streamIds: [`:system:${id}`], type: `${id}/string`, content })
  }
}

const setting = (streamId: string, content: unknown, type = 'any/type') => ({ streamIds: [streamId], type, content })

describeMethod(
  'events.create',
  [
    {
      it: 'replaces the value of an editable field in its single event',
      given: async (s) => {
        await watch(s)
        return setting(':_system:language', 'fr')
      },
      gives: 201,
      result: { event: { id: ':_system:language', streamIds: [':_system:language'], type: 'language/iso-639-1', content: 'fr' } },
      then: async (result, s) => {
        const event = eventOf(result)
        expect(event.modified).toBeGreaterThanOrEqual(event.created)
        expect(announced(s)).toEqual(['event update :_system:language'])
        const { events } = await s.arrange('events.get', { streams: [':_system:language'] })
        expect(events).toEqual([event])
      },
    },
    {
      it: 'creates the event of a field without value',
      send: setting(':system:nickname', 'Al'),
      gives: 201,
      result: { event: { id: ':system:nickname', streamIds: [':system:nickname'], type: 'nickname/string', content: 'Al' } },
    },
    {
      it: 'accepts a number',
      send: setting(':system:age', 44),
      gives: 201,
      result: { event: { id: ':system:age', type: 'count/generic', content: 44 } },
    },
    {
      it: 'accepts an unused unique value',
      send: setting(':system:badge', 'free-to-take'),
      gives: 201,
      only: ['http'],
    },
    {
      it: 'refuses a unique value of another user',
      given: async (s) => {
        await registerOther(s, { badge: `gold-${s.username}` })
        return setting(':system:badge', `gold-${s.username}`)
      },
      gives: [409, 'item-already-exists'],
      then: (result, s) => expect(result).toMatchObject({ error: { data: { badge: `gold-${s.username}` } } }),
    },
    {
      it: "refuses the current unique value of the user",
      given: (s) => setting(':system:email', `${s.username}@example.org`),
      gives: [409, 'item-already-exists'],
      then: (result, s) => expect(result).toMatchObject({ error: { data: { email: `${s.username}@example.org` } } }),
    },
    {
      it: 'refuses an address that differs by letter case only',
      given: async (s) => {
        const one = await newStage(s.node)
        return setting(':system:email', `${one.username.toUpperCase()}@Example.org`)
      },
      gives: [409, 'item-already-exists'],
    },
    {
      it: 'accepts a unique value that another user has replaced',
      given: async (s) => {
        const one = await newStage(s.node)
        await one.arrange('events.create', setting(':system:badge', `first-${s.username}`))
        await one.arrange('events.create', setting(':system:badge', `second-${s.username}`))
        return setting(':system:badge', `first-${s.username}`)
      },
      gives: 201,
    },
    ...[true, null, { a: 1 }, ['x'], undefined].map(
      (content): Row => ({
        it: `refuses the content ${JSON.stringify(content)}`,
        send: setting(':_system:language', content),
        gives: [400, 'invalid-parameters-format'],
        then: async (_, s) => expect(eventOf(await readField(s, ':_system:language')).content).toBe('en'),
      }),
    ),
    ...[...badLanguages, 55].map(
      (content): Row => ({
        it: `refuses the language ${JSON.stringify(content)}`,
        send: setting(':_system:language', content),
        gives: [400, 'invalid-parameters-format'],
        data: [expect.objectContaining({ code: 'language-invalid' })],
        then: async (_, s) => expect(eventOf(await readField(s, ':_system:language')).content).toBe('en'),
      }),
    ),
    ...[...badEmails, 55].map(
      (content): Row => ({
        it: `refuses the address ${JSON.stringify(content)}`,
        send: setting(':system:email', content),
        gives: [400, 'invalid-parameters-format'],
        data: [expect.objectContaining({ code: 'email-invalid' })],
        then: async (_, s) => expect(eventOf(await readField(s, ':system:email')).content).toBe(`${s.username}@example.org`),
      }),
    ),
    {
      it: "refuses a value that does not match the pattern of the field",
      send: setting(':system:insurance', '12'),
      gives: [400, 'invalid-parameters-format'],
      data: [{ code: 'insurance-odd', message: 'Four digits.', path: '#/insurance', param: 'insurance' }],
    },
    { it: 'accepts a value that matches the pattern of the field', send: setting(':system:insurance', '1234'), gives: 201 },
    ...[
      ':_system:appId',
      ':_system:invitationToken',
      ':_system:referer',
      ':_system:storageUsed',
      ':_system:dbDocuments',
      ':_system:attachedFiles',
      ':system:locked',
      ':system:address',
    ].map(
      (streamId): Row => ({
        it: `refuses the read-only field ${streamId}`,
        send: setting(streamId, 'x'),
        gives: [400, 'invalid-operation'],
        data: { streamId },
      }),
    ),
    {
      it: 'refuses two account streams in one event',
      send: { streamIds: [':_system:language', ':system:nickname'], type: 'x/y', content: 'x' },
      gives: [400, 'invalid-operation'],
      data: { streamIds: [':_system:language', ':system:nickname'] },
    },
    {
      it: 'refuses an account stream together with another stream',
      given: async (s) => {
        await s.arrange('streams.create', { id: 'diary', name: 'Diary' })
        return { streamIds: ['diary', ':_system:language'], type: 'note/txt', content: 'x' }
      },
      gives: [400, 'invalid-request-structure'],
    },
    {
      it: 'refuses an unknown account stream',
      send: setting(':system:nothing', 'x'),
      gives: [400, 'unknown-referenced-resource'],
      data: { streamIds: [':system:nothing'] },
    },
    ...(['contribute', 'create-only'] as const).map(
      (level): Row => ({
        it: `allows an app with ${level} on the field`,
        send: setting(':_system:language', 'de'),
        as: [{ streamId: ':_system:language', level }],
        gives: 201,
      }),
    ),
    {
      it: 'refuses an app with read on the field',
      send: setting(':_system:language', 'de'),
      as: [{ streamId: ':_system:language', level: 'read' }],
      gives: [403, 'forbidden'],
    },
    ...[':_system:language', ':system:email', ':system:locked'].map(
      (streamId): Row => ({
        it: `refuses ${streamId} to an app with manage on all streams`,
        send: setting(streamId, 'x'),
        as: [{ streamId: '*', level: 'manage' }],
        gives: [403, 'forbidden'],
      }),
    ),
  ],
  settings,
)

describeMethod(
  'events.update',
  [
    {
      it: 'replaces the value of a field',
      send: { id: ':_system:language', update: { content: 'it' } },
      gives: 200,
      result: { event: { id: ':_system:language', type: 'language/iso-639-1', content: 'it' } },
      then: async (result, s) => expect((await readField(s, ':_system:language'))['event']).toEqual(eventOf(result)),
    },
    {
      it: 'refuses a unique value of another user',
      given: async (s) => {
        const one = await newStage(s.node)
        return { id: ':system:email', update: { content: `${one.username}@example.org` } }
      },
      gives: [409, 'item-already-exists'],
    },
    ...['xxxx', '', 5].map(
      (content): Row => ({
        it: `refuses the language ${JSON.stringify(content)}`,
        send: { id: ':_system:language', update: { content } },
        gives: [400, 'invalid-parameters-format'],
      }),
    ),
    {
      it: 'refuses the address notanemail',
      send: { id: ':system:email', update: { content: 'notanemail' } },
      gives: [400, 'invalid-parameters-format'],
    },
    {
      it: 'refuses content that is neither string nor number',
      send: { id: ':_system:language', update: { content: { a: 1 } } },
      gives: [400, 'invalid-parameters-format'],
    },
    {
      it: 'refuses to change the account stream',
      send: { id: ':_system:language', update: { streamIds: [':system:nickname'] } },
      gives: [400, 'invalid-operation'],
    },
    {
      it: 'refuses to add an account stream',
      send: { id: ':_system:language', update: { streamIds: [':_system:language', ':system:nickname'] } },
      gives: [400, 'invalid-operation'],
    },
    ...[':_system:dbDocuments', ':_system:attachedFiles', ':system:locked'].map(
      (id): Row => ({
        it: `refuses the read-only field ${id}`,
        send: { id, update: { content: 'x' } },
        gives: [400, 'invalid-operation'],
        data: { streamId: id },
      }),
    ),
    {
      it: 'allows an app to contribute to the field of its permission',
      send: { id: ':_system:language', update: { content: 'it' } },
      as: [{ streamId: ':_system:language', level: 'contribute' }],
      gives: 200,
    },
    ...(['read', 'create-only'] as const).map(
      (level): Row => ({
        it: `refuses an app with ${level} on the field`,
        send: { id: ':_system:language', update: { content: 'it' } },
        as: [{ streamId: ':_system:language', level }],
        gives: [403, 'forbidden'],
      }),
    ),
    ...[':_system:language', ':system:email', ':system:locked'].map(
      (id): Row => ({
        it: `refuses ${id} to an app with manage on all streams`,
        send: { id, update: { content: 'x' } },
        as: [{ streamId: '*', level: 'manage' }],
        gives: [403, 'forbidden'],
      }),
    ),
  ],
  settings,
)

describeMethod(
  'events.delete',
  [
    ...[':_system:language', ':system:email', ':_system:dbDocuments', ':system:locked'].map(
      (id): Row => ({
        it: `refuses to delete the field ${id}`,
        send: { id },
        gives: [400, 'invalid-operation'],
        then: async (_, s) => expect(await readField(s, id)).toHaveProperty('event'),
      }),
    ),
    {
      it: 'refuses an app with contribute on the field',
      send: { id: ':_system:language' },
      as: [{ streamId: ':_system:language', level: 'contribute' }],
      gives: [400, 'invalid-operation'],
    },
    {
      it: 'refuses an app with read on the field',
      send: { id: ':_system:language' },
      as: [{ streamId: ':_system:language', level: 'read' }],
      gives: [403, 'forbidden'],
    },
    {
      it: 'refuses an app with manage on all streams',
      send: { id: ':_system:language' },
      as: [{ streamId: '*', level: 'manage' }],
      gives: [403, 'forbidden'],
    },
  ],
  settings,
)

describe('account streams', () => {
  let node: TestNode
  let token: string
  beforeAll(async () => {
    node = await startTestNode(settings)
    token = await registerUser(node, 'alice')
  })
  afterAll(() => node.stop())

  const get = (path: string, by = token): Promise<Answer> => request(`${node.url}alice/${path}`, { token: by })
  const events = async (query = '', by = token): Promise<FieldEvent[]> =>
    (await get(`events?limit=100${query}`, by)).body['events'] as FieldEvent[]
  const idsOf = (list: { id: string }[]): string[] => list.map(({ id }) => id).sort()

  const visible = [
    ':_system:attachedFiles',
    ':_system:dbDocuments',
    ':_system:language',
    ':system:city',
    ':system:email',
    ':system:locked',
  ]

  it('form one tree of built-in fields and configured fields, without hidden ones', async () => {
    const { body } = await get('streams')
    const unknown = { created: 10000000.00000001, createdBy: 'system', modified: 10000000.00000001, modifiedBy: 'system' }
    const ofStore = { ...unknown, created: 10000001.00000001, modified: 10000001.00000001 }
    const view = (id: string, name: string, parentId: string | null, children: object[] = []): object => ({
      ...unknown,
      id,
      name,
      parentId,
      children,
    })
    const root = ':_system:account'
    const used = ':_system:storageUsed'
    expect(body['streams']).toEqual([
      { ...view(':_audit:', 'Audit', null), ...ofStore, childrenHidden: true },
      view(root, 'Account', null, [
        view(':_system:language', 'Language', root),
        view(used, 'Storage used', root, [
          view(':_system:dbDocuments', 'Db Documents', used),
          view(':_system:attachedFiles', 'Attached files', used),
        ]),
        view(':system:email', 'Email', root),
        view(':system:nickname', 'Nickname', root),
        view(':system:badge', 'badge', root),
        view(':system:age', 'age', root),
        view(':system:locked', 'locked', root),
        view(':system:insurance', 'insurance', root),
        view(':system:address', 'address', root, [view(':system:city', 'city', ':system:address')]),
      ]),
      expect.objectContaining({ id: ':_cmc:' }),
    ])
  })

  it('contain one event per field with a value or a default', async () => {
    const found = await events()
    expect(idsOf(found)).toEqual(visible)
    for (const event of found) {
      expect(event.streamIds).toEqual([event.id])
      expect(event.integrity).toMatch(/^EVENT:0:sha256-/)
      expect(event.time).toBe(event.created)
      expect(event.created).toBeGreaterThan(1e9)
    }
    const content = Object.fromEntries(found.map((event) => [event.id, event.content]))
    expect(content).toMatchObject({
      ':_system:language': 'en',
      ':_system:dbDocuments': expect.any(Number) as number,
      ':_system:attachedFiles': 0,
      ':system:email': 'alice@example.org',
      ':system:city': 'Basel',
      ':system:locked': 'as made',
    })
    expect(await events()).toEqual(found)
  })

  it('return each field by its id, except hidden ones', async () => {
    expect((await get('events/:_system:language')).body).toMatchObject({ event: { content: 'en' } })
    for (const id of [':_system:appId', ':_system:referer', ':_system:invitationToken', ':system:secret']) {
      const { status, body } = await get(`events/${id}`)
      expect({ id, status }).toEqual({ id, status: 403 })
      expect(body).toMatchObject({ error: { id: 'forbidden' } })
    }
    expect((await get('events/:system:nickname')).status).toBe(404)
    expect((await get('events/:system:nothing')).status).toBe(404)
  })

  it('are readable by an app only if its permissions name them', async () => {
    const app = async (streamId: string, level: 'read' | 'contribute' | 'create-only' = 'read'): Promise<string> =>
      (await grantAccess(node, 'alice', [{ streamId, level }])).token
    expect(await events('', await app('*'))).toEqual([])
    expect(idsOf(await events('', await app(':_system:account')))).toEqual(visible)
    expect(idsOf(await events('', await app(':_system:storageUsed')))).toEqual([
      ':_system:attachedFiles',
      ':_system:dbDocuments',
    ])
    expect(idsOf(await events('', await app(':system:city')))).toEqual([':system:city'])
    const email = await app(':system:email')
    expect(idsOf(await events('', email))).toEqual([':system:email'])
    expect((await get('events/:system:email', email)).status).toBe(200)
    expect((await get('events/:_system:language', email)).status).toBe(403)
    expect((await get('events/:system:email', await app('*', 'contribute'))).status).toBe(403)
    expect((await get('events/:system:email', await app(':system:email', 'create-only'))).status).toBe(403)
    expect((await get('events/:system:secret', await app(':_system:account'))).status).toBe(403)
  })

  it('support the filters of events.get', async () => {
    expect(idsOf(await events('&types=language/iso-639-1'))).toEqual([':_system:language'])
    expect(idsOf(await events('&streams=:system:email'))).toEqual([':system:email'])
    expect(idsOf(await events('&streams=:_system:account'))).toEqual(visible)
    expect(await events('&running=true')).toEqual([])
    expect(await events('&state=trashed')).toEqual([])
    expect(await events(`&clientData=${encodeURIComponent('[{"path":"x","eq":1}]')}`)).toEqual([])
    expect(await events('&fromTime=1&toTime=2')).toEqual([])
    expect(await events('&skip=4')).toHaveLength(visible.length - 4)
    expect(idsOf(await events(`&clientData=${encodeURIComponent('[{"path":"x","exists":false}]')}`))).toEqual(visible)
  })

  it('store former values of a field as its history', async () => {
    const bob = await registerUser(node, 'bobby')
    const put = (content: string): Promise<Answer> =>
      request(`${node.url}bobby/events/:_system:language`, { method: 'PUT', token: bob, body: { content } })
    await put('fr')
    await put('de')
    const { body } = await request(`${node.url}bobby/events/:_system:language?includeHistory=true`, { token: bob })
    expect(body).toMatchObject({ event: { content: 'de' }, history: [{ content: 'en' }, { content: 'fr' }] })
  })

  it('accept a unique value of exactly one of several concurrent users', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `racer-${i}`)
    const tokens = await Promise.all(names.map((name) => registerUser(node, name)))
    const answers = await Promise.all(
      names.map((name, i) =>
        request(`${node.url}${name}/events`, {
          token: tokens[i] ?? '',
          body: { streamIds: [':system:badge'], type: 'badge/string', content: 'contested' },
        }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
  })

  it('report the storage used by an account', async () => {
    const carol = await registerUser(node, 'carol')
    const used = async (): Promise<number> => {
      const { body } = await request(`${node.url}carol/events/:_system:dbDocuments`, { token: carol })
      return Number((body['event'] as FieldEvent).content)
    }
    const before = await used()
    expect(before).toBeGreaterThanOrEqual(0)
    const { status, body } = await request(`${node.url}carol/events/:_system:attachedFiles`, { token: carol })
    expect(status).toBe(200)
    expect(body).toMatchObject({ event: { type: 'data-quantity/b', content: 0 } })
  })

  it('set the preferred language in the response of a login', async () => {
    const token = await registerUser(node, 'danny')
    await request(`${node.url}danny/events`, { token, body: setting(':_system:language', 'rm') })
    const { body } = await request(`${node.url}danny/auth/login`, {
      body: { username: 'danny', password: 'correct horse', appId: 'test-app' },
      headers: { origin: node.url.slice(0, -1) },
    })
    expect(body).toMatchObject({ preferredLanguage: 'rm' })
  })
})
