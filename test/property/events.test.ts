import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '../../src/store/engine/account.js'
import { createEventPageCache } from '../../src/store/events/eventPageCache.js'
import type { Level } from '../../src/store/model/access.js'
import type { Event } from '../../src/store/model/event.js'
import { create } from '../../src/server/api/events/create.js'
import { remove } from '../../src/server/api/events/delete.js'
import { get } from '../../src/server/api/events/get.js'
import { createQueryCache } from '../../src/server/api/events/queryCache.js'
import { update } from '../../src/server/api/events/update.js'
import type { TokenMethod } from '../../src/server/call/method.js'
import { counted, newCounts } from '../support/store/countingDatabase.js'
import { callBy, newAccount, result } from '../support/nodes/directCalls.js'
import { expectIndexes } from '../support/oracles/eventIndexes.js'
import { naiveGet, type Asked, type Known } from '../support/oracles/naiveEvents.js'
import { startTestNode, type TestNode } from '../support/nodes/node.js'
import type { Node } from '../../src/server/index.js'
import { runs } from '../support/oracles/runs.js'

type Json = Record<string, unknown>

const own = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7']
/** Area that `*` does not include. */
const reserved = [':_emails:', ':_emails:x']
const language = ':_system:language'
const types = ['a/x', 'a/y', 'b/x', 'b/x-y', 'ab/x']

/** Start of the clock, which advances by at most a second per step. */
const START = 1000

const time = fc.oneof(
  { arbitrary: fc.integer({ min: -4, max: 30 }), weight: 6 },
  { arbitrary: fc.integer({ min: START - 20, max: START + 60 }), weight: 4 },
  { arbitrary: fc.double({ min: START - 10, max: START + 20, noNaN: true }), weight: 2 },
  { arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }), weight: 1 },
  {
    arbitrary: fc.constantFrom(0, -0, 1e17, -1e17, 1e300, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE),
    weight: 2,
  },
)
const duration = fc.oneof(
  fc.constantFrom(null, null, 0, 0, 1, 2, 4, 1024, 1025, 2 ** -30, 1e17, Number.MAX_VALUE),
  fc.integer({ min: 1, max: 40 }),
  fc.double({ min: 0, max: 2000, noNaN: true }),
)
const content = fc.constantFrom<unknown>(
  'p',
  'pq',
  1,
  2,
  true,
  { k: 1 },
  { k: 'pq', l: { m: 2 } },
  [1],
  '"type":"b/x"',
  null,
)
const clientData = fc.constantFrom<Json>({ k: 1 }, { k: 'pq' }, { '"trashed":true': 1, l: { m: 3 } })
const streamIds = fc.oneof(
  { arbitrary: fc.uniqueArray(fc.constantFrom(...own), { minLength: 1, maxLength: 3 }), weight: 8 },
  { arbitrary: fc.uniqueArray(fc.constantFrom(...own, ...reserved), { minLength: 1, maxLength: 3 }), weight: 1 },
)

/** Fields of a new event; most are without duration. */
const fields = fc.record(
  {
    streamIds,
    type: fc.constantFrom(...types),
    time,
    duration,
    content,
    tags: fc.array(fc.constantFrom('t', 'u', 'v'), { maxLength: 2 }),
    clientData,
    description: fc.constantFrom('d', ',"duration":null,', '"],"streamId":"s0"'),
    trashed: fc.constantFrom(true, false, false),
  },
  { requiredKeys: ['streamIds', 'type', 'time'] },
)
interface Step {
  at: number | undefined
  deletes: boolean
  fields: Json
  changes: Json
  ticks: number
}
const step: fc.Arbitrary<Step> = fc.record({
  /** Index of the event that is changed or deleted, counted from the last; absent: one is created. */
  at: fc.option(fc.nat({ max: 9 }), { nil: undefined, freq: 2 }),
  deletes: fc.constantFrom(true, false, false),
  fields,
  changes: fc.record({ ...fieldsOf(), time }, { requiredKeys: [] }),
  ticks: fc.constantFrom(0, 0.001, 0.5, 1),
})

/** Fields for updates. */
function fieldsOf(): Record<string, fc.Arbitrary<unknown>> {
  return { streamIds, duration, content, type: fc.constantFrom(...types), trashed: fc.boolean(), clientData }
}

