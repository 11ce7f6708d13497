import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { integrityOf } from '../../../support/oracles/integrity.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, describeMethod, newStage, type Row, type Stage } from '../../../support/http/methodTable.js'

type Json = Record<string, unknown>

const id = 'ckd0br26d00075wpvugeqxkvd'
const language = ':_system:language'
const forbidden: Row['gives'] = [403, 'forbidden']
const unknown: Row['gives'] = [404, 'unknown-resource']

/** Creates an event in `diary` and `work`; returns the parameters of its deletion. */
const event =
  (fields: Json = {}) =>
  async (s: Stage): Promise<Json> => {
    await s.arrange('streams.create', { id: 'diary', name: 'Diary' })
    await s.arrange('streams.create', { id: 'work', name: 'Work' })
    await s.arrange('events.create', {
      id,
      streamIds: ['diary', 'work'],
      type: 'note/txt',
      content: 'a',
      time: 5,
      ...fields,
    })
    return { id }
  }

const trashed = event({ trashed: true })

const expectUnchanged: Row['then'] = async (_, s) => {
  expect((await s.arrange('events.getOne', { id }))['event']).toMatchObject({ content: 'a' })
}

describeMethod('events.delete', [
  {
    it: 'trashes an event',
    given: event(),
    gives: 200,
    result: { event: { id, trashed: true, content: 'a', streamId: 'diary' } },
    async then(result, s) {
      const returned = result['event'] as Json
      expect(Number(returned['modified'])).toBeGreaterThanOrEqual(Number(returned['created']))
      expect(returned['integrity']).toBe(integrityOf(returned))
      expect((await s.arrange('events.get', { streams: ['diary'] }))['events']).toEqual([])
      expect((await s.arrange('events.get', { state: 'trashed' }))['events']).toEqual([returned])
    },
  },
  {
    it: 'deletes a trashed event permanently',
    given: trashed,
    gives: 200,
    async then(result, s) {
      expect(result['eventDeletion']).toEqual({ id })
      expect((await s.arrange('events.get', { state: 'all', types: ['note/txt'] }))['events']).toEqual([])
      const { eventDeletions } = await s.arrange('events.get', { modifiedSince: 0, includeDeletions: true })
      const [deletion] = eventDeletions as Json[]
      expect(eventDeletions).toEqual([{ id, deleted: expect.any(Number), integrity: integrityOf(deletion ?? {}) }])
    },
  },
  {
    it: 'sets the access that trashes an event as its modifier',
    as: [{ streamId: 'diary', level: 'contribute' }],
    given: event(),
    gives: 200,
    then: ({ event }) => {
      const { createdBy, modifiedBy } = event as Json
      expect(modifiedBy).not.toBe(createdBy)
    },
  },
  {
    it: 'refuses a deleted event',
    async given(s) {
      await trashed(s)
      await s.arrange('events.delete', { id })
      return { id }
    },
    gives: unknown,
  },
  { it: 'refuses an unknown event', send: { id }, gives: unknown },
  { it: 'refuses an unknown parameter', send: { id, force: true }, gives: [400, 'invalid-parameters-format'] },
  ...[event(), trashed].flatMap((given, step) => [
    {
      it: `allows contribute on one of two streams (step ${step})`,
      as: [{ streamId: 'work', level: 'contribute' as const }],
      given,
      gives: 200,
    },
    ...(['read', 'create-only', 'none'] as const).map((level) => ({
      it: `refuses ${level} (step ${step})`,
      as: [{ streamId: '*', level }],
      given,
      gives: forbidden,
      then: expectUnchanged,
    })),
  ]),
  // Account fields
  { it: 'refuses an account field', send: { id: language }, gives: [400, 'invalid-operation'] },
  {
    it: 'refuses an account field for an app with contribute on it',
    as: [{ streamId: language, level: 'contribute' }],
    send: { id: language },
    gives: [400, 'invalid-operation'],
  },
  {
    it: 'refuses an account field for other apps',
    as: [{ streamId: '*', level: 'manage' }],
    send: { id: language },
    gives: forbidden,
  },
  {
    it: 'refuses a read-only account field',
    send: { id: ':_system:dbDocuments' },
    gives: [400, 'invalid-operation'],
  },
])

describe('events.delete', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({ 'versioning.deletionMode': 'keep-everything' })
  })
  afterAll(() => node.stop())

  it('lists deletions with id, time and integrity only, when everything is kept', async () => {
    const s = await newStage(node)
    await trashed(s)
    await s.arrange('events.delete', { id })
    const { events, eventDeletions } = await s.arrange('events.get', {
      modifiedSince: 0,
      includeDeletions: true,
      limit: 5,
    })
    expect(events).not.toContainEqual(expect.objectContaining({ id }))
    expect(eventDeletions).toEqual([
      { id, deleted: expect.any(Number), integrity: expect.stringMatching(/^EVENT:0:sha256-/) },
    ])
  })

  it('trashes once and deletes once in many concurrent calls', async () => {
    const s = await newStage(node)
    await event()(s)
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => callThrough('http', s, s.owner, 'events.delete', { id })),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 200, 404, 404, 404, 404])
    expect(outcomes.filter(({ body }) => 'event' in body)).toHaveLength(1)
    expect(outcomes.filter(({ body }) => 'eventDeletion' in body)).toHaveLength(1)
  })
})
