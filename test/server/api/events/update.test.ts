import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Event } from '../../../../src/store/model/event.js'
import { integrityOf } from '../../../support/oracles/integrity.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, describeMethod, newStage, type Row, type Stage } from '../../../support/http/methodTable.js'

type Json = Record<string, unknown>

const eventIn = (result: Json): Json => result['event'] as Json
const id = 'ckd0br26d00075wpvugeqxkvd'
const refusedFormat: Row['gives'] = [400, 'invalid-parameters-format']
const violation = (code: string, path: string): unknown => [expect.objectContaining({ code, path })]

/** Creates an event in `diary` with `fields`, the stream `work` and the trashed stream `old`; returns parameters of an update. */
const change =
  (update: unknown, fields: Json = {}) =>
  async (s: Stage): Promise<Json> => {
    await s.arrange('streams.create', { id: 'diary', name: 'Diary' })
    await s.arrange('streams.create', { id: 'work', name: 'Work' })
    await s.arrange('streams.create', { id: 'old', name: 'Old', trashed: true })
    await s.arrange('events.create', { id, streamIds: ['diary'], type: 'note/txt', content: 'a', time: 5, ...fields })
    return { id, update }
  }

const inBoth = { streamIds: ['diary', 'work'] }
const onDiary: Row['as'] = [{ streamId: 'diary', level: 'contribute' }]
const onBoth: Row['as'] = [...onDiary, { streamId: 'work', level: 'contribute' }]

/** Checks that the event is unchanged. */
const unchanged: Row['then'] = async (_, s) => {
  const { event } = await s.arrange('events.getOne', { id })
  expect(event).toMatchObject({ content: 'a', time: 5 })
  expect((event as Json)['modified']).toBe((event as Json)['created'])
}

