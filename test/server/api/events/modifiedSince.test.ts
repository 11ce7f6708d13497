/** Following an account by `modifiedSince`, as clients do that keep a copy: nothing may stay unseen. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { followCommits } from '../../../../src/server/base/clock.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode } from '../../../support/nodes/node.js'

type Json = Record<string, unknown>

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a client that asks for what was modified after the latest time it has seen', () => {
  it('sees every change, though all happen within a millisecond', async () => {
    const node = await startTestNode()
    try {
      const token = await registerUser(node, 'alice')
      const moment = Date.now()
      vi.spyOn(Date, 'now').mockReturnValue(moment)
      const call = async (method: string, params: Json): Promise<Json> => {
        const { body } = await request(`${node.url}alice`, { token, body: [{ method, params }] })
        return (body['results'] as Json[])[0] as Json
      }
      await call('streams.create', { id: 'diary', name: 'Diary' })

      const copy = new Map<string, string>()
      let since = 0
      let ended = false
      const follow = async (): Promise<void> => {
        const asked = { modifiedSince: since, fromTime: -1e12, toTime: 1e12, state: 'all', includeDeletions: true, streams: ['diary'] }
        const { events, eventDeletions } = (await call('events.get', asked)) as { events: Json[]; eventDeletions: Json[] }
        for (const event of events) copy.set(String(event['id']), event['trashed'] === true ? 'trashed' : String(event['content']))
        for (const { id } of eventDeletions) copy.set(String(id), 'deleted')
        since = Math.max(since, ...events.map((event) => Number(event['modified'])), ...eventDeletions.map(({ deleted }) => Number(deleted)))
      }
      const following = (async () => {
        while (!ended) await follow()
        await follow()
      })()

      const lives = Array.from({ length: 24 }, async (_, n) => {
        const { event } = await call('events.create', { streamIds: ['diary'], type: 'note/txt', content: `a${n}` })
        const { id } = event as Json
        if (n % 4 > 0) await call('events.update', { id, update: { content: `b${n}` } })
        if (n % 4 > 1) await call('events.delete', { id })
        if (n % 4 > 2) await call('events.delete', { id })
        return [id, [`a${n}`, `b${n}`, 'trashed', 'deleted'][n % 4]] as [string, string]
      })
      const truth = new Map(await Promise.all(lives))
      ended = true
      await following
      expect(Object.fromEntries(copy)).toEqual(Object.fromEntries(truth))
      expect(since - moment / 1000).toBeLessThan(0.001)
    } finally {
      await node.stop()
    }
  })
})

describe('the clock of a node', () => {
  it('tells the time of the system, and later times after each group of changes', () => {
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

  it('holds while the system is set back a little, and follows it when it was wrong', () => {
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