/** Parents come earlier in the list; some trees have trashed streams. */
const tree = fc
  .tuple(
    fc.tuple(...own.map((_, i) => fc.option(fc.nat({ max: Math.max(0, i - 1) }), { freq: 3 }))),
    fc.oneof(fc.constant<number[]>([]), fc.uniqueArray(fc.nat({ max: own.length - 1 }), { maxLength: 2 })),
  )
  .map(([parents, trashed]) => [
    ...own.map((id, i) => ({
      id,
      parentId: i === 0 || parents[i] == null ? null : `s${parents[i]}`,
      trash: trashed.includes(i),
    })),
    ...reserved.map((id, i) => ({ id, parentId: i === 0 ? null : ':_emails:', trash: false })),
  ])

const member = fc.constantFrom(...own, ...own.map((id) => `${id}!`), ...reserved, language, ':_system:account')
const local = fc.constantFrom(...own, ...own.map((id) => `${id}!`), ...reserved)
const condition = fc.oneof(
  fc.record({ path: fc.constantFrom('$', 'k', 'l.m', '__proto__'), eq: fc.constantFrom(1, 'pq', 2, true) }),
  fc.record({ path: fc.constantFrom('$', 'k'), neq: fc.constantFrom(1, 'pq') }),
  fc.record({ path: fc.constantFrom('$', 'k'), in: fc.constantFrom([1, 'p'], [true]) }),
  fc.record({ path: fc.constantFrom('$', 'k', 'constructor'), exists: fc.boolean() }),
  fc.record({ path: fc.constantFrom('$', 'k', 'l.m'), gt: fc.constantFrom(0, 1) }),
  fc.record({ path: fc.constantFrom('$', 'l.m'), lte: fc.constantFrom(1, 2) }),
  fc.record({ path: fc.constantFrom('$', 'k'), prefix: fc.constantFrom('p', 'pq') }),
)
const often = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 1 }, { arbitrary, weight: 1 })
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, { arbitrary, weight: 1 })
const list = <T>(arbitrary: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<T[]> =>
  fc.array(arbitrary, { minLength: 1, maxLength })

const drawnQuery: fc.Arbitrary<Asked> = fc
  .record({
    fromTime: often(time),
    toTime: often(time),
    streams: fc.oneof(
      fc.constant(undefined),
      list(member, 3),
      list(
        fc.oneof(
          fc.record({ any: fc.constant(['*']), not: fc.array(local, { maxLength: 2 }) }),
          fc.record({
            any: list(local, 3),
            all: fc.array(local, { maxLength: 2 }),
            not: fc.array(local, { maxLength: 2 }),
          }),
        ),
        2,
      ),
    ),
    types: seldom(list(fc.constantFrom(...types, 'a/*', 'b/*', 'c/z'), 2)),
    tags: seldom(list(fc.constantFrom('t', 'u', 'w'), 2)),
    running: seldom(fc.boolean()),
    sortAscending: often(fc.boolean()),
    skip: seldom(fc.nat({ max: 8 })),
    limit: fc.oneof(fc.constant(undefined), fc.nat({ max: 12 }), fc.constant(100000)),
    state: often(fc.constantFrom('default', 'trashed', 'all')),
    modifiedSince: seldom(fc.oneof(
      fc.constant(0),
      fc.integer({ min: START, max: START + 25 }),
      fc.constant(START + 0.5),
    )),
    includeDeletions: often(fc.boolean()),
    content: seldom(list(condition, 2)),
    clientData: seldom(list(condition, 2)),
  })
  .map((drawn) => Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)) as Asked)

const level = fc.constantFrom<Level>('none', 'read', 'create-only', 'contribute', 'manage')
const permission = fc.record({ streamId: fc.constantFrom('*', ...own, ...reserved, language), level })
const permissions = fc.option(
  fc
    .tuple(fc.array(permission, { maxLength: 4 }), fc.boolean())
    .map(([entries, star]) => (star ? [{ streamId: '*', level: 'read' as const }, ...entries] : entries)),
  { freq: 2 },
)

