import { expect } from 'vitest'
import { callAll, fill, namesIn } from '../../../support/people/fillAccount.js'
import { among, finds, heart, named, streams } from '../../../support/http/foundEvents.js'
import { describeMethod, type Row, type Stage } from '../../../support/http/methodTable.js'

type Json = Record<string, unknown>

const refusedFormat: Row['gives'] = [400, 'invalid-parameters-format']

const malformedConditions: unknown[] = [
  { path: 'a', eq: 1 },
  [{ path: 'a' }],
  [{ path: 'a', eq: null }],
  [{ path: 'a b', eq: 1 }],
  [{ path: 'a', in: [] }],
  Array(11).fill({ path: 'a', eq: 1 }),
]

const eventsByType = {
  kg: { ...heart, type: 'mass/kg', content: 1, time: 1 },
  note: { ...heart, type: 'note/txt', time: 2 },
  html: { ...heart, type: 'note/html', time: 3 },
  mine: { ...heart, type: 'note/txt-mine', time: 4 },
  series: { ...heart, type: 'series:mass/kg', content: undefined, time: 5 },
}
const typesIn = (result: Json): unknown[] => (result['events'] as { type: string }[]).map(({ type }) => type)
const findsTypes = (types: string[], ...found: string[]): Row => ({
  it: `finds ${types.join(' or ')}`,
  given: among(eventsByType, { types }),
  gives: 200,
  then: (result) => expect(typesIn(result)).toEqual(found),
})

const filters: Row[] = [
  findsTypes(['note/txt'], 'note/txt'),
  findsTypes(['note/txt', 'mass/kg'], 'note/txt', 'mass/kg'),
  findsTypes(['note/*'], 'note/txt-mine', 'note/html', 'note/txt'),
  findsTypes(['mass/*'], 'mass/kg'),
  findsTypes(['series:mass/kg'], 'series:mass/kg'),
  findsTypes(['series:mass/*', 'note/html'], 'series:mass/kg', 'note/html'),
  findsTypes(['not/known'], ...[]),
  ...['invalid', '*/*', '*', 'note/t*', 'Note/txt', 'note/', ''].map((type) => ({
    it: `refuses the type ${JSON.stringify(type)}`,
    send: { types: [type] },
    gives: refusedFormat,
  })),
  finds(
    'finds events with any of the tags',
    { a: { ...heart, time: 1, tags: ['x', 'y'] }, b: { ...heart, time: 2, tags: ['z'] }, c: { ...heart, time: 3 } },
    { tags: ['y', 'z'] },
    'b',
    'a',
  ),
  finds(
    'combines tags and streams',
    { a: { ...heart, tags: ['x'] }, b: { streamIds: ['diary'], tags: ['x'] } },
    { tags: ['x'], streams: ['diary'] },
    'b',
  ),
  {
    it: 'finds events by conditions on content and client data together',
    given: among(
      {
        low: { ...heart, time: 1, type: 'test/bp', content: { systolic: 120 }, clientData: { 'app:seen': true } },
        high: { ...heart, time: 2, type: 'test/bp', content: { systolic: 150 }, clientData: { 'app:seen': true } },
        unseen: { ...heart, time: 3, type: 'test/bp', content: { systolic: 150 } },
        text: { ...heart, time: 4, type: 'test/bp', content: { systolic: '150' } },
      },
      { content: [{ path: 'systolic', gte: 140 }], clientData: [{ path: 'app:seen', eq: true }] },
    ),
    gives: 200,
    then: ({ events }) => expect((events as Json[]).map(({ time }) => time)).toEqual([2]),
  },
  finds(
    'finds events by the value of their content',
    { a: heart, b: heart },
    { content: [{ path: '$', in: ['b', 'c'] }] },
    'b',
  ),
  finds(
    'finds events without client data',
    { a: { ...heart, clientData: { k: 1 } }, b: heart },
    { clientData: [{ path: 'k', exists: false }], streams: 'heart' },
    'b',
  ),
  {
    it: 'never matches account fields by client data',
    send: { clientData: [{ path: 'k', neq: 1 }] },
    gives: 200,
    result: { events: [] },
  },
  {
    it: 'matches account fields by content',
    send: { content: [{ path: '$', eq: 'en' }] },
    gives: 200,
    then: ({ events }) => expect(events).toEqual([expect.objectContaining({ id: ':_system:language' })]),
  },
  ...(['content', 'clientData'] as const).flatMap((name) =>
    malformedConditions.map((conditions, n) => ({
      it: `refuses malformed ${name} (${n})`,
      send: { [name]: conditions },
      gives: refusedFormat,
    })),
  ),
]

