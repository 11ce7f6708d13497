/** Behaviour of streams.delete: docs/interface/streams.md#deletion. */
import { expect } from 'vitest'
import { request } from '../../../support/nodes/node.js'
import { describeMethod, type Row, type Stage } from '../../../support/http/methodTable.js'
import { announced, watch } from '../../../support/http/announcedChanges.js'

interface ListedEvent {
  id: string
  streamIds: string[]
}

/** Creates the streams `home` > `room` > `desk`, and `yard`. */
async function createHouse(s: Stage): Promise<void> {
  await s.arrange('streams.create', { id: 'home', name: 'Home' })
  await s.arrange('streams.create', { id: 'room', name: 'Room', parentId: 'home' })
  await s.arrange('streams.create', { id: 'desk', name: 'Desk', parentId: 'room' })
  await s.arrange('streams.create', { id: 'yard', name: 'Yard' })
}

/** Creates a note; returns its id. Notes are sorted by `time`. */
async function note(s: Stage, time: number, ...streamIds: string[]): Promise<string> {
  const { event } = await s.arrange('events.create', { streamIds, type: 'note/txt', content: `at ${time}`, time })
  return (event as ListedEvent).id
}

async function eventsOf(s: Stage, query = ''): Promise<ListedEvent[]> {
  const { body } = await request(`${s.node.url}${s.username}/events?types=note/txt&limit=1000${query}`, { token: s.owner })
  return body['events'] as ListedEvent[]
}

/** Returns the sorted ids of all streams, trashed or not. */
async function remaining(s: Stage): Promise<string[]> {
  const ids: string[] = []
  const collect = (views: { id: string; children: [] }[]): void => {
    for (const view of views) {
      if (!view.id.startsWith(':')) ids.push(view.id)
      collect(view.children)
    }
  }
  collect((await s.arrange('streams.get', { state: 'all' }))['streams'] as { id: string; children: [] }[])
  return ids.sort()
}

/** Ids of events: `inRoom` and `inDesk` in one stream, `inBoth` in `room` and `desk`, `outside` in `desk` and `yard`, `elsewhere` in `yard`. */
interface EventIds {
  inRoom: string
  inDesk: string
  inBoth: string
  outside: string
  elsewhere: string
}

const eventIds = new WeakMap<Stage, EventIds>()
const eventsIn = (s: Stage): EventIds => {
  const ids = eventIds.get(s)
  if (ids === undefined) throw new Error('no events were created')
  return ids
}

async function createEvents(s: Stage): Promise<void> {
  await createHouse(s)
  eventIds.set(s, {
    inRoom: await note(s, 1, 'room'),
    inDesk: await note(s, 2, 'desk'),
    inBoth: await note(s, 3, 'room', 'desk'),
    outside: await note(s, 4, 'desk', 'yard'),
    elsewhere: await note(s, 5, 'yard'),
  })
}

/** Trashes `room`; returns the parameters of its deletion. */
const afterTrashing = (params: Record<string, unknown>) => async (s: Stage) => {
  await createEvents(s)
  await s.arrange('streams.delete', { id: 'room' })
  await watch(s)
  return { id: 'room', ...params }
}

const refusesSystem = (id: string): Row => ({
  it: `refuses the account stream ${id}`,
  send: { id },
  gives: [400, 'invalid-operation'],
})

