import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { integrityOf } from '../../../support/oracles/integrity.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { describeMethod, newStage, type Row, type Stage } from '../../../support/http/methodTable.js'

type Json = Record<string, unknown>

const id = 'ckd0br26d00075wpvugeqxkvd'
const language = ':_system:language'
const forbidden: Row['gives'] = [403, 'forbidden']

/** Creates an event in `diary` and `work`, or the streams of `fields`, and applies `steps`; returns the parameters of the call. */
const eventWith =
  (fields: Json = {}, params: Json = {}, steps: { method: string; params: Json }[] = []) =>
  async (s: Stage): Promise<Json> => {
    await s.arrange('streams.create', { id: 'diary', name: 'Diary' })
    await s.arrange('streams.create', { id: 'work', name: 'Work' })
    await s.arrange('streams.create', { id: 'trips', name: 'Trips', parentId: 'work' })
    const event = { id, streamIds: ['diary', 'work'], type: 'note/txt', content: 'a', time: 5, ...fields }
    await s.arrange('events.create', event)
    for (const step of steps) await s.arrange(step.method, step.params)
    return { id, ...params }
  }

const trash = { method: 'events.delete', params: { id } }
const edit = (update: Json): { method: string; params: Json } => ({ method: 'events.update', params: { id, update } })