const permissions: Row[] = [
  {
    ...finds(
      'returns events of the stream and its descendants to a reader',
      { a: { ...heart, time: 1 }, b: { streamIds: ['rate'], time: 2 }, c: { streamIds: ['diary'] } },
      {},
      'b',
      'a',
    ),
    as: [{ streamId: 'heart', level: 'read' }],
  },
  {
    ...finds(
      'includes streams of an event that the reader cannot read',
      { a: { streamIds: ['heart', 'diary'] } },
      {},
      'a',
    ),
    as: [{ streamId: 'heart', level: 'read' }],
    result: { events: [{ streamIds: ['heart', 'diary'] }] },
  },
  {
    ...finds(
      'excludes events in a stream with level none',
      { a: { streamIds: ['heart', 'diary'] }, b: heart },
      { streams: ['heart'] },
      'b',
    ),
    as: [{ streamId: '*', level: 'read' }, { streamId: 'diary', level: 'none' }],
  },
  {
    ...finds(
      'excludes events of a create-only stream below a readable one',
      { a: { streamIds: ['rate'] }, b: heart },
      { streams: ['heart'] },
      'b',
    ),
    as: [{ streamId: 'heart', level: 'contribute' }, { streamId: 'rate', level: 'create-only' }],
  },
  {
    ...finds('returns nothing with create-only', { a: heart }, {}),
    as: [{ streamId: 'heart', level: 'create-only' }],
  },
  {
    it: 'refuses a query for a create-only stream',
    as: [{ streamId: 'heart', level: 'create-only' }],
    given: among({}, { streams: ['heart'] }),
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses a query for a stream out of scope',
    as: [{ streamId: 'diary', level: 'manage' }],
    given: among({}, { streams: ['diary', 'heart'] }),
    gives: [403, 'forbidden'],
  },
  {
    it: 'reports unknown streams',
    given: among({}, { streams: ['nope', 'heart', 'neither'] }),
    gives: [400, 'unknown-referenced-resource'],
    data: { streams: ['nope', 'neither'] },
  },
  {
    it: 'includes account fields for the owner',
    given: among({ a: heart }, {}),
    gives: 200,
    then: ({ events }) => expect((events as Json[]).map(({ id }) => id)).toEqual(
      expect.arrayContaining([':_system:language', ':system:email', ':_system:dbDocuments', ':_system:attachedFiles']),
    ),
  },
  {
    it: 'excludes account fields for permissions on *',
    as: [{ streamId: '*', level: 'manage' }],
    send: {},
    gives: 200,
    result: { events: [] },
  },
  {
    it: 'includes the account field that an app may read',
    as: [{ streamId: ':_system:language', level: 'read' }],
    send: {},
    gives: 200,
    result: { events: [{ id: ':_system:language' }] },
  },
  {
    it: 'returns both fields of the used storage',
    as: [{ streamId: ':_system:storageUsed', level: 'read' }],
    send: {},
    gives: 200,
    then: ({ events }) => expect(events).toHaveLength(2),
  },
  {
    it: 'refuses an account stream for permissions on *',
    as: [{ streamId: '*', level: 'read' }],
    send: { streams: [':_system:language'] },
    gives: [403, 'forbidden'],
  },
]

