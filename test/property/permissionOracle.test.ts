/** The rules of permissions against their plainest reading (test/support/oracles/naivePermissions.ts). */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Access, Level, Permission } from '../../src/store/model/access.js'
import {
  compileScope,
  levelOn,
  mayContribute,
  mayCreate,
  mayList,
  mayManage,
  mayRead,
  type Scope,
} from '../../src/store/model/permission.js'
import type { Stream } from '../../src/store/model/stream.js'
import { matches, resolveStreamsQuery } from '../../src/store/model/streamsQuery.js'
import { createSystemStreams } from '../../src/store/model/systemStreams.js'
import { createTree, type Tree } from '../../src/store/model/tree.js'
import { accountStreamsOf } from '../../src/server/api/shared/accountStreams.js'
import {
  levelAt,
  lineOf,
  mayWithEvent,
  mayWithStream,
  type Grant,
  type Parents,
  type StreamAction,
} from '../support/oracles/naivePermissions.js'

const LEVELS: Level[] = ['none', 'read', 'create-only', 'contribute', 'manage']
const ACCESS = 'cown'
const own = Array.from({ length: 9 }, (_, i) => `s${i}`)
const apart = [':_emails:', ':_emails:x', ':_shared-secrets:', ':_shared-secrets:x']
const account = [
  ':_system:account',
  ':_system:language',
  ':_system:storageUsed',
  ':_system:dbDocuments',
  ':system:email',
]
const audit = [
  ':_audit:',
  ':_audit:accesses',
  ':_audit:actions',
  `:_audit:access-${ACCESS}`,
  ':_audit:access-other',
  ':_audit:action-events.get',
]
const everywhere = [...own, ...apart, ...account, ...audit]

interface World {
  parents: Map<string, string | null>
  trashed: Set<string>
}

/** Up to nine levels deep: a stream's parent comes before it. Trash is drawn rarely. */
const world: fc.Arbitrary<World> = fc
  .record({
    shape: fc.oneof(fc.constant('deep'), fc.constant('any')),
    draws: fc.array(fc.option(fc.nat()), { minLength: own.length, maxLength: own.length }),
    trashed: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: fc.subarray(own) }),
  })
  .map(({ shape, draws, trashed }) => {
    const parents = new Map<string, string | null>(
      own.map((id, i) => {
        const draw = draws[i] ?? null
        if (i === 0 || draw === null) return [id, null]
        return [id, `s${shape === 'deep' ? i - 1 : draw % i}`]
      }),
    )
    for (const id of apart) parents.set(id, id.endsWith('x') ? id.slice(0, -1) : null)
    return { parents, trashed: new Set(trashed) }
  })

const level = fc.constantFrom(...LEVELS)
const onStream = fc.record({ streamId: fc.constantFrom(...everywhere), level })
const onOwn = fc.record({ streamId: fc.constantFrom(...own), level })
const onAll = fc.record({ streamId: fc.constant('*'), level })
const onTag = fc.record({ tag: fc.constantFrom('*', 't', 'u'), level })
const feature = fc.record({
  feature: fc.constantFrom('selfAudit', 'selfRevoke', 'secretSharing', 'webhooks'),
  setting: fc.constantFrom('forbidden' as const, 'allowed' as const),
})
const forced = fc
  .array(fc.constantFrom(...own), { maxLength: 2 })
  .map((streams): Permission => ({ feature: 'forcedStreams', setting: 'forbidden', streams }) as Permission)

/** Few streams and many entries, so that entries meet: duplicates, overrides both ways. */
const permissions: fc.Arbitrary<Permission[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: onOwn },
    { weight: 2, arbitrary: onStream },
    { weight: 2, arbitrary: onAll },
    { weight: 1, arbitrary: onTag },
    { weight: 1, arbitrary: feature },
  ),
  { maxLength: 8 },
)