describeMethod('streams.delete', [
  {
    it: 'trashes a stream, and nothing else',
    given: async (s) => {
      await createEvents(s)
      await watch(s)
      return { id: 'room' }
    },
    gives: 200,
    result: { stream: { id: 'room', name: 'Room', trashed: true, children: [] } },
    then: async (result, s) => {
      expect(result).not.toHaveProperty('streamDeletion')
      expect(result).not.toHaveProperty('updatedEvents')
      expect(announced(s)).toEqual(['stream update room'])
      expect(await remaining(s)).toEqual(['desk', 'home', 'room', 'yard'])
      // Streams below are hidden with it, but not marked as trashed.
      const { streams } = await s.arrange('streams.get', { id: 'desk', state: 'all' })
      expect((streams as object[])[0]).not.toHaveProperty('trashed')
      expect((await eventsOf(s)).map(({ id }) => id)).toEqual([eventsIn(s).elsewhere, eventsIn(s).outside])
    },
  },
  ...[true, false].map(
    (merge): Row => ({
      it: `ignores mergeEventsWithParent=${merge} when it trashes a stream`,
      given: async (s) => {
        await createEvents(s)
        return { id: 'room', mergeEventsWithParent: merge }
      },
      gives: 200,
      result: { stream: { id: 'room', trashed: true } },
      then: async (_, s) => expect(await eventsOf(s, '&state=all')).toHaveLength(5),
    }),
  ),
  {
    it: 'ignores mergeEventsWithParent when it trashes a root stream',
    given: async (s) => {
      await createHouse(s)
      return { id: 'yard', mergeEventsWithParent: true }
    },
    gives: 200,
    result: { stream: { id: 'yard', trashed: true } },
  },
  {
    it: 'deletes a stream without events, and all streams below it',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'home' })
      await watch(s)
      return { id: 'home' }
    },
    gives: 200,
    then: async (result, s) => {
      expect(result['streamDeletion']).toEqual({ id: 'home' })
      expect(result['updatedEvents']).toEqual([])
      expect(await remaining(s)).toEqual(['yard'])
      expect(announced(s).sort()).toEqual(['stream delete desk', 'stream delete home', 'stream delete room'])
      const { streamDeletions } = await s.arrange('streams.get', { includeDeletionsSince: 0 })
      expect((streamDeletions as { id: string }[]).map(({ id }) => id).sort()).toEqual(['desk', 'home', 'room'])
    },
  },
  {
    it: 'requires mergeEventsWithParent for a stream with events',
    given: afterTrashing({}),
    gives: [400, 'invalid-parameters-format'],
    then: async (_, s) => {
      expect(await remaining(s)).toEqual(['desk', 'home', 'room', 'yard'])
      expect(announced(s)).toEqual([])
    },
  },
  {
    it: 'requires mergeEventsWithParent for events of streams below',
    given: async (s) => {
      await createHouse(s)
      await note(s, 1, 'desk')
      await s.arrange('streams.delete', { id: 'home' })
      return { id: 'home' }
    },
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses a mergeEventsWithParent that is not a boolean',
    given: afterTrashing({ mergeEventsWithParent: 'maybe' }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses unknown parameters',
    given: afterTrashing({ mergeEventsWithParent: false, force: 'yes' }),
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses to move the events of a root stream to a parent',
    given: async (s) => {
      await createHouse(s)
      await note(s, 1, 'yard')
      await s.arrange('streams.delete', { id: 'yard' })
      return { id: 'yard', mergeEventsWithParent: true }
    },
    gives: [400, 'invalid-operation'],
    data: { streamId: 'yard' },
    then: async (_, s) => expect(await remaining(s)).toContain('yard'),
  },
  {
    it: 'refuses mergeEventsWithParent for a root stream without events',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'yard' })
      return { id: 'yard', mergeEventsWithParent: true }
    },
    gives: [400, 'invalid-operation'],
    data: { streamId: 'yard' },
  },
  {
    it: 'moves each event to the parent once',
    given: afterTrashing({ mergeEventsWithParent: true }),
    gives: 200,
    then: async (result, s) => {
      const { inRoom, inDesk, inBoth, outside, elsewhere } = eventsIn(s)
      expect(result['streamDeletion']).toEqual({ id: 'room' })
      expect(result['updatedEvents']).toEqual(
        [inRoom, inDesk, inBoth, outside].map((id) => ({ id, action: 'mergedToParent' })),
      )
      expect(await eventsOf(s, '&streams=home&sortAscending=true')).toMatchObject([
        { id: inRoom, streamIds: ['home'] },
        { id: inDesk, streamIds: ['home'] },
        { id: inBoth, streamIds: ['home'] },
        { id: outside, streamIds: ['yard', 'home'] },
      ])
      expect(await eventsOf(s, '&streams=yard')).toMatchObject([{ id: elsewhere }, { id: outside }])
      expect(await remaining(s)).toEqual(['home', 'yard'])
      expect(announced(s).filter((entry) => entry.startsWith('event '))).toHaveLength(4)
      expect(announced(s).filter((entry) => entry.startsWith('event update'))).toHaveLength(4)
    },
  },
  {
    it: 'deletes events only in the deleted streams, and removes these streams from other events',
    given: afterTrashing({ mergeEventsWithParent: false }),
    gives: 200,
    then: async (result, s) => {
      const { inRoom, inDesk, inBoth, outside, elsewhere } = eventsIn(s)
      expect(result['streamDeletion']).toEqual({ id: 'room' })
      expect(result['updatedEvents']).toEqual([
        { id: inRoom, action: 'deleted' },
        { id: inDesk, action: 'deleted' },
        { id: inBoth, action: 'deleted' },
        { id: outside, action: 'updatedStreamIds' },
      ])
      expect(await eventsOf(s, '&state=all')).toMatchObject([
        { id: elsewhere },
        { id: outside, streamIds: ['yard'], modifiedBy: expect.any(String) as string },
      ])
      const deleted = await request(`${s.node.url}${s.username}/events/${inRoom}`, { token: s.owner })
      expect(deleted.body['event'] ?? deleted.body['error']).not.toHaveProperty('content')
      expect(await remaining(s)).toEqual(['home', 'yard'])
    },
  },
  {
    it: 'reports an event already in the parent as merged, without a duplicate parent',
    given: async (s) => {
      await createHouse(s)
      await note(s, 1, 'home', 'room')
      await s.arrange('streams.delete', { id: 'room' })
      return { id: 'room', mergeEventsWithParent: true }
    },
    gives: 200,
    then: async (result, s) => {
      expect(result['updatedEvents']).toMatchObject([{ action: 'mergedToParent' }])
      expect(await eventsOf(s)).toMatchObject([{ streamIds: ['home'] }])
    },
  },
  {
    it: 'requires mergeEventsWithParent for trashed events',
    given: async (s) => {
      await createHouse(s)
      const id = await note(s, 1, 'room')
      await s.arrange('events.delete', { id })
      await s.arrange('streams.delete', { id: 'room' })
      return { id: 'room' }
    },
    gives: [400, 'invalid-parameters-format'],
    then: async (_, s) => {
      expect(await eventsOf(s, '&state=all')).toHaveLength(1)
      expect(await remaining(s)).toContain('room')
    },
  },
  {
    it: 'moves trashed events to the parent, where they remain trashed',
    given: async (s) => {
      await createHouse(s)
      const id = await note(s, 1, 'room')
      await s.arrange('events.delete', { id })
      await s.arrange('streams.delete', { id: 'room' })
      return { id: 'room', mergeEventsWithParent: true }
    },
    gives: 200,
    then: async (result, s) => {
      expect(result['updatedEvents']).toMatchObject([{ action: 'mergedToParent' }])
      expect(await eventsOf(s, '&state=all')).toMatchObject([{ streamIds: ['home'], trashed: true }])
    },
  },
  {
    it: 'deletes trashed events with their stream',
    given: async (s) => {
      await createHouse(s)
      const id = await note(s, 1, 'room')
      await s.arrange('events.delete', { id })
      await s.arrange('streams.delete', { id: 'room' })
      return { id: 'room', mergeEventsWithParent: false }
    },
    gives: 200,
    then: async (result, s) => {
      expect(result['updatedEvents']).toMatchObject([{ action: 'deleted' }])
      expect(await eventsOf(s, '&state=all')).toEqual([])
    },
  },
  {
    it: 'deletes hundreds of events of a subtree',
    given: async (s) => {
      await createHouse(s)
      const calls = Array.from({ length: 600 }, (_, i) => ({
        method: 'events.create',
        params: { streamIds: [i % 2 === 0 ? 'room' : 'desk'], type: 'note/txt', content: `${i}`, time: i },
      }))
      await request(`${s.node.url}${s.username}`, { token: s.owner, body: calls })
      await s.arrange('streams.delete', { id: 'room' })
      return { id: 'room', mergeEventsWithParent: false }
    },
    gives: 200,
    then: async (result, s) => {
      expect(result['updatedEvents']).toHaveLength(600)
      expect(await eventsOf(s, '&state=all')).toEqual([])
    },
    only: ['http'],
  },
  { it: 'refuses an unknown stream', send: { id: 'nowhere' }, gives: [404, 'unknown-resource'] },
  {
    it: 'refuses a deleted stream',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'desk' })
      await s.arrange('streams.delete', { id: 'desk' })
      return { id: 'desk' }
    },
    gives: [404, 'unknown-resource'],
  },
  ...[':_system:account', ':_system:language', ':_system:appId', ':system:email'].map(refusesSystem),
  {
    ...refusesSystem(':_system:language'),
    it: 'refuses an account stream for an app with manage on *',
    as: [{ streamId: '*', level: 'manage' }],
  },
  ...(['read', 'contribute', 'create-only', 'none'] as const).map(
    (level): Row => ({
      it: `refuses an app with ${level}`,
      given: async (s) => {
        await createHouse(s)
        return { id: 'room' }
      },
      as: [{ streamId: 'home', level }],
      gives: [403, 'forbidden'],
      then: async (_, s) => expect(await remaining(s)).toContain('room'),
    }),
  ),
  {
    it: 'refuses the deletion of a trashed stream that the app does not manage',
    given: afterTrashing({ mergeEventsWithParent: false }),
    as: [{ streamId: 'home', level: 'contribute' }],
    gives: [403, 'forbidden'],
    then: async (_, s) => expect(await remaining(s)).toContain('room'),
  },
  {
    it: 'allows the deletion of a stream below one that the app manages',
    given: afterTrashing({ mergeEventsWithParent: true }),
    as: [{ streamId: 'home', level: 'manage' }],
    gives: 200,
    result: { streamDeletion: { id: 'room' } },
  },
  {
    it: 'allows an app to trash the stream it manages',
    given: async (s) => {
      await createHouse(s)
      return { id: 'home' }
    },
    as: [{ streamId: 'home', level: 'manage' }],
    gives: 200,
    result: { stream: { trashed: true } },
  },
])

describeMethod(
  'streams.delete',
  [
    {
      it: 'keeps the authors of deleted events with keep-authors',
      given: afterTrashing({ mergeEventsWithParent: false }),
      gives: 200,
      then: async (_, s) => {
        const { body } = await request(`${s.node.url}${s.username}/events/${eventsIn(s).inRoom}?includeHistory=true`, {
          token: s.owner,
        })
        expect(body).toMatchObject({ event: { deleted: expect.any(Number) as number, modifiedBy: expect.any(String) as string } })
        expect(body['event']).not.toHaveProperty('content')
      },
      only: ['http'],
    },
  ],
  { 'versioning.deletionMode': 'keep-authors' },
)