/** Creates events of which the second is updated, then one is deleted and another created; returns a query with the time of the update. */
const changedSince =
  (query: (modified: number) => Json) =>
  async (s: Stage): Promise<Json> => {
    const id = 'ckd0br26d00075wpvugeqxkvd'
    await fill(s, streams, {
      a: heart,
      b: { ...heart, id },
      gone: { ...heart, id: 'c' + '1'.repeat(24), trashed: true },
    })
    const [updated] = await callAll(s, [['events.update', { id, update: { content: 'b2' } }]])
    const { modified } = updated?.['event'] as { modified: number }
    await new Promise((resolve) => setTimeout(resolve, 5))
    await callAll(s, [
      ['events.delete', { id: 'c' + '1'.repeat(24) }],
      ['events.create', { ...heart, type: 'test/name', content: 'c', time: 3 }],
    ])
    return query(modified)
  }
const deletion = { id: 'c' + '1'.repeat(24), deleted: expect.any(Number), integrity: expect.any(String) }

const changes: Row[] = [
  {
    it: 'finds only later changes',
    given: changedSince((modifiedSince) => ({ modifiedSince })),
    gives: 200,
    then(result) {
      expect(namesIn(result)).toEqual(['c'])
      expect(result).not.toHaveProperty('eventDeletions')
    },
  },
  {
    it: 'finds a change half a millisecond after modifiedSince',
    given: changedSince((m) => ({ modifiedSince: m - 0.0005, sortAscending: true })),
    gives: 200,
    then: named('c', 'b2'),
  },
  {
    it: 'accepts 0 for modifiedSince',
    given: changedSince(() => ({ modifiedSince: 0, streams: 'heart' })),
    gives: 200,
    then: (result) => expect(namesIn(result)).toHaveLength(3),
  },
  {
    it: 'finds modified account fields',
    send: { modifiedSince: 0, state: 'all' },
    gives: 200,
    then: ({ events }) => expect(events).not.toHaveLength(0),
  },
  {
    it: 'lists deletions',
    given: changedSince((modifiedSince) => ({ modifiedSince, includeDeletions: true })),
    gives: 200,
    result: { eventDeletions: [deletion] },
  },
  {
    it: 'lists deletions for every token',
    as: [{ streamId: 'diary', level: 'read' }],
    given: changedSince(() => ({ modifiedSince: 0, includeDeletions: true })),
    gives: 200,
    result: { events: [], eventDeletions: [deletion] },
  },
  {
    it: 'lists no deletions when none are later',
    send: { modifiedSince: 9e9, includeDeletions: true },
    gives: 200,
    result: { events: [], eventDeletions: [] },
  },
  {
    it: 'omits deletions without modifiedSince',
    given: changedSince(() => ({ includeDeletions: true })),
    gives: 200,
    then: (result) => expect(result).not.toHaveProperty('eventDeletions'),
  },
  {
    it: 'applies skip to deletions',
    given: changedSince(() => ({ modifiedSince: 0, includeDeletions: true, skip: 1 })),
    gives: 200,
    result: { eventDeletions: [] },
  },
  {
    it: 'applies a limit of 0 to deletions',
    given: changedSince(() => ({ modifiedSince: 0, includeDeletions: true, limit: 0 })),
    gives: 200,
    result: { events: [], eventDeletions: [] },
  },
]

const format: Row[] = [
  ...['withDeletions', 'foo', 'streamId', 'sortascending'].map((name) => ({
    it: `ignores ${name}`,
    send: { [name]: 'true' },
    gives: 200 as const,
  })),
  ...[
    { fromTime: '123abc' },
    { toTime: 'now' },
    { modifiedSince: 'x' },
    { running: 'maybe' },
    { sortAscending: 'asc' },
    { includeDeletions: 'x' },
  ].map((query) => ({ it: `refuses ${JSON.stringify(query)}`, send: query, gives: refusedFormat })),
]

describeMethod('events.get', [...filters, ...permissions, ...changes, ...format])