describe('events.get', () => {
  let node: TestNode
  /** The node with accounts in memory from their first events on, and with no answers cached yet. */
  let inMemory: Node
  let now = START
  const counts = newCounts()
  let succeeded = 0
  beforeAll(async () => {
    node = await startTestNode({}, { clock: { now: () => now } })
    const eventPages = createEventPageCache({ ...node.node.store, minCost: 1 })
    // The readers of `counted` cannot store the size of the account before they show it, and neither must this one.
    const store: unknown = Object.create(node.node.store, { state: { value: 'read-only' } })
    inMemory = Object.create(node.node, { eventPages: { value: eventPages }, queryCache: { value: createQueryCache() }, store: { value: store } }) as Node
  })
  afterAll(() => node.stop())

  const methods = { create, update, remove } as Record<string, TokenMethod<Node>>

  /** Opens an account with its streams, before any is trashed. */
  async function open(streams: { id: string; parentId: string | null }[]): Promise<Account> {
    const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
    const account = await newAccount(node.node, streams.map(({ id, parentId }) => ({ id, name: id, parentId, ...tracking })))
    while (inMemory.eventPages.of(account) === undefined) {
      inMemory.eventPages.noteRead(account, 1)
      await inMemory.eventPages.settled()
    }
    return account
  }

  const trashStreams = (account: Account, streams: { id: string; trash: boolean }[]): void => {
    for (const { id, trash } of streams) {
      const stream = account.tree.get(id)
      if (trash && stream !== undefined) account.tree.put({ ...stream, trashed: true })
    }
  }

  /** Creates, changes and deletes events; returns the live and the deleted ones. */
  async function perform(account: Account, steps: Step[]): Promise<Pick<Known, 'events' | 'deletions'>> {
    const events = new Map<string, Event>()
    const deletions: Known['deletions'] = []
    const call = callBy(node.node, account, null)
    const run = async (method: string, params: unknown): Promise<Json> => {
      const answer = await result(call, methods[method] as TokenMethod<Node>, params)
      if (typeof answer === 'string') throw new Error(`${method} failed: ${answer}`)
      return answer
    }
    // Creations run concurrently, so that they share commits.
    let creations: Promise<Json>[] = []
    const settle = async (): Promise<void> => {
      for (const { event } of await Promise.all(creations)) events.set((event as Event).id, event as Event)
      creations = []
    }
    for (const { at, deletes, fields, changes, ticks } of steps) {
      now += ticks
      if (at === undefined) {
        creations.push(run('create', fields))
        continue
      }
      await settle()
      const target = [...events.values()].at(-1 - at)
      if (target === undefined) continue
      const { id } = target
      const { event } = await (deletes ? run('remove', { id }) : run('update', { id, update: changes }))
      if (event !== undefined) {
        events.set(id, event as Event)
      } else {
        events.delete(id)
        deletions.push({ id, deleted: now })
      }
    }
    await settle()
    return { events: [...events.values()], deletions }
  }

  /** Queries the node, and compares with the naive filter. */
  async function expectAnswer(account: Account, known: Known, query: Asked, at: number): Promise<void> {
    const call = callBy(node.node, counted(account, counts), known.permissions, `x${at}`)
    const answer = await result(call, get, query)
    // Small results are cached.
    expect(await result(call, get, query)).toEqual(answer)
    expect(inMemory.eventPages.of(account)).toBeDefined()
    expect(await result(callBy(inMemory, account, known.permissions, `x${at}`), get, query)).toEqual(answer)
    const expected = naiveGet(known, query)
    if (expected.refusal !== undefined || typeof answer === 'string') {
      expect(answer).toBe(expected.refusal)
      return
    }
    succeeded += 1
    const { skip = 0 } = query
    const found = answer['events'] as Event[]
    expect(found.map((event) => event.time)).toEqual(
      expected.events.slice(skip, skip + expected.limit).map((event) => event.time),
    )
    const matching = new Map(expected.events.map((event) => [event.id, event]))
    for (const event of found) {
      expect(event).toEqual(matching.get(event.id))
      matching.delete(event.id)
    }
    const deleted = answer['eventDeletions'] as Known['deletions'] | undefined
    expect(deleted?.map((one) => one.deleted)).toEqual(
      expected.deletions?.slice(skip, skip + expected.limit).map((one) => one.deleted),
    )
    expect(counts.open).toBe(0)
  }

  const languageEvent = async (account: Account): Promise<Event> => {
    const answer = (await result(callBy(node.node, account, null), get, { streams: [language] })) as { events: Event[] }
    return answer.events[0] as Event
  }

  it('agrees with a naive filter, and no index is stale', async () => {
    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.array(step, { minLength: 1, maxLength: 40 }),
        fc.array(fc.tuple(drawnQuery, permissions), { minLength: 15, maxLength: 15 }),
        async (streams, steps, queries) => {
          now = START
          const account = await open(streams)
          const setting = await languageEvent(account)
          const played = await perform(account, steps)
          trashStreams(account, streams)
          const events = [...played.events, setting]
          await expectIndexes(account.db, account.prefix, {
            live: events.map(({ id }) => id),
            deleted: played.deletions.map(({ id }) => id),
          })
          const known = {
            events,
            deletions: played.deletions,
            now,
            streams: streams.map((s) => ({ ...s, trashed: s.trash })),
          }
          for (const [at, [query, granted]] of queries.entries()) {
            await expectAnswer(account, { ...known, permissions: granted }, query, at)
          }
        },
      ),
      { numRuns: runs(50) },
    )
    for (const family of ['e', 'm', 'r', 'd']) expect(counts.scans[family]).toBeGreaterThan(10)
    expect(succeeded).toBeGreaterThan(300)
  })

  it('agrees with it also where a scan by time changes to a merge of streams', async () => {
    // In addition to random queries: a sparse stream, recent changes, and a window.
    const certain: Asked[] = [
      { streams: ['s5!'], state: 'all', limit: 100000 },
      { streams: ['s5!', 's6!'], state: 'all', limit: 7, skip: 2, sortAscending: true },
      { streams: ['s5!', 's6!', 's7!'], types: ['a/*'], state: 'all', limit: 100000 },
      { streams: ['s6!'], state: 'all', fromTime: 3, toTime: START },
      { modifiedSince: START + 8, includeDeletions: true, limit: 50 },
      { fromTime: 20, toTime: 300, sortAscending: true },
    ]
    const merged = (): number => counts.scans['s'] ?? 0
    const before = merged()
    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.integer(),
        fc.array(fc.tuple(drawnQuery, permissions), { minLength: 30, maxLength: 30 }),
        async (streams, seed, queries) => {
          now = START
          const account = await open(streams)
          const setting = await languageEvent(account)
          const played = await perform(account, manySteps(seed, 2500))
          trashStreams(account, streams)
          const known = {
            ...played,
            events: [...played.events, setting],
            now,
            streams: streams.map((s) => ({ ...s, trashed: s.trash })),
          }
          await expectIndexes(account.db, account.prefix)
          for (const [at, [query, granted]] of queries.entries()) {
            await expectAnswer(account, { ...known, permissions: granted }, query, at)
          }
          for (const query of certain) await expectAnswer(account, { ...known, permissions: null }, query, -1)
        },
      ),
      { numRuns: 3, endOnFailure: true },
    )
    expect(merged()).toBeGreaterThanOrEqual(before + 3 * 7)
  }, 120_000)
})

