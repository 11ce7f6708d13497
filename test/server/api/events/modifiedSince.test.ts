/** Clients that maintain a copy of an account by `modifiedSince` receive every change. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { followCommits } from '../../../../src/server/base/clock.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode } from '../../../support/nodes/node.js'

type Json = Record<string, unknown>

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a client that polls with the latest modification time it received', () => {
  it('receives every change, even of one millisecond', async () => {
    const node = await startTestNode()
    try {
      const token = await registerUser(node, 'alice')
      const frozenTime = Date.now()
      vi.spyOn(Date, 'now').mockReturnValue(frozenTime)
      const call = async (method: string, params: Json): Promise<Json> => {
        const { body } = await request(`${node.url}alice`, { token, body: [{ method, params }] })
        return (body['results'] as Json[])[0] as Json
      }
      await call('streams.create', { id: 'diary', name: 'Diary' })

      const copy = new Map<string, string>()
      let since = 0
      let ended = false
      const follow = async (): Promise<void> => {
        const query = { modifiedSince: since, fromTime: -1e12, toTime: 1e12, state: 'all', includeDeletions: true, streams: ['diary'] }
        const { events, eventDeletions } = (await call('events.get', query)) as { events: Json[]; eventDeletions: Json[] }
        for (const event of events) copy.set(String(event['id']), event['trashed'] === true ? 'trashed' : String(event['content']))
        for (const { id } of eventDeletions) copy.set(String(id), 'deleted')
        since = Math.max(since, ...events.map((event) => Number(event['modified'])), ...eventDeletions.map(({ deleted }) => Number(deleted)))
      }
      const following = (async () => {
        while (!ended) await follow()
        await follow()
      })()

      const lifecycles = Array.from({ length: 24 }, async (_, n) => {
        const { event } = await call('events.create', { streamIds: ['diary'], type: 'note/txt', content: `a${n}` })
        const { id } = event as Json
        if (n % 4 > 0) await call('events.update', { id, update: { content: `b${n}` } })
        if (n % 4 > 1) await call('events.delete', { id })
        if (n % 4 > 2) await call('events.delete', { id })
        return [id, [`a${n}`, `b${n}`, 'trashed', 'deleted'][n % 4]] as [string, string]
      })
      const expected = new Map(await Promise.all(lifecycles))
      ended = true
      await following
      expect(Object.fromEntries(copy)).toEqual(Object.fromEntries(expected))
      expect(since - frozenTime / 1000).toBeLessThan(0.001)
    } finally {
      await node.stop()
    }
  })
})

describe('the clock of a node', () => {
  it('returns the system time, and a later time after each commit group', () => {
    const source = fakeClock(1_700_000_000)
    const clock = followCommits(source)
    expect([clock.now(), clock.now()]).toEqual([1_700_000_000, 1_700_000_000])
    clock.groupClosed()
    expect([clock.now(), clock.now()]).toEqual([1_700_000_000.000001, 1_700_000_000.000001])
    clock.groupClosed()
    expect(clock.now()).toBe(1_700_000_000.000002)
    source.pass(0.001)
    expect(clock.now()).toBe(1_700_000_000.001)
  })

  it('stays monotonic when the system clock is set back slightly, and follows larger corrections', () => {
    const source = fakeClock(1_700_000_000)
    const clock = followCommits(source)
    clock.now()
    source.pass(-0.5)
    clock.now()
    clock.groupClosed()
    expect(clock.now()).toBe(1_700_000_000.000001)
    source.pass(-3600)
    clock.groupClosed()
    expect(clock.now()).toBe(1_699_996_399.5)
    clock.groupClosed()
    expect(clock.now()).toBe(1_699_996_399.500001)
  })
})