describeMethod('events.update', [
  {
    it: 'changes the fields of the update and keeps the others',
    given: change({ content: 'b', time: -7.5, description: 'd', tags: ['t'], duration: 2.5 }, { clientData: { k: 1 } }),
    gives: 200,
    async then(result, s) {
      const event = eventIn(result)
      expect(event).toMatchObject({
        id,
        streamIds: ['diary'],
        streamId: 'diary',
        type: 'note/txt',
        content: 'b',
        time: -7.5,
        duration: 2.5,
        description: 'd',
        tags: ['t'],
        clientData: { k: 1 },
      })
      expect(Number(event['modified'])).toBeGreaterThanOrEqual(Number(event['created']))
      expect(event['integrity']).toBe(integrityOf(event))
      expect((await s.arrange('events.getOne', { id }))['event']).toEqual(event)
      expect((await s.arrange('events.get', { fromTime: -8, toTime: -7 }))['events']).toEqual([event])
      expect((await s.arrange('events.get', { fromTime: 4, toTime: 6 }))['events']).toEqual([])
    },
  },
  {
    it: 'sets the access as modifier',
    as: onDiary,
    given: change({ content: 'b' }),
    gives: 200,
    then: (result) => {
      const { createdBy, modifiedBy } = eventIn(result)
      expect(modifiedBy).toMatch(/^[a-z][a-z0-9]{23}$/)
      expect(modifiedBy).not.toBe(createdBy)
    },
  },
  { it: 'accepts an empty update', given: change({}), gives: 200, result: { event: { content: 'a', time: 5 } } },
  {
    it: 'removes optional fields by null',
    given: change(
      { content: null, description: null, clientData: null, tags: null, trashed: null },
      { type: 'test/test', description: 'd', clientData: { k: 1 }, tags: ['t'], trashed: true },
    ),
    gives: 200,
    then: (result) => {
      const event = eventIn(result)
      for (const removed of ['content', 'description', 'clientData', 'trashed']) expect(event).not.toHaveProperty(removed)
      expect(event['tags']).toEqual([])
      expect(event['integrity']).toBe(integrityOf(event))
    },
  },
  {
    it: 'replaces content entirely',
    given: change({ content: { b: 2 } }, { type: 'test/test', content: { a: 1 } }),
    gives: 200,
    then: (result) => expect(eventIn(result)['content']).toEqual({ b: 2 }),
  },
  {
    it: 'merges client data by key',
    given: change({ clientData: { b: null, c: 3, d: null } }, { clientData: { a: 1, b: 2 } }),
    gives: 200,
    then: (result) => expect(eventIn(result)['clientData']).toEqual({ a: 1, c: 3 }),
  },
  {
    it: 'removes client data with its last key',
    given: change({ clientData: { a: null } }, { clientData: { a: 1 } }),
    gives: 200,
    then: (result) => expect(eventIn(result)).not.toHaveProperty('clientData'),
  },
  { it: 'trashes an event', given: change({ trashed: true }), gives: 200, result: { event: { trashed: true } } },
  {
    it: 'restores a trashed event',
    given: change({ trashed: false }, { trashed: true }),
    gives: 200,
    then: (result) => expect(eventIn(result)).not.toHaveProperty('trashed'),
  },
  { it: 'starts a period', given: change({ duration: null }), gives: 200, result: { event: { duration: null } } },
  {
    it: 'stops a running period',
    given: change({ duration: 3 }, { duration: null }),
    gives: 200,
    result: { event: { duration: 3 } },
    then: async (_, s) => expect((await s.arrange('events.get', { running: true }))['events']).toEqual([]),
  },
  {
    it: 'changes a period to a point in time',
    given: change({ duration: 0 }, { duration: 9 }),
    gives: 200,
    then: (result) => expect(eventIn(result)).not.toHaveProperty('duration'),
  },
  // Streams
  {
    it: 'replaces the streams',
    given: change({ streamIds: ['work', 'diary', 'work'] }),
    gives: 200,
    result: { event: { streamIds: ['work', 'diary'], streamId: 'work' } },
  },
  {
    it: 'moves an event by streamId',
    given: change({ streamId: 'work' }),
    gives: 200,
    result: { event: { streamIds: ['work'] } },
    async then(result, s) {
      expect((await s.arrange('events.get', { streams: ['work'] }))['events']).toEqual([result['event']])
      expect((await s.arrange('events.get', { streams: ['diary'] }))['events']).toEqual([])
    },
  },
  {
    it: 'accepts streamId beside streamIds when it equals the first one',
    given: change({ streamId: 'work', streamIds: ['work', 'diary'] }),
    gives: 200,
    result: { event: { streamIds: ['work', 'diary'], streamId: 'work' } },
  },
  {
    it: 'refuses streamId beside streamIds when it differs from the first one',
    given: change({ streamId: 'diary', streamIds: ['work', 'diary'] }),
    gives: [400, 'invalid-operation'],
    data: { streamId: 'diary', streamIds: ['work', 'diary'] },
    then: unchanged,
  },
  {
    it: 'reports the unknown streams',
    given: change({ streamIds: ['diary', 'nope'] }),
    gives: [400, 'unknown-referenced-resource'],
    data: { streamIds: ['nope'] },
    then: unchanged,
  },
  {
    it: 'refuses a trashed stream',
    given: change({ streamIds: ['diary', 'old'] }),
    gives: [400, 'invalid-operation'],
    data: { trashedReference: 'streamIds' },
  },
  { it: 'refuses an empty list of streams', given: change({ streamIds: [] }), gives: refusedFormat },
  {
    it: 'refuses a move to an account stream',
    given: change({ streamIds: [':_system:language'] }),
    gives: [400, 'invalid-operation'],
    then: unchanged,
  },
  // Permissions
  {
    it: 'allows contribute on one of two streams',
    as: onDiary,
    given: change({ content: 'b' }, inBoth),
    gives: 200,
  },
  {
    it: 'refuses to add a stream without contribute on it',
    as: [...onDiary, { streamId: 'work', level: 'create-only' }],
    given: change(inBoth),
    gives: [403, 'forbidden'],
    then: unchanged,
  },
  {
    it: 'refuses to remove a stream without contribute on it',
    as: [...onDiary, { streamId: 'work', level: 'read' }],
    given: change({ streamIds: ['diary'] }, inBoth),
    gives: [403, 'forbidden'],
    then: unchanged,
  },
  { it: 'allows adding a stream with contribute on both', as: onBoth, given: change(inBoth), gives: 200 },
  {
    it: 'allows removing a stream with contribute on both',
    as: onBoth,
    given: change({ streamId: 'work' }, inBoth),
    gives: 200,
  },
  ...(['read', 'create-only', 'none'] as const).map((level) => ({
    it: `refuses ${level}`,
    as: [{ streamId: 'diary', level }],
    given: change({ content: 'b' }),
    gives: [403, 'forbidden'] as Row['gives'],
    then: unchanged,
  })),
  {
    it: 'refuses permissions on another stream',
    as: [{ streamId: 'work', level: 'manage' }],
    given: change({}),
    gives: [403, 'forbidden'],
  },
  // Format
  { it: 'refuses an unknown event', send: { id, update: {} }, gives: [404, 'unknown-resource'] },
  { it: 'refuses a malformed id', send: { id: 'nope', update: {} }, gives: [404, 'unknown-resource'] },
  {
    it: 'refuses a deleted event',
    async given(s) {
      const params = await change({ trashed: false }, { trashed: true })(s)
      await s.arrange('events.delete', { id })
      return params
    },
    gives: [404, 'unknown-resource'],
  },
  {
    it: 'refuses an unknown property',
    given: change({ badProperty: 1, content: 'b' }),
    gives: refusedFormat,
    data: violation('OBJECT_ADDITIONAL_PROPERTIES', '#/update'),
    then: unchanged,
  },
  { it: 'refuses references', given: change({ references: [] }), gives: refusedFormat },
  { it: 'refuses an array', given: change([]), gives: refusedFormat },
  {
    it: 'validates the format before it checks protected fields',
    given: change({ created: 1, time: '1' }),
    gives: refusedFormat,
    data: violation('INVALID_TYPE', '#/update/time'),
  },
  { it: 'refuses a negative duration', given: change({ duration: -1 }), gives: refusedFormat },
  { it: 'refuses a malformed type', given: change({ type: 'x' }), gives: refusedFormat },
  {
    it: 'validates new content against the existing type',
    given: change(
      { content: { latitude: 'x', longitude: 1 } },
      { type: 'position/wgs84', content: { latitude: 1, longitude: 1 } },
    ),
    gives: refusedFormat,
  },
  {
    it: 'validates existing content against a new type',
    given: change({ type: 'mass/kg' }),
    gives: refusedFormat,
    then: unchanged,
  },
  { it: 'accepts a type and its content together', given: change({ type: 'mass/kg', content: 72 }), gives: 200 },
  {
    it: 'refuses upload descriptors in a batch',
    given: change({ files: [] }),
    only: ['batch'],
    gives: refusedFormat,
  },
  { it: 'ignores the property files of a body', given: change({ files: [1] }), only: ['http', 'form'], gives: 200 },
  // Protected fields
  ...['id', 'attachments', 'integrity', 'created', 'createdBy', 'modified', 'modifiedBy'].map((field) => ({
    it: `refuses to set ${field}`,
    given: change({ [field]: field === 'id' ? id : 1, content: 'b' }),
    gives: [403, 'forbidden'] as Row['gives'],
    then: unchanged,
  })),
  // Series
  {
    it: 'refuses to change an event to a series',
    given: change({ type: 'series:mass/kg', content: undefined }, { type: 'mass/kg', content: 1 }),
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses to change a series to an event',
    given: change({ type: 'mass/kg', content: 1 }, { type: 'series:mass/kg', content: null }),
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses a series of an unknown type',
    given: change({ type: 'series:test/test' }),
    gives: [400, 'invalid-event-type'],
    data: { type: 'series:test/test' },
  },
  {
    it: 'refuses content of a series',
    given: change({ content: 1 }, { type: 'series:mass/kg', content: null }),
    gives: refusedFormat,
  },
  {
    it: 'keeps the content of a series',
    given: change({ time: 9, description: 'd' }, { type: 'series:mass/kg', content: null }),
    gives: 200,
    result: { event: { time: 9, content: { elementType: 'mass/kg' } } },
  },
])