describeMethod('events.getOne', [
  {
    it: 'returns the event without history',
    given: eventWith(),
    gives: 200,
    result: { event: { id, streamIds: ['diary', 'work'], streamId: 'diary', content: 'a', time: 5, tags: [] } },
    then(result) {
      expect(Object.keys(result).filter((key) => key !== 'meta')).toEqual(['event'])
      const event = result['event'] as Json
      expect(event['integrity']).toBe(integrityOf(event))
    },
  },
  {
    it: 'returns a trashed event',
    given: eventWith({ trashed: true }),
    gives: 200,
    result: { event: { trashed: true } },
  },
  {
    it: 'allows a reader of one of the streams',
    as: [{ streamId: 'work', level: 'read' }],
    given: eventWith(),
    gives: 200,
  },
  {
    it: 'allows a reader of the parent stream',
    as: [{ streamId: 'work', level: 'read' }],
    given: eventWith({ streamIds: ['trips'] }),
    gives: 200,
  },
  {
    it: 'returns all streams of the event to a reader of one',
    as: [{ streamId: 'work', level: 'read' }],
    given: eventWith(),
    gives: 200,
    result: { event: { streamIds: ['diary', 'work'] } },
  },
  {
    it: 'refuses when another stream of the event has level none',
    as: [
      { streamId: '*', level: 'read' },
      { streamId: 'diary', level: 'none' },
    ],
    given: eventWith(),
    gives: forbidden,
  },
  {
    it: 'refuses create-only',
    as: [{ streamId: 'diary', level: 'create-only' }],
    given: eventWith(),
    gives: forbidden,
  },
  {
    it: 'allows a reader of one stream with create-only on the other',
    as: [
      { streamId: 'diary', level: 'create-only' },
      { streamId: 'work', level: 'read' },
    ],
    given: eventWith(),
    gives: 200,
  },
  { it: 'refuses permissions on other streams', as: [{ streamId: 'trips', level: 'manage' }], given: eventWith(), gives: forbidden },
  { it: 'refuses an unknown event', send: { id }, gives: [404, 'unknown-resource'] },
  { it: 'refuses a malformed id', send: { id: 'a"b' }, gives: [404, 'unknown-resource'] },
  {
    it: 'ignores an unknown parameter',
    given: eventWith({}, { withHistory: true }),
    gives: 200,
    then: (result) => expect(result).not.toHaveProperty('history'),
  },
  {
    it: 'refuses a malformed flag',
    given: eventWith({}, { includeHistory: 'maybe' }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'returns an empty history on request when none is kept',
    given: eventWith({}, { includeHistory: true }, [edit({ content: 'b' })]),
    gives: 200,
    result: { event: { content: 'b' }, history: [] },
  },
  {
    it: 'omits the history without a request',
    given: eventWith({}, { includeHistory: false }),
    gives: 200,
    then: (result) => expect(result).not.toHaveProperty('history'),
  },
  // Account fields
  {
    it: 'returns an account field by the id of its stream',
    send: { id: language },
    gives: 200,
    result: { event: { id: language, streamIds: [language], content: 'en', type: 'language/iso-639-1' } },
    then: (result) => expect((result['event'] as Json)['integrity']).toBe(integrityOf(result['event'] as Json)),
  },
  {
    it: 'allows an app with read on the account field',
    as: [{ streamId: language, level: 'read' }],
    send: { id: language },
    gives: 200,
  },
  {
    it: 'allows an app with read on all account fields',
    as: [{ streamId: ':_system:account', level: 'read' }],
    send: { id: language },
    gives: 200,
  },
  {
    it: 'refuses * for account fields',
    as: [{ streamId: '*', level: 'manage' }],
    send: { id: language },
    gives: forbidden,
  },
  { it: 'refuses a hidden account field, also for the owner', send: { id: ':_system:appId' }, gives: forbidden },
  {
    it: 'returns the storage used by the account',
    send: { id: ':_system:dbDocuments' },
    gives: 200,
    then: (result) => expect((result['event'] as Json)['content']).toEqual(expect.any(Number)),
  },
  {
    it: 'returns former values of an account field as its history',
    async given(s) {
      await s.arrange('events.update', { id: language, update: { content: 'fr' } })
      return { id: language, includeHistory: true }
    },
    gives: 200,
    result: { event: { content: 'fr' }, history: [{ id: language, content: 'en' }] },
  },
  // Deletions
  {
    it: 'returns the deletion of a deleted event',
    given: eventWith({}, {}, [trash, trash]),
    gives: 200,
    then: (result) => {
      const event = result['event'] as Json
      expect(event).toEqual({ id, deleted: expect.any(Number), integrity: integrityOf(event) })
    },
  },
])

/** Calls for an event that was updated, trashed and deleted. */
const deletedEvent = eventWith({}, { includeHistory: true }, [edit({ content: 'b' }), trash, trash])

const history: Row[] = [
  {
    it: 'returns earlier versions, oldest first',
    given: eventWith({}, { includeHistory: true }, [edit({ content: 'b' }), edit({ time: 9 }), trash]),
    gives: 200,
    then: (result) => {
      const versions = result['history'] as Json[]
      expect(versions.map(({ id, content, time, trashed }) => ({ id, content, time, trashed }))).toEqual([
        { id, content: 'a', time: 5, trashed: undefined },
        { id, content: 'b', time: 5, trashed: undefined },
        { id, content: 'b', time: 9, trashed: undefined },
      ])
      for (const version of versions) expect(version['integrity']).toBe(integrityOf(version))
      expect(result['event']).toMatchObject({ time: 9, trashed: true })
    },
  },
]

describeMethod(
  'events.getOne',
  [
    ...history,
    {
      it: 'returns no earlier versions of a deleted event by default',
      given: deletedEvent,
      gives: 200,
      then: ({ event, history }) => {
        expect(Object.keys(event as Json).sort()).toEqual(['deleted', 'id', 'integrity'])
        expect(history).toEqual([])
      },
    },
  ],
  { 'versioning.forceKeepHistory': true },
)

describeMethod(
  'events.getOne',
  [
    ...history,
    {
      it: 'returns the authors of a deleted event and its versions with keep-authors',
      given: deletedEvent,
      gives: 200,
      then: ({ event, history }) => {
        const deletion = event as Json
        const modified = { modified: expect.any(Number), modifiedBy: expect.any(String) }
        expect(deletion).toEqual({ id, deleted: expect.any(Number), ...modified, integrity: integrityOf(deletion) })
        const versions = history as Json[]
        expect(versions).toHaveLength(2)
        for (const version of versions) expect(version).toEqual({ id, ...modified, integrity: integrityOf(version) })
      },
    },
  ],
  { 'versioning.forceKeepHistory': true, 'versioning.deletionMode': 'keep-authors' },
)

describeMethod(
  'events.getOne',
  [
    ...history,
    {
      it: 'returns a deleted event and its versions with keep-everything',
      given: deletedEvent,
      gives: 200,
      then: ({ event, history }) => {
        const deletion = event as Json
        const { deleted } = deletion
        expect(deletion).toMatchObject({
          id,
          content: 'b',
          time: 5,
          trashed: true,
          streamId: 'diary',
          streamIds: ['diary', 'work'],
        })
        expect(deleted).toEqual(expect.any(Number))
        expect(deletion['integrity']).toBe(integrityOf(deletion))
        expect((history as Json[]).map(({ content }) => content)).toEqual(['a', 'b'])
      },
    },
    { it: 'returns a deleted event to a reader', as: [{ streamId: 'diary', level: 'read' }], given: deletedEvent, gives: 200 },
    { it: 'refuses a deleted event without permission', as: [{ streamId: 'trips', level: 'read' }], given: deletedEvent, gives: forbidden },
    {
      it: 'refuses a deleted event when one of its streams has level none',
      as: [
        { streamId: '*', level: 'read' },
        { streamId: 'work', level: 'none' },
      ],
      given: deletedEvent,
      gives: forbidden,
    },
  ],
  { 'versioning.forceKeepHistory': true, 'versioning.deletionMode': 'keep-everything' },
)

describe('events.getOne', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
  })
  afterAll(() => node.stop())

  it('requires a token of the account', async () => {
    const s = await newStage(node)
    await eventWith()(s)
    const url = `${node.url}${s.username}/events/${id}`
    expect(await request(url)).toMatchObject({ status: 401, body: { error: { id: 'invalid-access-token' } } })
    expect(await request(`${url}?auth=${s.owner}`)).toMatchObject({ status: 200 })
    const other = await registerUser(node, 'somebody-else')
    expect(await request(url, { token: other })).toMatchObject({ status: 403 })
  })

  it('finds an event while concurrent updates change its time', async () => {
    const s = await newStage(node)
    await eventWith()(s)
    const url = `${node.url}${s.username}/events/${id}`
    let moving = true
    const move = async (): Promise<void> => {
      for (let n = 0; n < 200; n++) await s.arrange('events.update', { id, update: { time: n } })
      moving = false
    }
    const read = async (): Promise<void> => {
      while (moving) expect((await request(url, { token: s.owner })).status).toBe(200)
    }
    await Promise.all([move(), read(), read()])
  })
})
