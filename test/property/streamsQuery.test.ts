import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Access, Level, StreamPermission } from '../../src/store/model/access.js'
import { Failure } from '../../src/store/model/failure.js'
import { compileScope } from '../../src/store/model/permission.js'
import type { Stream } from '../../src/store/model/stream.js'
import { matches, parseStreamsQuery, resolveStreamsQuery } from '../../src/store/model/streamsQuery.js'
import { createTree } from '../../src/store/model/tree.js'
import { runs } from '../support/oracles/runs.js'

const own = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7']
/** Area that `*` does not include. */
const reserved = [':_emails:', ':_emails:x']
const local = [...own, ...reserved]
const usage = [':_system:storageUsed', ':_system:dbDocuments', ':_system:attachedFiles']
const account = [':_system:account', ...usage, ':system:email']
const levels: Level[] = ['none', 'read', 'create-only', 'contribute', 'manage']

interface Query {
  any: string[]
  all: string[]
  not: string[]
}

interface QueryCase {
  streams: Stream[]
  /** null for a personal token. */
  permissions: StreamPermission[] | null
  state: 'default' | 'trashed' | 'all'
  queries: Query[]
  events: string[][]
}

function stream(id: string, parentId: string | null, trashed: boolean): Stream {
  const plain = { id, name: id, parentId, created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }
  return trashed ? { ...plain, trashed: true } : plain
}

/** Trashed streams are rare, so that trees without any are common. */
const streams = fc
  .tuple(
    fc.tuple(...own.map((_, i) => fc.option(fc.nat({ max: Math.max(0, i - 1) }), { freq: 4 }))),
    fc.oneof(fc.constant<boolean[]>([]), fc.array(fc.boolean(), { minLength: own.length, maxLength: own.length })),
    fc.boolean(),
  )
  .map(([parents, trashed, withSecluded]) => [
    ...own.map((id, i) => stream(id, i === 0 || parents[i] == null ? null : `s${parents[i]}`, trashed[i] ?? false)),
    ...(withSecluded ? reserved.map((id, i) => stream(id, i === 0 ? null : ':_emails:', false)) : []),
  ])

const some = (ids: string[], options: fc.ArrayConstraints) => fc.array(fc.constantFrom(...ids), options)
const marked = (ids: string[]) => [...ids, ...ids.map((id) => id + '!')]
const starQuery = fc.record({
  any: fc.constant<string[]>(['*']),
  all: fc.constant<string[]>([]),
  not: some(marked([...local, ':_system:storageUsed']), { maxLength: 3 }),
})
const localQuery = fc.record({
  any: some(marked(local), { minLength: 1, maxLength: 3 }),
  all: some(marked([...own, 'unknown']), { maxLength: 2 }),
  not: some(marked([...own, 'unknown']), { maxLength: 2 }),
})
const accountQuery = fc.record({
  any: some(marked(account), { minLength: 1, maxLength: 2 }),
  all: fc.constant<string[]>([]),
  not: some(marked(account), { maxLength: 1 }),
})

const permission = fc.record({
  streamId: fc.constantFrom('*', ...local, ...account),
  level: fc.constantFrom(...levels),
})
/** Half of the lists begin with a reading level on `*`, so that many queries are allowed. */
const permissions = fc
  .tuple(fc.array(permission, { maxLength: 5 }), fc.boolean())
  .map(([list, star]): StreamPermission[] => (star ? [{ streamId: '*', level: 'read' }, ...list] : list))

const queryCase: fc.Arbitrary<QueryCase> = fc.record({
  streams,
  permissions: fc.option(permissions),
  state: fc.constantFrom('default', 'default', 'trashed', 'all'),
  queries: fc.array(fc.oneof(starQuery, localQuery, localQuery, accountQuery), { minLength: 1, maxLength: 2 }),
  events: fc.array(
    fc.oneof(
      { arbitrary: fc.uniqueArray(fc.constantFrom(...own), { minLength: 1, maxLength: 3 }), weight: 6 },
      { arbitrary: fc.uniqueArray(fc.constantFrom(...local), { minLength: 1, maxLength: 3 }), weight: 2 },
      { arbitrary: fc.constantFrom(...account).map((id) => [id]), weight: 1 },
    ),
    { minLength: 1, maxLength: 12 },
  ),
})