const language = ':_system:language'

describeMethod('events.update', [
  {
    it: 'changes the value of an account field',
    send: { id: language, update: { content: 'fr' } },
    gives: 200,
    result: { event: { id: language, streamIds: [language], content: 'fr', type: 'language/iso-639-1' } },
    then: (result) => expect(eventIn(result)['integrity']).toBe(integrityOf(eventIn(result))),
  },
  {
    it: 'allows an app with contribute on the account field',
    as: [{ streamId: language, level: 'contribute' }],
    send: { id: language, update: { content: 'fr' } },
    gives: 200,
  },
  ...(['read', 'create-only'] as const).map((level) => ({
    it: `refuses ${level} on the account field`,
    as: [{ streamId: language, level }],
    send: { id: language, update: { content: 'fr' } },
    gives: [403, 'forbidden'] as Row['gives'],
  })),
  {
    it: 'refuses manage on * for an account field',
    as: [{ streamId: '*', level: 'manage' }],
    send: { id: language, update: { content: 'fr' } },
    gives: [403, 'forbidden'],
  },
  ...Object.entries({ trashed: true, tags: ['t'], description: 'd', duration: null, clientData: { a: 1 }, type: 'note/txt' }).map(([name, value]): Row => ({
    it: `refuses ${name} of an account field`,
    send: { id: language, update: { [name]: value } },
    gives: [400, 'invalid-operation'],
    data: { streamId: language, fields: [name] },
  })),
  {
    it: 'accepts the event of an account field as it was read, with another value',
    async given(s) {
      const { event } = await s.arrange('events.getOne', { id: language })
      const { id: _, created: _c, createdBy: _cb, modified: _m, modifiedBy: _mb, integrity: _i, ...rest } = event as Json
      return { id: language, update: { ...rest, content: 'fr' } }
    },
    gives: 200,
    result: { event: { content: 'fr' } },
  },
  {
    it: 'refuses another account stream',
    send: { id: language, update: { content: 'fr', streamIds: [':system:email'] } },
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses a second account stream',
    send: { id: language, update: { content: 'fr', streamIds: [language, ':system:email'] } },
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses a read-only account field',
    send: { id: ':_system:dbDocuments', update: { content: 1 } },
    gives: [400, 'invalid-operation'],
  },
  { it: 'refuses an account field value that is a list', send: { id: language, update: { content: [] } }, gives: refusedFormat },
  {
    it: 'refuses a unique value of another user',
    given: async (s) => ({
      id: ':system:email',
      update: { content: `${(await newStage(s.node)).username}@example.org` },
    }),
    gives: [409, 'item-already-exists'],
    data: { email: expect.stringMatching(/@example\.org$/) },
  },
])

