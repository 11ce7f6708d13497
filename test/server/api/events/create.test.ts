import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Stage } from '../../../support/http/methodTable.js'
import { callThrough, describeMethod, allTransports, newStage } from '../../../support/http/methodTable.js'
import { integrityOf } from '../../../support/oracles/integrity.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'

type Json = Record<string, unknown>

const eventIn = (result: Json): Json => result['event'] as Json
const now = (): number => Date.now() / 1000
const violation = (code: string, path: string): unknown => [expect.objectContaining({ code, path })]

/** Creates the stream `diary`; returns parameters of a note in it, overridden by `fields`. */
const note =
  (fields: Json = {}) =>
  async (s: Stage): Promise<Json> => {
    await s.arrange('streams.create', { id: 'diary', name: 'Diary' })
    return { streamIds: ['diary'], type: 'note/txt', content: 'hello', ...fields }
  }

/** Creates `diary` and `work`, optionally trashed; returns parameters of a note in both. */
const noteInTwo =
  (fields: Json = {}, trashed = false) =>
  async (s: Stage): Promise<Json> => {
    await s.arrange('streams.create', { id: 'work', name: 'Work', trashed })
    return { ...(await note()(s)), streamIds: ['diary', 'work'], ...fields }
  }

const cuid = 'ckd0br26d00075wpvugeqxkvd'

const malformedIds = [
  'abc',
  cuid + 'x',
  'C' + cuid.slice(1),
  '1' + 'a'.repeat(23),
  ':s:a/b',
  ':s:..',
  ':s:',
  `:s:${'a'.repeat(257)}`,
  '',
]

/** Returns parameters of a note whose id belongs to an existing, trashed or deleted event. */
const noteWithUsedId =
  (deletions: number) =>
  async (s: Stage): Promise<Json> => {
    const fields = await note({ id: cuid })(s)
    await s.arrange('events.create', fields)
    for (let n = 0; n < deletions; n++) await s.arrange('events.delete', { id: cuid })
    return fields
  }