/** Returns many steps from a seed: most events are in s0, few in the others, so that these are sparse. */
function manySteps(seed: number, count: number): Step[] {
  let state = seed
  /** Returns a number from 0 up to `limit` (mulberry32). */
  const draw = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit
  }
  const pick = <T>(items: readonly T[]): T => items[Math.floor(draw(items.length))] as T
  return Array.from({ length: count }, (_, n): Step => {
    const isSparse = draw(20) < 1
    const time = pick([Math.floor(draw(40)), START + Math.floor(draw(60)) - 20, draw(1200) - 100])
    const streamIds = isSparse ? [pick(own), pick(['s0', 's5', pick(own)])] : ['s0']
    const fields: Json = {
      streamIds: [...new Set(streamIds)],
      type: pick(types),
      time,
      content: pick([1, 'p', 'pq', null]),
    }
    if (draw(5) < 1) fields['duration'] = pick([null, 1, 5, draw(30), draw(1e4)])
    if (draw(30) < 1) fields['trashed'] = true
    if (draw(4) < 1) fields['tags'] = [pick(['t', 'u', 'v'])]
    const isChange = n > 10 && draw(10) < 1
    return {
      at: isChange ? Math.floor(draw(10)) : undefined,
      deletes: draw(3) < 1,
      fields,
      changes: { time: draw(900) },
      ticks: draw(0.01),
    }
  })
}