describeMethod(
  'events.update',
  [
    {
      it: 'drops protected fields and applies the rest',
      given: change({
        id: 'x',
        created: 1,
        createdBy: 'x',
        modified: 1,
        modifiedBy: 'x',
        integrity: 'x',
        content: 'b',
      }),
      gives: 200,
      then: (result) => {
        const event = eventIn(result)
        expect(event).toMatchObject({ id, content: 'b' })
        expect(Number(event['created'])).toBeGreaterThan(1)
        expect(Number(event['modified'])).toBeGreaterThan(1)
        expect(event['createdBy']).not.toBe('x')
        expect(event['integrity']).toBe(integrityOf(event))
      },
    },
    {
      it: 'accepts an event as it was read, with one property changed',
      async given(s) {
        await change({}, { clientData: { k: 1 }, tags: ['t'], duration: 5, description: 'd' })(s)
        const { event } = await s.arrange('events.getOne', { id })
        return { id, update: { ...(event as Json), description: 'another' } }
      },
      gives: 200,
      result: { event: { id, content: 'a', tags: ['t'], clientData: { k: 1 }, duration: 5, description: 'another' } },
    },
    {
      it: 'accepts a series as it was read, and ignores its content',
      async given(s) {
        await s.arrange('streams.create', { id: 'diary', name: 'Diary' })
        const { event } = await s.arrange('events.create', { streamIds: ['diary'], type: 'series:mass/kg' })
        const read = (await s.arrange('events.getOne', { id: (event as Json)['id'] }))['event'] as Json
        return { id: read['id'], update: { ...read, content: { fields: [] }, description: 'weights' } }
      },
      gives: 200,
      result: { event: { description: 'weights', content: { elementType: 'mass/kg', fields: ['deltaTime', 'value'] } } },
    },
    { it: 'drops attachments', given: change({ attachments: [{ id: 'x' }], content: 'b' }), gives: 200 },
    { it: 'still refuses unknown properties', given: change({ badProperty: 1 }), gives: refusedFormat },
  ],
  { 'updates.ignoreProtectedFields': true },
)