/** Evaluates a query naively, event by event and stream by stream, with a walk to the root each time. */
function naive({ streams: list, permissions, state, queries }: QueryCase) {
  const get = (id: string) => list.find((s) => s.id === id)
  const isAccount = (id: string) => account.includes(id)
  const path = (id: string): string[] => {
    if (id === ':_system:account') return [id]
    if (usage.includes(id) && id !== usage[0]) return [id, ...path(':_system:storageUsed')]
    if (isAccount(id)) return [id, ':_system:account']
    const parentId = get(id)?.parentId
    return parentId ? [id, ...path(parentId)] : [id]
  }
  const isReserved = (id: string) => reserved.includes(id)
  const exists = (id: string) => isAccount(id) || get(id) !== undefined
  const isTrashed = (id: string) => path(id).some((step) => get(step)?.trashed)
  const searched = (id: string) => isAccount(id) || (exists(id) && (state !== 'default' || !isTrashed(id)))

  const granted: StreamPermission[] = [{ streamId: ':_system:account', level: 'none' }, ...(permissions ?? [])]
  const levelOf = (id: string): string | undefined => {
    if (permissions === null) return 'manage'
    for (const step of [...path(id), ...(isAccount(id) || isReserved(id) ? [] : ['*'])]) {
      const entry = granted.findLast((p) => p.streamId === step)
      if (entry) return entry.level
    }
    return undefined
  }
  const readable = (id: string) => ['read', 'contribute', 'manage'].includes(levelOf(id) ?? '')
  const denied = (id: string) => ['none', 'create-only'].includes(levelOf(id) ?? '')

  /** Tests whether a member of the query includes `id`. */
  const within = (id: string, member: string): boolean =>
    searched(id) && (member.endsWith('!') ? id === member.slice(0, -1) : path(id).includes(member))

  /** Tests whether `not` excludes `id` on the way up to, but without, the member. */
  const isExcluded = (id: string, member: string, not: string[]): boolean => {
    const top = member.replace('!', '')
    if (id === top) return false
    const way = path(id)
    const between = way.slice(0, way.indexOf(top))
    return not.some((other) => (other.endsWith('!') ? id === other.slice(0, -1) : between.includes(other)))
  }

  const inAny = (id: string, { any, not }: Query): boolean => {
    if (!readable(id)) return false
    if (!any.includes('*')) return any.some((member) => within(id, member) && !isExcluded(id, member, not))
    return searched(id) && !isReserved(id) && !not.some((member) => within(id, member))
  }

  const matchesAny = (streamIds: string[], query: Query): boolean => {
    const excluded = (id: string): boolean => {
      if (inAny(id, query)) return false
      if (!isAccount(id) && denied(id)) return true
      if (isReserved(id) && exists(id) && (query.any.includes('*') || permissions !== null)) return true
      return query.not.some((member) => within(id, member))
    }
    return (
      streamIds.some((id) => inAny(id, query)) &&
      query.all.every((member) => streamIds.some((id) => within(id, member) && !isExcluded(id, member, query.not))) &&
      !streamIds.some(excluded)
    )
  }

  const named = queries.flatMap((query) => query.any.map((id) => id.replace('!', ''))).filter((id) => id !== '*')
  return {
    refusal: named.some((id) => !isAccount(id) && !exists(id))
      ? 'unknown-referenced-resource'
      : named.some((id) => !readable(id))
        ? 'forbidden'
        : undefined,
    matchesAny: (streamIds: string[]) => queries.some((query) => matchesAny(streamIds, query)),
    readable,
    denied,
  }
}

function resolve({ streams: list, permissions, state, queries }: QueryCase) {
  const tracking = { name: 'n', created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
  const personal: Access = { id: 'a', type: 'personal', ...tracking }
  const access: Access = permissions ? { ...personal, type: 'app', permissions } : personal
  const isShown = (id: string) => account.includes(id)
  return resolveStreamsQuery(parseStreamsQuery(queries, 'json'), {
    scope: compileScope(access),
    tree: createTree(list),
    state,
    systemStreams: { all: account, known: isShown, isReadable: isShown },
  })
}

/** Returns the events whose streams are all in the tree: others are not stored. */
const stored = ({ events, streams: list }: QueryCase): string[][] =>
  events.filter((ids) => ids.every((id) => account.includes(id) || list.some((s) => s.id === id)))

describe('streams queries', () => {
  it('agree with a naive filter', () => {
    let resolvedCount = 0
    fc.assert(
      fc.property(queryCase, (drawn) => {
        const expected = naive(drawn)
        try {
          const resolved = resolve(drawn)
          expect(expected.refusal).toBeUndefined()
          for (const ids of stored(drawn)) expect([ids, matches(resolved, ids)]).toEqual([ids, expected.matchesAny(ids)])
          resolvedCount++
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          expect(error.id).toBe(expected.refusal)
        }
      }),
      { numRuns: runs(1500) },
    )
    expect(resolvedCount).toBeGreaterThan(300)
  })

  it('never return an event without a readable stream, or with a denied one', () => {
    fc.assert(
      fc.property(queryCase, (drawn) => {
        const { refusal, readable, denied } = naive(drawn)
        if (refusal !== undefined) return
        const resolved = resolve(drawn)
        for (const ids of stored(drawn)) {
          if (!matches(resolved, ids)) continue
          expect(ids.some(readable)).toBe(true)
          expect(ids.some(denied)).toBe(false)
        }
      }),
      { numRuns: runs(500) },
    )
  })
})