describeMethod('events.create', [
  {
    it: 'returns the fields of the request with id, tracking fields and integrity',
    given: note({ time: -1.25, duration: 0.3, description: 'd', clientData: { 'app:k': [1] }, tags: [' a ', '', 'b'] }),
    gives: 201,
    async then(result, s) {
      const event = eventIn(result)
      const { id, created, createdBy, integrity, ...rest } = event
      expect(rest).toEqual({
        streamIds: ['diary'],
        streamId: 'diary',
        type: 'note/txt',
        content: 'hello',
        time: -1.25,
        duration: 0.3,
        description: 'd',
        clientData: { 'app:k': [1] },
        tags: ['a', 'b'],
        modified: created,
        modifiedBy: createdBy,
      })
      expect(id).toMatch(/^[a-z][a-z0-9]{23}$/)
      expect(Math.abs(Number(created) - now())).toBeLessThan(60)
      expect(integrity).toBe(integrityOf(event))
      expect((await s.arrange('events.getOne', { id }))['event']).toEqual(event)
    },
  },
  {
    it: 'sets the access as author',
    as: [{ streamId: 'diary', level: 'contribute' }],
    given: note(),
    gives: 201,
    then: (result) => {
      const { createdBy, modifiedBy } = eventIn(result)
      expect(createdBy).toMatch(/^[a-z][a-z0-9]{23}$/)
      expect(modifiedBy).toBe(createdBy)
    },
  },
  {
    it: 'defaults to the current time',
    given: note(),
    gives: 201,
    then: (result) => expect(Math.abs(Number(eventIn(result)['time']) - now())).toBeLessThan(60),
  },
  { it: 'keeps a time of 0', given: note({ time: 0 }), gives: 201, result: { event: { time: 0 } } },
  {
    it: 'keeps the precision of a time',
    only: allTransports,
    given: note({ time: 1234567890.123456 }),
    gives: 201,
    result: { event: { time: 1234567890.123456 } },
  },
  {
    it: 'replaces tracking fields of the request',
    given: note({ created: 1, createdBy: 'me', modified: 'x', modifiedBy: null, integrity: {} }),
    gives: 201,
    then: (result) => {
      const event = eventIn(result)
      expect(Number(event['created'])).toBeGreaterThan(1e9)
      expect(event['createdBy']).not.toBe('me')
      expect(event['modified']).toBe(event['created'])
      expect(event['integrity']).toBe(integrityOf(event))
    },
  },
  {
    it: 'accepts null for optional fields',
    given: note({
      type: 'test/test',
      content: null,
      description: null,
      clientData: null,
      duration: null,
      trashed: null,
      tags: null,
    }),
    gives: 201,
    then: (result) => {
      const event = eventIn(result)
      expect(event).toMatchObject({ duration: null, tags: [] })
      for (const absent of ['content', 'description', 'clientData', 'trashed']) expect(event).not.toHaveProperty(absent)
    },
  },
  {
    it: 'drops a duration of 0',
    given: note({ duration: 0 }),
    gives: 201,
    then: (result) => expect(eventIn(result)).not.toHaveProperty('duration'),
  },
  { it: 'starts a running period', given: note({ duration: null }), gives: 201, result: { event: { duration: null } } },
  { it: 'creates a trashed event', given: note({ trashed: true }), gives: 201, result: { event: { trashed: true } } },
  {
    it: 'drops trashed: false',
    given: note({ trashed: false }),
    gives: 201,
    then: (result) => expect(eventIn(result)).not.toHaveProperty('trashed'),
  },
  {
    it: 'keeps any content of an unknown type',
    given: note({ type: 'temperature/celsius', content: { 'a"b\\': [null, '"type":"x/y"', { trashed: true }] } }),
    gives: 201,
    result: { event: { content: { 'a"b\\': [null, '"type":"x/y"', { trashed: true }] } } },
  },
  {
    it: 'computes the integrity of texts with invisible characters',
    only: allTransports,
    given: note({ content: '\u2028 \u00ad \ufeff \u0007 é 😀 "\\/' }),
    gives: 201,
    then: (result) => expect(eventIn(result)['integrity']).toBe(integrityOf(eventIn(result))),
  },
  {
    it: 'keeps keys of client data named __proto__ and constructor',
    only: allTransports,
    given: note({ clientData: JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Json }),
    gives: 201,
    then: (result) =>
      expect(JSON.stringify(eventIn(result)['clientData'])).toBe('{"__proto__":{"a":1},"constructor":2}'),
  },
  // Streams
  {
    it: 'accepts streamId for a single stream',
    given: note({ streamIds: undefined, streamId: 'diary' }),
    gives: 201,
    result: { event: { streamIds: ['diary'], streamId: 'diary' } },
  },
  {
    it: 'accepts streamId beside streamIds when it equals the first one',
    given: noteInTwo({ streamIds: ['work', 'diary'], streamId: 'work' }),
    gives: 201,
    result: { event: { streamIds: ['work', 'diary'], streamId: 'work' } },
  },
  {
    it: 'refuses streamId beside streamIds when it differs from the first one',
    given: noteInTwo({ streamIds: ['work', 'diary'], streamId: 'diary' }),
    gives: [400, 'invalid-operation'],
    data: { streamId: 'diary', streamIds: ['work', 'diary'] },
  },
  {
    it: 'removes duplicate streams and keeps the order',
    given: noteInTwo({ streamIds: ['work', 'diary', 'work', 'diary'] }),
    gives: 201,
    result: { event: { streamIds: ['work', 'diary'], streamId: 'work' } },
  },
  {
    it: 'refuses an event without streams',
    given: note({ streamIds: undefined }),
    gives: [400, 'invalid-parameters-format'],
    data: violation('OBJECT_MISSING_REQUIRED_PROPERTY', '#/'),
  },
  {
    it: 'refuses an empty list of streams',
    given: note({ streamIds: [] }),
    gives: [400, 'invalid-parameters-format'],
    data: violation('ARRAY_LENGTH_SHORT', '#/streamIds'),
  },
  {
    it: 'reports the unknown streams',
    given: note({ streamIds: ['nope', 'diary', 'neither'] }),
    gives: [400, 'unknown-referenced-resource'],
    data: { streamIds: ['nope', 'neither'] },
  },
  {
    it: 'refuses a trashed stream',
    given: noteInTwo({}, true),
    gives: [400, 'invalid-operation'],
    data: { trashedReference: 'streamIds' },
  },
  {
    it: 'refuses streams of two stores',
    given: note({ streamIds: ['diary', ':_system:language'] }),
    gives: [400, 'invalid-request-structure'],
  },
  // Permissions
  { it: 'allows create-only', as: [{ streamId: 'diary', level: 'create-only' }], given: note(), gives: 201 },
  { it: 'allows manage', as: [{ streamId: '*', level: 'manage' }], given: note(), gives: 201 },
  { it: 'refuses a reader', as: [{ streamId: '*', level: 'read' }], given: note(), gives: [403, 'forbidden'] },
  {
    it: 'refuses two streams when the access cannot contribute to one',
    as: [
      { streamId: 'diary', level: 'contribute' },
      { streamId: 'work', level: 'read' },
    ],
    given: noteInTwo(),
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses two streams when one is out of scope',
    as: [{ streamId: 'diary', level: 'create-only' }],
    given: noteInTwo(),
    gives: [403, 'forbidden'],
  },
  {
    it: 'reports an unknown stream before it checks permissions',
    as: [{ streamId: '*', level: 'read' }],
    given: note({ streamIds: ['nope'] }),
    gives: [400, 'unknown-referenced-resource'],
  },
  {
    it: 'validates the content before it checks permissions',
    as: [{ streamId: '*', level: 'read' }],
    given: note({ type: 'mass/kg', content: 'heavy' }),
    gives: [400, 'invalid-parameters-format'],
  },
  // Format
  { it: 'refuses an array', send: [], gives: [400, 'invalid-parameters-format'] },
  {
    it: 'refuses a missing type',
    given: note({ type: undefined }),
    gives: [400, 'invalid-parameters-format'],
    data: violation('OBJECT_MISSING_REQUIRED_PROPERTY', '#/'),
  },
  {
    it: 'refuses an unknown property',
    given: note({ badProperty: 1 }),
    gives: [400, 'invalid-parameters-format'],
    data: violation('OBJECT_ADDITIONAL_PROPERTIES', '#/'),
  },
  {
    it: 'refuses attachments',
    given: note({ attachments: [] }),
    gives: [400, 'invalid-parameters-format'],
    data: violation('OBJECT_ADDITIONAL_PROPERTIES', '#/'),
  },
  ...(
    [
      ['type', 'note', 'PATTERN'],
      ['type', 'Note/txt', 'PATTERN'],
      ['type', 'note/txt/x', 'PATTERN'],
      ['type', 'note/*', 'PATTERN'],
      ['type', 7, 'INVALID_TYPE'],
      ['streamIds', 'diary', 'INVALID_TYPE'],
      ['time', '1', 'INVALID_TYPE'],
      ['duration', 'x', 'INVALID_TYPE'],
      ['duration', -1, 'MINIMUM'],
      ['description', 1, 'INVALID_TYPE'],
      ['clientData', 'x', 'INVALID_TYPE'],
      ['clientData', [1], 'INVALID_TYPE'],
      ['trashed', 'true', 'INVALID_TYPE'],
      ['tags', 'a', 'INVALID_TYPE'],
    ] as const
  ).map(([field, value, code]) => ({
    it: `refuses ${field}: ${JSON.stringify(value)}`,
    given: note({ [field]: value }),
    gives: [400, 'invalid-parameters-format'] as [number, 'invalid-parameters-format'],
    data: violation(code, `#/${field}`),
  })),
  {
    it: 'refuses a tag that is too long',
    given: note({ tags: ['a', 'b'.repeat(501)] }),
    gives: [400, 'invalid-parameters-format'],
    data: violation('MAX_LENGTH', '#/tags/1'),
  },
  {
    it: 'removes duplicate tags',
    given: note({ tags: ['b', 'a', ' b'] }),
    gives: 201,
    then: (result) => expect(eventIn(result)['tags']).toEqual(['b', 'a']),
  },
  { it: 'accepts a tag of 500 characters', given: note({ tags: [` ${'b'.repeat(500)} `] }), gives: 201 },
  // Content
  {
    it: 'refuses content that does not match its type',
    given: note({ type: 'mass/kg', content: '72' }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses text content for an object type',
    given: note({ type: 'position/wgs84', content: 'here' }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses missing content that the type requires',
    given: note({ type: 'mass/kg', content: null }),
    gives: [400, 'invalid-parameters-format'],
  },
  { it: 'accepts content that matches its type', given: note({ type: 'mass/kg', content: 72.4 }), gives: 201 },
  // Ids
  ...[':_emails:x', ':_cmc:x', ':_delegation:x', ':_shared-secrets:x'].map((id) => ({
    it: `refuses the reserved id ${id}`,
    given: note({ id }),
    gives: [400, 'invalid-item-id'] as [400, 'invalid-item-id'],
    data: { id },
  })),
  { it: 'accepts an id of 25 characters', given: note({ id: cuid }), gives: 201, result: { event: { id: cuid } } },
  { it: 'accepts an id of c and 24 hyphens', given: note({ id: 'c' + '-'.repeat(24) }), gives: 201 },
  { it: 'accepts an id of 24 characters', given: note({ id: 'a' + 'b1'.repeat(11) + 'c' }), gives: 201 },
  ...malformedIds.map((id) => ({
    it: `refuses the id ${JSON.stringify(id.slice(0, 30))}`,
    given: note({ id }),
    gives: [400, 'invalid-parameters-format'] as [number, 'invalid-parameters-format'],
    data: violation('PATTERN', '#/id'),
  })),
  ...[':_system:language', ':system:phone', ':_audit:x', ':store:item-1'].map((id) => ({
    it: `refuses ${id} as the id of an ordinary event`,
    given: note({ id }),
    gives: [400, 'invalid-request-structure'] as [number, 'invalid-request-structure'],
  })),
  {
    it: 'refuses the id of another event',
    given: noteWithUsedId(0),
    gives: [409, 'item-already-exists'],
    data: { id: cuid },
  },
  { it: 'refuses the id of a trashed event', given: noteWithUsedId(1), gives: [409, 'item-already-exists'] },
  {
    it: 'refuses the id of a deleted event',
    given: noteWithUsedId(2),
    gives: [409, 'item-already-exists'],
    data: { id: cuid },
  },
  // Series
  {
    it: 'describes a series of a basic type',
    given: note({ type: 'series:mass/kg', content: undefined, duration: 12 }),
    gives: 201,
    then: (result) => {
      const event = eventIn(result)
      const columns = ['deltaTime', 'value']
      expect(event['content']).toEqual({ elementType: 'mass/kg', fields: columns, required: columns })
      expect(event['duration']).toBe(0)
      expect(event['integrity']).toBe(integrityOf(event))
    },
  },
  {
    it: 'describes a series of an object type',
    given: note({ type: 'series:position/wgs84', content: null }),
    gives: 201,
    then: (result) => {
      const content = eventIn(result)['content'] as Json
      expect(content['required']).toEqual(['deltaTime', 'latitude', 'longitude'])
      expect(content['fields']).toEqual(expect.arrayContaining(['deltaTime', 'latitude', 'longitude', 'altitude']))
    },
  },
  {
    it: 'refuses a series of an unknown type',
    given: note({ type: 'series:test/test', content: undefined }),
    gives: [400, 'invalid-event-type'],
    data: { type: 'series:test/test' },
  },
  ...[5, { elementType: 'mass/lb', fields: [] }, 'x'.repeat(200_000)].map((content) => ({
    it: `replaces content that is sent for a series: ${JSON.stringify(content).slice(0, 20)}`,
    given: note({ type: 'series:mass/kg', content }),
    gives: 201,
    result: { event: { content: { elementType: 'mass/kg', fields: ['deltaTime', 'value'], required: ['deltaTime', 'value'] } } },
  })),
  {
    it: 'omits client data keys that are null',
    given: note({ clientData: { a: null, b: 1, c: { d: null } } }),
    gives: 201,
    then: (result) => expect(eventIn(result)['clientData']).toEqual({ b: 1, c: { d: null } }),
  },
  {
    it: 'omits client data when all keys are null',
    given: note({ clientData: { a: null } }),
    gives: 201,
    then: (result) => expect(eventIn(result)).not.toHaveProperty('clientData'),
  },
  // Uploads
  {
    it: 'refuses upload descriptors in a batch',
    given: note({ files: [{ path: '/etc/passwd' }] }),
    only: ['batch'],
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'ignores the property files of a body',
    given: note({ files: [{ path: '/etc/passwd' }] }),
    only: ['http', 'form'],
    gives: 201,
    then: (result) => {
      expect(eventIn(result)).not.toHaveProperty('attachments')
      expect(eventIn(result)).not.toHaveProperty('files')
    },
  },
])

const language = { streamIds: [':_system:language'], type: 'language/iso-639-1', content: 'fr' }
/** Properties that events of account fields do not have. */
const unsupported = {
  id: cuid,
  trashed: true,
  tags: ['t'],
  description: 'd',
  duration: 5,
  clientData: { a: 1 },
}
const email = (content: unknown): Json => ({ streamIds: [':system:email'], type: 'email/string', content })

describeMethod('events.create', [
  {
    it: 'replaces the value of an account field',
    send: language,
    gives: 201,
    result: { event: { id: ':_system:language', streamIds: [':_system:language'], content: 'fr' } },
    async then(result, s) {
      expect(eventIn(result)['integrity']).toBe(integrityOf(eventIn(result)))
      const { events } = await s.arrange('events.get', { streams: [':_system:language'] })
      expect(events).toEqual([result['event']])
    },
  },
  ...(['contribute', 'create-only', 'manage'] as const).map((level) => ({
    it: `allows ${level} on the account field`,
    as: [{ streamId: ':_system:language', level }],
    send: language,
    gives: 201,
  })),
  {
    it: 'refuses manage on * for an account field',
    as: [{ streamId: '*', level: 'manage' }],
    send: language,
    gives: [403, 'forbidden'],
  },
  ...Object.entries(unsupported).map(([name, value]) => ({
    it: `refuses ${name} for an account field`,
    send: { ...language, [name]: value },
    gives: [400, 'invalid-operation'] as [400, 'invalid-operation'],
    data: { streamId: ':_system:language', fields: [name] },
  })),
  {
    it: 'accepts empty properties for an account field',
    send: { ...language, id: ':_system:language', trashed: false, tags: [' '], description: null, duration: 0, clientData: { a: null } },
    gives: 201,
    result: { event: { content: 'fr', tags: [] } },
  },
  {
    it: 'refuses a read-only account field',
    send: { streamIds: [':_system:dbDocuments'], type: 'data-quantity/b', content: 1 },
    gives: [400, 'invalid-operation'],
    data: { streamId: ':_system:dbDocuments' },
  },
  {
    it: 'refuses two account fields in one event',
    send: { ...language, streamIds: [':_system:language', ':system:email'] },
    gives: [400, 'invalid-operation'],
    data: { streamIds: [':_system:language', ':system:email'] },
  },
  {
    it: 'refuses an account field value that is neither text nor number',
    send: email({ a: 1 }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses a unique value of another user',
    given: async (s) => email(`${(await newStage(s.node)).username}@example.org`),
    gives: [409, 'item-already-exists'],
    data: { email: expect.stringMatching(/@example\.org$/) },
  },
])

describeMethod(
  'events.create',
  [
    {
      it: 'computes the integrity with the configured algorithm',
      given: note(),
      gives: 201,
      then: (result) => expect(eventIn(result)['integrity']).toBe(integrityOf(eventIn(result), 'sha512')),
    },
  ],
  { 'integrity.algorithm': 'sha512' },
)

describeMethod(
  'events.create',
  [
    {
      it: 'omits the integrity when it is disabled',
      given: note(),
      gives: 201,
      then: (result) => expect(eventIn(result)).not.toHaveProperty('integrity'),
    },
  ],
  { 'integrity.isActive.events': false },
)

describe('events.create', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
  })
  afterAll(() => node.stop())

  it('appends the caller id to the author', async () => {
    const s = await newStage(node)
    const body = await note()(s)
    const url = `${node.url}${s.username}/events`
    const created = await request(url, { body, headers: { authorization: `${s.owner} Dr "Who", "modified":1` } })
    expect(created.status).toBe(201)
    const { createdBy, id } = eventIn(created.body)
    expect(createdBy).toMatch(/^[a-z0-9]{24} Dr "Who", "modified":1$/)
    const { status } = await request(`${node.url}${s.username}/events?modifiedSince=2`, { token: s.owner })
    expect(status).toBe(200)
    const { events } = await s.arrange('events.get', { modifiedSince: 2, types: ['note/txt'] })
    expect(events).toEqual([expect.objectContaining({ id })])
  })

  it('refuses malformed JSON and a missing token', async () => {
    const s = await newStage(node)
    const url = `${node.url}${s.username}/events`
    expect(await request(url, { token: s.owner, body: '{"a":' })).toMatchObject({
      status: 400,
      body: { error: { id: 'invalid-request-structure' } },
    })
    expect(await request(url, { body: await note()(s) })).toMatchObject({
      status: 401,
      body: { error: { id: 'invalid-access-token' } },
    })
  })

  it('creates one event for many concurrent requests with one id', async () => {
    const s = await newStage(node)
    const fields = await note({ id: cuid })(s)
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => callThrough('http', s, s.owner, 'events.create', fields)),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)])
  })

  it('refuses an event whose stream is deleted during the call', async () => {
    const s = await newStage(node)
    const fields = await note()(s)
    const loaded = await node.node.accounts.find(s.username)
    // Locks the account, as a deletion does while it searches the events of the stream.
    let release = (): void => {}
    const lock = loaded?.account.exclusively(() => new Promise<void>((resolve) => (release = resolve)))
    const creation = callThrough('http', s, s.owner, 'events.create', fields)
    await new Promise((resolve) => setTimeout(resolve, 50))
    loaded?.account.tree.remove('diary')
    release()
    await lock
    expect((await creation).body['error']).toMatchObject({ id: 'unknown-referenced-resource' })
  })
})