describeMethod(
  'events.update',
  [
    {
      it: 'keeps the version before each change',
      async given(s) {
        const params = await change({ content: 'c' })(s)
        await s.arrange('events.update', { id, update: { content: 'b' } })
        return params
      },
      gives: 200,
      async then(result, s) {
        const { event, history } = await s.arrange('events.getOne', { id, includeHistory: true })
        expect(event).toEqual(result['event'])
        const versions = history as Event[]
        expect(versions.map((version) => [version.id, version.content])).toEqual([
          [id, 'a'],
          [id, 'b'],
        ])
        for (const version of versions) expect(version.integrity).toBe(integrityOf({ ...version }))
        const { events } = await s.arrange('events.get', { state: 'all', limit: 100, types: ['note/txt'] })
        expect(events).toHaveLength(1)
      },
    },
  ],
  { 'versioning.forceKeepHistory': true },
)

describe('events.update', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({ 'versioning.forceKeepHistory': true })
  })
  afterAll(() => node.stop())

  it('applies each of many concurrent updates', async () => {
    const s = await newStage(node)
    await change({})(s)
    const updates: Json[] = [
      { content: 'b' },
      { description: 'd' },
      { time: 77 },
      { duration: 5 },
      { tags: ['t'] },
      { trashed: true },
      { streamIds: ['work'] },
      ...Array.from({ length: 20 }, (_, n) => ({ clientData: { [`k${n}`]: n } })),
    ]
    const outcomes = await Promise.all(
      updates.map((update, n) =>
        callThrough(n % 2 === 0 ? 'http' : 'batch', s, s.owner, 'events.update', { id, update }),
      ),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(updates.map(() => 200))
    const { event, history } = await s.arrange('events.getOne', { id, includeHistory: true })
    const rest = Object.assign({}, ...updates.slice(0, 7)) as Json
    const clientData = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, n]))
    expect(event).toMatchObject({ ...rest, clientData, streamId: 'work' })
    expect(eventIn({ event })['integrity']).toBe(integrityOf(eventIn({ event })))
    expect(history).toHaveLength(updates.length)
  })

  it('applies each update of a batch to the result of the previous ones', async () => {
    const s = await newStage(node)
    await change({})(s)
    const steps = [{ content: 'b' }, { description: 'd' }, { clientData: { a: 1 } }, { clientData: { b: 2 } }]
    const calls = steps.map((update) => ({ method: 'events.update', params: { id, update } }))
    const { results } = await s.arrange('callBatch', calls)
    const last = (results as Json[]).at(-1) ?? {}
    expect(last['event']).toMatchObject({ content: 'b', description: 'd', clientData: { a: 1, b: 2 } })
  })
})
