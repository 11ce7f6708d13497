/** events.summary and streams.summary agree with naive computations over events.get, whatever changes in between. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '../../src/store/engine/account.js'
import type { Level, StreamPermission } from '../../src/store/model/access.js'
import type { Event } from '../../src/store/model/event.js'
import { create } from '../../src/server/api/events/create.js'
import { remove } from '../../src/server/api/events/delete.js'
import { get } from '../../src/server/api/events/get.js'
import { summary } from '../../src/server/api/events/summary.js'
import { update } from '../../src/server/api/events/update.js'
import { remove as removeStream } from '../../src/server/api/streams/delete.js'
import { get as getStreams } from '../../src/server/api/streams/get.js'
import { summary as streamSummary } from '../../src/server/api/streams/summary.js'
import { update as updateStream } from '../../src/server/api/streams/update.js'
import type { TokenMethod } from '../../src/server/call/method.js'
import type { Node } from '../../src/server/index.js'
import { callBy, newAccount, result } from '../support/nodes/directCalls.js'
import { startTestNode, type TestNode } from '../support/nodes/node.js'
import { runs } from '../support/oracles/runs.js'
import { naiveSummary, type SummaryQuery } from '../support/oracles/naiveEventSummary.js'

const streams = ['s0', 's1', 's2', 's3', 's4', 's5']
const types = ['mass/x', 'note/x', 'position/x', 'encrypted/x']
const NOW = 1000

const stream = fc.constantFrom(...streams)
const time = fc.oneof({ arbitrary: fc.integer({ min: 0, max: 60 }), weight: 6 }, { arbitrary: fc.double({ min: -50, max: 1100, noNaN: true }), weight: 2 }).map((drawn) => (drawn === 0 ? 0 : drawn))
const content = fc.oneof(
  fc.integer({ min: -5, max: 90 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
  fc.constantFrom<unknown>(true, false, null, 'text', ',"content":5,', [1, 2], {}, { a: 1, b: 2.5 }, { a: 'x', b: true }, { a: { c: 1 } }, { 'a"b': 3, '': 4 }),
)
const fields = fc.record(
  {
    streamIds: fc.uniqueArray(stream, { minLength: 1, maxLength: 3 }),
    type: fc.constantFrom(...types),
    time,
    duration: fc.constantFrom(null, 0, 1, 5, 30),
    content,
    trashed: fc.boolean(),
    clientData: fc.constantFrom({ k: ',"content":7' }),
  },
  { requiredKeys: ['streamIds', 'type', 'time'] },
)

type Step =
  | { is: 'create'; fields: Record<string, unknown> }
  | { is: 'update'; at: number; fields: Record<string, unknown> }
  | { is: 'delete'; at: number; fields: Record<string, unknown> }
  | { is: 'move'; stream: string; parent: string | null }
  | { is: 'trashStream'; stream: string; parent: string | null }
  | { is: 'deleteStream'; stream: string; merges: boolean }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ is: fc.constant('create' as const), fields }) },
  { weight: 4, arbitrary: fc.oneof(fc.record({ is: fc.constant('update' as const), at: fc.nat(20), fields }), fc.record({ is: fc.constant('delete' as const), at: fc.nat(20), fields })) },
  { weight: 1, arbitrary: fc.oneof(fc.record({ is: fc.constant('move' as const), stream, parent: fc.option(stream) }), fc.record({ is: fc.constant('trashStream' as const), stream, parent: fc.option(stream) })) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('deleteStream' as const), stream, merges: fc.boolean() }) },
)

const named = fc.constantFrom(...streams, ...streams.map((id) => `${id}!`))
const query: fc.Arbitrary<SummaryQuery> = fc
  .record({
    fromTime: fc.option(time, { nil: undefined }),
    toTime: fc.option(time, { nil: undefined }),
    streams: fc.oneof(
      fc.constant(undefined),
      fc.array(named, { minLength: 1, maxLength: 3 }),
      fc.record({ any: fc.array(named, { minLength: 1, maxLength: 3 }), not: fc.array(named, { maxLength: 1 }) }).map((one) => [one]),
      fc.record({ any: fc.constant(['*']), not: fc.array(named, { maxLength: 1 }) }).map((one) => [one]),
    ),
    types: fc.option(fc.constantFrom(['mass/x'], ['position/*', 'note/x']), { nil: undefined, freq: 1 }),
    state: fc.constantFrom('default' as const, 'trashed' as const, 'all' as const, undefined, undefined),
    running: fc.constantFrom(true, undefined, undefined, undefined, undefined),
    modifiedSince: fc.constantFrom(0, undefined, undefined, undefined, undefined),
    content: fc.constantFrom([{ path: '$', gt: 3 }], undefined, undefined, undefined),
    points: fc.constantFrom(1, 3, 10, 500, undefined),
    edges: fc.option(fc.uniqueArray(time, { minLength: 2, maxLength: 5 }).map((edges) => edges.sort((a, b) => a - b)), { nil: undefined, freq: 1 }),
  })
  .map(({ edges, points, ...rest }) => {
    const drawn = { ...rest, ...(edges === undefined ? { points } : { edges }) }
    return Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)) as SummaryQuery
  })

const level = fc.constantFrom<Level>('none', 'read', 'create-only', 'contribute', 'manage')
const permissions: fc.Arbitrary<StreamPermission[] | null> = fc.option(
  fc.tuple(fc.array(fc.record({ streamId: stream, level }), { maxLength: 3 }), fc.boolean()).map(([entries, star]) => (star ? [{ streamId: '*', level: 'read' as const }, ...entries] : entries)),
  { freq: 2 },
)

const parents = fc.tuple(...streams.map((_, at) => fc.option(fc.nat({ max: Math.max(0, at - 1) }))))

describe('summaries', () => {
  let node: TestNode
  let succeeded = 0
  beforeAll(async () => {
    node = await startTestNode({}, { clock: { now: () => NOW } })
  })
  afterAll(() => node.stop())

  const run = (account: Account, method: unknown, params: unknown, permissions: StreamPermission[] | null = null, id = 'x') =>
    result(callBy(node.node, account, permissions, id), method as TokenMethod<Node>, params)

  /** Performs a step; steps that the node refuses change nothing. */
  async function perform(account: Account, ids: string[], one: Step): Promise<void> {
    if (one.is === 'create') {
      const answer = await run(account, create, one.fields)
      if (typeof answer !== 'string') ids.push((answer['event'] as Event).id)
      return
    }
    if (one.is === 'move') return void (await run(account, updateStream, { id: one.stream, update: { parentId: one.parent } }))
    if (one.is === 'trashStream') return void (await run(account, removeStream, { id: one.stream }))
    if (one.is === 'deleteStream') {
      await run(account, removeStream, { id: one.stream })
      return void (await run(account, removeStream, { id: one.stream, mergeEventsWithParent: one.merges }))
    }
    const id = ids.at(-1 - one.at)
    if (id === undefined) return
    const { trashed, ...update_ } = one.fields
    if (one.is === 'delete') await run(account, remove, { id })
    else await run(account, update, { id, update: { ...update_, ...(trashed === undefined ? {} : { trashed }) } })
  }

  async function expectSummary(account: Account, asked: SummaryQuery, granted: StreamPermission[] | null, id: string): Promise<void> {
    const found = await run(account, summary, asked, granted, id)
    const expected = await naiveSummary((params) => run(account, get, params, granted, id), asked, account, NOW)
    if (typeof expected === 'string' || typeof found === 'string') return void expect(found).toEqual(expected)
    expect(found['summary']).toEqual(expected)
    if (expected.count > 0) succeeded += 1
  }

  /** Returns the ids of listed streams whose events can be asked for. */
  function flat(views: { id: string; children: never[] }[]): string[] {
    return views.flatMap(({ id, children }) => [id, ...flat(children)])
  }

  async function expectStreams(account: Account, granted: StreamPermission[] | null, state: 'default' | 'all', id: string): Promise<void> {
    const found = (await run(account, streamSummary, { state }, granted, id)) as { streams: { id: string; events: number; trashed: number; total: number; last?: unknown }[] }
    const byId = new Map(found.streams.map((one) => [one.id, one]))
    const listed = (await run(account, getStreams, { state }, granted, id)) as { streams: { id: string; children: never[] }[] }
    for (const one of flat(listed.streams).filter((other) => streams.includes(other))) {
      const events = async (text: string): Promise<Event[] | string> => {
        const answer = await run(account, get, { streams: [text], state: state === 'all' ? 'all' : 'default', limit: 100_000 }, granted, id)
        return typeof answer === 'string' ? answer : (answer['events'] as Event[])
      }
      const [own, all] = [await events(`${one}!`), await events(one)]
      if (typeof own === 'string' || typeof all === 'string') {
        expect(byId.get(one)).toBeUndefined()
        continue
      }
      const live = own.filter(({ trashed }) => trashed !== true)
      const trashed = (await run(account, get, { streams: [`${one}!`], state: 'trashed', limit: 100_000 }, granted, id)) as { events: Event[] }
      const [last] = live
      expect(byId.get(one)).toEqual({
        id: one,
        events: live.length,
        trashed: trashed.events.length,
        total: all.filter(({ trashed: isTrashed }) => isTrashed !== true).length,
        ...(last === undefined ? {} : { last: { id: last.id, type: last.type, time: last.time, ...('content' in last ? { content: last.content } : {}) } }),
      })
    }
  }

  it('agree with naive ones after each part of a history', async () => {
    await fc.assert(
      fc.asyncProperty(
        parents,
        fc.array(fc.array(step, { minLength: 4, maxLength: 16 }), { minLength: 2, maxLength: 4 }),
        fc.array(fc.tuple(query, permissions), { minLength: 8, maxLength: 8 }),
        async (above, parts, queries) => {
          const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
          const account = await newAccount(node.node, streams.map((id, at) => {
            const parent = above[at]
            return { id, name: id, parentId: at === 0 || parent == null ? null : `s${parent}`, ...tracking }
          }))
          const ids: string[] = []
          for (const part of parts) {
            for (const one of part) await perform(account, ids, one)
            // The same queries again: from columns that changes marked.
            for (const [at, [asked, granted]] of queries.entries()) {
              await expectSummary(account, asked, granted, `x${at}`)
              await expectStreams(account, granted, at % 2 === 0 ? 'default' : 'all', `x${at}`)
            }
          }
        },
      ),
      { numRuns: runs(40) },
    )
    expect(succeeded).toBeGreaterThan(100)
  })
})