const event = fc.oneof(
  { weight: 6, arbitrary: fc.uniqueArray(fc.constantFrom(...own), { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(...account).map((id) => [id]) },
)

const granting = (list: Permission[]): Grant => ({ accessId: ACCESS, permissions: list })

function scopeOf(list: Permission[]): Scope {
  const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
  const access: Access = { id: ACCESS, type: 'app', name: 'n', permissions: list, ...tracking }
  return compileScope(access)
}

function treeOf({ parents, trashed }: World): Tree {
  const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
  return createTree(
    [...parents].map(([id, parentId]): Stream => {
      return { id, name: id, parentId, ...(trashed.has(id) ? { trashed: true } : {}), ...tracking }
    }),
  )
}

const ASKED: Record<StreamAction, (scope: Scope, id: string, tree: Tree) => boolean> = {
  list: mayList,
  read: mayRead,
  create: mayCreate,
  change: mayContribute,
  manage: mayManage,
}
const ACTIONS = Object.keys(ASKED) as StreamAction[]

const EMAIL = {
  id: 'email',
  type: 'email/string',
  isShown: true,
  isEditable: true,
  isIndexed: true,
  isUnique: true,
  isRequiredInValidation: true,
}

const SYSTEM_STREAMS = accountStreamsOf(createSystemStreams([EMAIL]))

/** Whether the code finds an event by events.get without a streams query. */
function finder(list: Permission[], world: World, state: 'default' | 'all'): (streamIds: readonly string[]) => boolean {
  const context = { scope: scopeOf(list), tree: treeOf(world), state, systemStreams: SYSTEM_STREAMS }
  const resolved = resolveStreamsQuery([{ any: ['*'], all: [], not: [] }], context)
  return (streamIds) => matches(resolved, streamIds)
}

/** Everything that the code allows, as texts: what one list opens more than another is their difference. */
function opened(list: Permission[], world: World, events: string[][]): Set<string> {
  const scope = scopeOf(list)
  const tree = treeOf(world)
  const all = [...everywhere, '*'].flatMap((id) =>
    ACTIONS.filter((action) => ASKED[action](scope, id, tree)).map((action) => `${action} ${id}`),
  )
  const finds = finder(list, world, 'all')
  return new Set([...all, ...events.filter(finds).map((streamIds) => `find ${streamIds.join(' ')}`)])
}

/** What an access may do at one level and at another: lower is less of the same. */
const LOWER: Record<Level, Level[]> = {
  none: ['none'],
  read: ['none', 'read'],
  'create-only': ['none', 'create-only'],
  contribute: ['none', 'read', 'create-only', 'contribute'],
  manage: LEVELS,
}

describe('the rules of permissions', () => {
  it('allow on every stream what the specification allows', () => {
    fc.assert(
      fc.property(world, permissions, (where, list) => {
        const scope = scopeOf(list)
        const tree = treeOf(where)
        for (const id of [...everywhere, '*', 'unknown']) {
          expect([id, levelOn(scope, id, tree)]).toEqual([id, levelAt(granting(list), id, where.parents)])
          for (const action of ACTIONS) {
            const naive = mayWithStream(granting(list), action, id, where.parents)
            expect([action, id, ASKED[action](scope, id, tree)]).toEqual([action, id, naive])
          }
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('let find the events that the specification lets find', () => {
    let found = 0
    let hidden = 0
    fc.assert(
      fc.property(
        world,
        permissions,
        fc.option(forced, { freq: 4 }),
        fc.array(event, { minLength: 1, maxLength: 12 }),
        (where, list, also, events) => {
          const whole = also === null ? list : [...list, also]
          const finds = finder(whole, where, 'all')
          for (const streamIds of events) {
            const naive = mayWithEvent(granting(whole.filter((one) => !('tag' in one))), 'find', { streamIds }, where.parents)
            expect([streamIds, finds(streamIds)]).toEqual([streamIds, naive])
            if (naive) found++
            else hidden++
          }
        },
      ),
      { numRuns: 1500 },
    )
    expect(Math.min(found, hidden)).toBeGreaterThan(500)
  })

  it('never find in the visible part of the tree what they do not find in the whole of it', () => {
    fc.assert(
      fc.property(world, permissions, fc.array(event, { minLength: 1, maxLength: 12 }), (where, list, events) => {
        const finds = finder(list, where, 'default')
        const isVisible = (id: string): boolean => !lineOf(id, where.parents).some((one) => where.trashed.has(one))
        for (const streamIds of events) {
          const readable = streamIds.some(
            (id) => isVisible(id) && mayWithStream(granting(list), 'read', id, where.parents),
          )
          const allowed = mayWithEvent(granting(list), 'find', { streamIds }, where.parents)
          expect([streamIds, finds(streamIds)]).toEqual([streamIds, allowed && readable])
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('are never wider than an entry on the stream, above it, or on *', () => {
    fc.assert(
      fc.property(world, permissions, ({ parents, trashed }, list) => {
        const scope = scopeOf(list)
        const tree = treeOf({ parents, trashed })
        for (const id of everywhere) {
          const isApart = id.startsWith(':')
          const reach = [...lineOf(id, parents), ...(isApart ? [] : ['*'])]
          const entries = list.filter((one) => 'streamId' in one && reach.includes(one.streamId))
          for (const action of ACTIONS) {
            if (!ASKED[action](scope, id, tree)) continue
            const isOwnAudit = id === `:_audit:access-${ACCESS}` && (action === 'list' || action === 'read')
            const gives = entries.some((one) => mayWithStream(alone(id, levelIn(one)), action, id, parents))
            expect([action, id, gives || isOwnAudit]).toEqual([action, id, true])
          }
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('open nothing when a level is lowered', () => {
    const change = fc.tuple(fc.nat(), fc.nat())
    fc.assert(
      fc.property(world, permissions, change, fc.array(event, { maxLength: 8 }), (where, list, [which, how], events) => {
        const at = which % Math.max(1, list.length)
        const one = list[at]
        if (one === undefined || !('level' in one)) return
        const lower = LOWER[one.level]
        const lowered = list.with(at, { ...one, level: lower[how % lower.length] ?? 'none' })
        expectNoMore(opened(lowered, where, events), opened(list, where, events))
      }),
      { numRuns: 700 },
    )
  })

  it('open nothing when a stream gets an entry that is narrower than what it has', () => {
    fc.assert(
      fc.property(
        world,
        permissions,
        fc.constantFrom(...everywhere),
        fc.nat(),
        fc.array(event, { maxLength: 8 }),
        (where, list, streamId, how, events) => {
          const had = levelAt(granting(list), streamId, where.parents) ?? 'none'
          const narrower = LOWER[had]
          const entry = { streamId, level: narrower[how % narrower.length] ?? 'none' }
          expectNoMore(opened([...list, entry], where, events), opened(list, where, events))
        },
      ),
      { numRuns: 700 },
    )
  })

  it('open nothing when a tag permission is taken away', () => {
    fc.assert(
      fc.property(world, permissions, fc.array(event, { maxLength: 8 }), (where, list, events) => {
        const without = list.filter((one) => !('tag' in one))
        expectNoMore(opened(without, where, events), opened(list, where, events))
      }),
    )
  })
})

/** One entry for one stream, of an access that has no audit stream among those asked about. */
const alone = (streamId: string, level: Level): Grant => ({ accessId: 'nobody', permissions: [{ streamId, level }] })

const levelIn = (one: Permission): Level => ('level' in one ? one.level : 'none')

function expectNoMore(after: ReadonlySet<string>, before: ReadonlySet<string>): void {
  expect([...after].filter((one) => !before.has(one))).toEqual([])
}

describe('the plainest reading', () => {
  const parents: Parents = new Map([
    ['a', null],
    ['b', 'a'],
    ['c', 'b'],
  ])
  const on = (...entries: [string, Level][]): Grant => granting(entries.map(([streamId, level]) => ({ streamId, level })))

  it('overrides downwards and upwards, the nearest entry first', () => {
    const grant = on(['a', 'read'], ['b', 'none'], ['c', 'manage'])
    expect(['a', 'b', 'c'].map((id) => levelAt(grant, id, parents))).toEqual(['read', 'none', 'manage'])
    expect(levelAt(on(['b', 'none'], ['b', 'read']), 'c', parents)).toBe('read')
  })

  it('reaches the account only by name', () => {
    expect(levelAt(on(['*', 'manage']), ':_system:language', parents)).toBe('none')
    expect(levelAt(on(['*', 'manage'], [':_system:account', 'read']), ':system:email', parents)).toBe('read')
    expect(levelAt(on(['*', 'manage']), ':_emails:', parents)).toBeUndefined()
    expect(levelAt(on(['*', 'manage']), ':_audit:actions', parents)).toBeUndefined()
  })

  it('hides an event by any of its streams, and lets ask for it by id unless one is closed', () => {
    const grant = on(['a', 'read'], ['b', 'create-only'])
    expect(mayWithEvent(grant, 'find', { streamIds: ['a'] }, parents)).toBe(true)
    expect(mayWithEvent(grant, 'find', { streamIds: ['a', 'b'] }, parents)).toBe(false)
    expect(mayWithEvent(grant, 'getOne', { streamIds: ['a', 'b'] }, parents)).toBe(true)
    expect(mayWithEvent(on(['a', 'read'], ['b', 'none']), 'getOne', { streamIds: ['a', 'b'] }, parents)).toBe(false)
    expect(mayWithEvent(on(['b', 'read']), 'find', { streamIds: ['a', 'b'] }, parents)).toBe(true)
  })

  it('opens by tags what no stream closes', () => {
    const tagged = granting([
      { tag: 't', level: 'read' },
      { streamId: 'b', level: 'none' },
    ])
    const asks = (...streamIds: string[]): boolean => mayWithEvent(tagged, 'find', { streamIds, tags: ['t'] }, parents)
    expect([asks('a'), asks('a', 'b'), asks(':system:email')]).toEqual([true, false, false])
    expect(mayWithEvent(tagged, 'find', { streamIds: ['a'], tags: ['u'] }, parents)).toBe(false)
    expect(mayWithStream(tagged, 'list', 'a', parents)).toBe(false)
  })
})
