import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Stage } from '../../../support/http/methodTable.js'
import { callThrough, describeMethod, everyDoor, newStage } from '../../../support/http/methodTable.js'
import { integrityOf } from '../../../support/oracles/integrity.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'

type Json = Record<string, unknown>

const eventIn = (result: Json): Json => result['event'] as Json
const now = (): number => Date.now() / 1000
const violation = (code: string, path: string): unknown => [expect.objectContaining({ code, path })]

/** A note in the stream `diary`, with these fields changed. */
const note =
  (fields: Json = {}) =>
  async (s: Stage): Promise<Json> => {
    await s.arrange('streams.create', { id: 'diary', name: 'Diary' })
    return { streamIds: ['diary'], type: 'note/txt', content: 'hello', ...fields }
  }

/** A note in `diary` and `work`, of which the second may lie in the trash. */
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

/** A note whose id another event has, or had. */
const noteWithTakenId =
  (deletions: number) =>
  async (s: Stage): Promise<Json> => {
    const fields = await note({ id: cuid })(s)
    await s.arrange('events.create', fields)
    for (let n = 0; n < deletions; n++) await s.arrange('events.delete', { id: cuid })
    return fields
  }

describeMethod('events.create', [
  {
    it: 'answers what was sent, with id, tracking and integrity',
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
    it: 'names the access as author',
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
    it: 'sets the time when none is sent',
    given: note(),
    gives: 201,
    then: (result) => expect(Math.abs(Number(eventIn(result)['time']) - now())).toBeLessThan(60),
  },
  { it: 'keeps a time of 0', given: note({ time: 0 }), gives: 201, result: { event: { time: 0 } } },
  {
    it: 'keeps a time as precise as it is sent',
    only: everyDoor,
    given: note({ time: 1234567890.123456 }),
    gives: 201,
    result: { event: { time: 1234567890.123456 } },
  },
  {
    it: 'replaces tracking fields that are sent',
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
    it: 'takes null for optional fields',
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
  { it: 'begins a running period', given: note({ duration: null }), gives: 201, result: { event: { duration: null } } },
  { it: 'creates in the trash', given: note({ trashed: true }), gives: 201, result: { event: { trashed: true } } },
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
    it: 'hashes texts with characters that editors hide',
    only: everyDoor,
    given: note({ content: '\u2028 \u00ad \ufeff \u0007 é 😀 "\\/' }),
    gives: 201,
    then: (result) => expect(eventIn(result)['integrity']).toBe(integrityOf(eventIn(result))),
  },
  {
    it: 'keeps a key of client data that looks like a member of objects',
    only: everyDoor,
    given: note({ clientData: JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Json }),
    gives: 201,
    then: (result) =>
      expect(JSON.stringify(eventIn(result)['clientData'])).toBe('{"__proto__":{"a":1},"constructor":2}'),
  },
  // Streams
  {
    it: 'takes streamId for one stream',
    given: note({ streamIds: undefined, streamId: 'diary' }),
    gives: 201,
    result: { event: { streamIds: ['diary'], streamId: 'diary' } },
  },
  {
    it: 'takes the first of streamIds as streamId beside them',
    given: noteInTwo({ streamIds: ['work', 'diary'], streamId: 'work' }),
    gives: 201,
    result: { event: { streamIds: ['work', 'diary'], streamId: 'work' } },
  },
  {
    it: 'refuses another streamId beside streamIds',
    given: noteInTwo({ streamIds: ['work', 'diary'], streamId: 'diary' }),
    gives: [400, 'invalid-operation'],
    data: { streamId: 'diary', streamIds: ['work', 'diary'] },
  },
  {
    it: 'counts repeated streams once, in their order',
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
    it: 'names the streams that do not exist',
    given: note({ streamIds: ['nope', 'diary', 'neither'] }),
    gives: [400, 'unknown-referenced-resource'],
    data: { streamIds: ['nope', 'neither'] },
  },
  {
    it: 'refuses a stream in the trash',
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
  { it: 'lets create with create-only', as: [{ streamId: 'diary', level: 'create-only' }], given: note(), gives: 201 },
  { it: 'lets create with manage', as: [{ streamId: '*', level: 'manage' }], given: note(), gives: 201 },
  { it: 'refuses a reader', as: [{ streamId: '*', level: 'read' }], given: note(), gives: [403, 'forbidden'] },
  {
    it: 'refuses when one of two streams is not to be contributed to',
    as: [
      { streamId: 'diary', level: 'contribute' },
      { streamId: 'work', level: 'read' },
    ],
    given: noteInTwo(),
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses when one of two streams is out of scope',
    as: [{ streamId: 'diary', level: 'create-only' }],
    given: noteInTwo(),
    gives: [403, 'forbidden'],
  },
  {
    it: 'tells of an unknown stream before asking for permissions',
    as: [{ streamId: '*', level: 'read' }],
    given: note({ streamIds: ['nope'] }),
    gives: [400, 'unknown-referenced-resource'],
  },
  {
    it: 'judges the content before permissions',
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
    it: 'keeps a repeated tag once',
    given: note({ tags: ['b', 'a', ' b'] }),
    gives: 201,
    then: (result) => expect(eventIn(result)['tags']).toEqual(['b', 'a']),
  },
  { it: 'takes a tag of 500 characters', given: note({ tags: [` ${'b'.repeat(500)} `] }), gives: 201 },
  // Content
  {
    it: 'refuses content that does not fit its type',
    given: note({ type: 'mass/kg', content: '72' }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses a text for an object',
    given: note({ type: 'position/wgs84', content: 'here' }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses the absence of content that a type asks for',
    given: note({ type: 'mass/kg', content: null }),
    gives: [400, 'invalid-parameters-format'],
  },
  { it: 'takes fitting content', given: note({ type: 'mass/kg', content: 72.4 }), gives: 201 },
  // Ids
  ...[':_emails:x', ':_cmc:x', ':_delegation:x', ':_shared-secrets:x'].map((id) => ({
    it: `refuses the id ${id}, which is the node's`,
    given: note({ id }),
    gives: [400, 'invalid-item-id'] as [400, 'invalid-item-id'],
    data: { id },
  })),
  { it: 'takes an id of 25 characters', given: note({ id: cuid }), gives: 201, result: { event: { id: cuid } } },
  { it: 'takes an id of c and 24 of hyphens', given: note({ id: 'c' + '-'.repeat(24) }), gives: 201 },
  { it: 'takes an id of 24 characters', given: note({ id: 'a' + 'b1'.repeat(11) + 'c' }), gives: 201 },
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
    it: 'refuses an id that is taken',
    given: noteWithTakenId(0),
    gives: [409, 'item-already-exists'],
    data: { id: cuid },
  },
  { it: 'refuses the id of a trashed event', given: noteWithTakenId(1), gives: [409, 'item-already-exists'] },
  {
    it: 'refuses the id of a deleted event',
    given: noteWithTakenId(2),
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
    it: `sets the content of a series itself, whatever comes along: ${JSON.stringify(content).slice(0, 20)}`,
    given: note({ type: 'series:mass/kg', content }),
    gives: 201,
    result: { event: { content: { elementType: 'mass/kg', fields: ['deltaTime', 'value'], required: ['deltaTime', 'value'] } } },
  })),
  {
    it: 'leaves out keys of client data that are null',
    given: note({ clientData: { a: null, b: 1, c: { d: null } } }),
    gives: 201,
    then: (result) => expect(eventIn(result)['clientData']).toEqual({ b: 1, c: { d: null } }),
  },
  {
    it: 'has no client data where all keys are null',
    given: note({ clientData: { a: null } }),
    gives: 201,
    then: (result) => expect(eventIn(result)).not.toHaveProperty('clientData'),
  },
  // Uploads
  {
    it: 'refuses descriptors of uploads in a batch',
    given: note({ files: [{ path: '/etc/passwd' }] }),
    only: ['batch'],
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'ignores a member called files in a body',
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
/** Members that events of account fields have not. */
const fieldless = {
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
    it: `replaces it with ${level} on the field`,
    as: [{ streamId: ':_system:language', level }],
    send: language,
    gives: 201,
  })),
  {
    it: 'refuses manage on everything',
    as: [{ streamId: '*', level: 'manage' }],
    send: language,
    gives: [403, 'forbidden'],
  },
  ...Object.entries(fieldless).map(([name, value]) => ({
    it: `refuses ${name} for an account field, which would be lost`,
    send: { ...language, [name]: value },
    gives: [400, 'invalid-operation'] as [400, 'invalid-operation'],
    data: { streamId: ':_system:language', fields: [name] },
  })),
  {
    it: 'takes members for an account field that say nothing',
    send: { ...language, id: ':_system:language', trashed: false, tags: [' '], description: null, duration: 0, clientData: { a: null } },
    gives: 201,
    result: { event: { content: 'fr', tags: [] } },
  },
  {
    it: 'refuses a field that cannot be edited',
    send: { streamIds: [':_system:dbDocuments'], type: 'data-quantity/b', content: 1 },
    gives: [400, 'invalid-operation'],
    data: { streamId: ':_system:dbDocuments' },
  },
  {
    it: 'refuses two fields at once',
    send: { ...language, streamIds: [':_system:language', ':system:email'] },
    gives: [400, 'invalid-operation'],
    data: { streamIds: [':_system:language', ':system:email'] },
  },
  {
    it: 'refuses a value that is neither text nor number',
    send: email({ a: 1 }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses a unique value that another user has',
    given: async (s) => email(`${(await newStage(s.node)).username}@example.org`),
    gives: [409, 'item-already-exists'],
    data: { email: expect.stringMatching(/@example\.org$/) },
  },
])

describeMethod(
  'events.create',
  [
    {
      it: 'hashes with the algorithm of the settings',
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
      it: 'leaves integrity out when it is off',
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

  it('adds the caller id to the author', async () => {
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

  it('gives one of many simultaneous claims of an id to one', async () => {
    const s = await newStage(node)
    const fields = await note({ id: cuid })(s)
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => callThrough('http', s, s.owner, 'events.create', fields)),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)])
  })

  it('never puts an event into a stream that is deleted meanwhile', async () => {
    const s = await newStage(node)
    const fields = await note()(s)
    const loaded = await node.node.accounts.find(s.username)
    // The account is held as it is while a deletion looks for the stream's events.
    let release = (): void => {}
    const held = loaded?.account.exclusively(() => new Promise<void>((resolve) => (release = resolve)))
    const creation = callThrough('http', s, s.owner, 'events.create', fields)
    await new Promise((resolve) => setTimeout(resolve, 50))
    loaded?.account.tree.remove('diary')
    release()
    await held
    expect((await creation).body['error']).toMatchObject({ id: 'unknown-referenced-resource' })
  })
})
