/** Rules of permissions against a naive evaluation (test/support/oracles/naivePermissions.ts). */
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
import { runs } from '../support/oracles/runs.js'

const LEVELS: Level[] = ['none', 'read', 'create-only', 'contribute', 'manage']
const ACCESS = 'cown'
const own = Array.from({ length: 9 }, (_, i) => `s${i}`)
const reserved = [':_emails:', ':_emails:x', ':_shared-secrets:', ':_shared-secrets:x']
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
const everywhere = [...own, ...reserved, ...account, ...audit]

interface StreamForest {
  parents: Map<string, string | null>
  trashed: Set<string>
}

/** Up to nine levels deep; the parent of a stream comes before it. Trashed streams are rare. */
const forest: fc.Arbitrary<StreamForest> = fc
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
    for (const id of reserved) parents.set(id, id.endsWith('x') ? id.slice(0, -1) : null)
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

/** Few streams and many entries, so that entries conflict: duplicates, overrides both ways. */
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

const grantOf = (list: Permission[]): Grant => ({ accessId: ACCESS, permissions: list })

function scopeOf(list: Permission[]): Scope {
  const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
  const access: Access = { id: ACCESS, type: 'app', name: 'n', permissions: list, ...tracking }
  return compileScope(access)
}

function treeOf({ parents, trashed }: StreamForest): Tree {
  const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
  return createTree(
    [...parents].map(([id, parentId]): Stream => {
      return { id, name: id, parentId, ...(trashed.has(id) ? { trashed: true } : {}), ...tracking }
    }),
  )
}

const CHECKS: Record<StreamAction, (scope: Scope, id: string, tree: Tree) => boolean> = {
  list: mayList,
  read: mayRead,
  create: mayCreate,
  change: mayContribute,
  manage: mayManage,
}
const ACTIONS = Object.keys(CHECKS) as StreamAction[]

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

/** Returns a test of whether the code finds an event by events.get without a streams query. */
function finder(list: Permission[], forest: StreamForest, state: 'default' | 'all'): (streamIds: readonly string[]) => boolean {
  const context = { scope: scopeOf(list), tree: treeOf(forest), state, systemStreams: SYSTEM_STREAMS }
  const resolved = resolveStreamsQuery([{ any: ['*'], all: [], not: [] }], context)
  return (streamIds) => matches(resolved, streamIds)
}

/** Returns all rights that the code grants, as texts, so that two lists can be compared. */
function rightsOf(list: Permission[], forest: StreamForest, events: string[][]): Set<string> {
  const scope = scopeOf(list)
  const tree = treeOf(forest)
  const all = [...everywhere, '*'].flatMap((id) =>
    ACTIONS.filter((action) => CHECKS[action](scope, id, tree)).map((action) => `${action} ${id}`),
  )
  const finds = finder(list, forest, 'all')
  return new Set([...all, ...events.filter(finds).map((streamIds) => `find ${streamIds.join(' ')}`)])
}

/** Levels that grant no more than a level. */
const LOWER: Record<Level, Level[]> = {
  none: ['none'],
  read: ['none', 'read'],
  'create-only': ['none', 'create-only'],
  contribute: ['none', 'read', 'create-only', 'contribute'],
  manage: LEVELS,
}

describe('the rules of permissions', () => {
  it('allow on every stream exactly what the specification allows', () => {
    fc.assert(
      fc.property(forest, permissions, (where, list) => {
        const scope = scopeOf(list)
        const tree = treeOf(where)
        for (const id of [...everywhere, '*', 'unknown']) {
          expect([id, levelOn(scope, id, tree)]).toEqual([id, levelAt(grantOf(list), id, where.parents)])
          for (const action of ACTIONS) {
            const naive = mayWithStream(grantOf(list), action, id, where.parents)
            expect([action, id, CHECKS[action](scope, id, tree)]).toEqual([action, id, naive])
          }
        }
      }),
      { numRuns: runs(500) },
    )
  })

  it('find exactly the events that the specification allows', () => {
    let found = 0
    let hidden = 0
    fc.assert(
      fc.property(
        forest,
        permissions,
        fc.option(forced, { freq: 4 }),
        fc.array(event, { minLength: 1, maxLength: 12 }),
        (where, list, also, events) => {
          const whole = also === null ? list : [...list, also]
          const finds = finder(whole, where, 'all')
          for (const streamIds of events) {
            const naive = mayWithEvent(grantOf(whole.filter((one) => !('tag' in one))), 'find', { streamIds }, where.parents)
            expect([streamIds, finds(streamIds)]).toEqual([streamIds, naive])
            if (naive) found++
            else hidden++
          }
        },
      ),
      { numRuns: runs(750) },
    )
    expect(Math.min(found, hidden)).toBeGreaterThan(500)
  })

  it('never find more events in the visible tree than in the whole tree', () => {
    fc.assert(
      fc.property(forest, permissions, fc.array(event, { minLength: 1, maxLength: 12 }), (where, list, events) => {
        const finds = finder(list, where, 'default')
        const isVisible = (id: string): boolean => !lineOf(id, where.parents).some((one) => where.trashed.has(one))
        for (const streamIds of events) {
          const readable = streamIds.some(
            (id) => isVisible(id) && mayWithStream(grantOf(list), 'read', id, where.parents),
          )
          const allowed = mayWithEvent(grantOf(list), 'find', { streamIds }, where.parents)
          expect([streamIds, finds(streamIds)]).toEqual([streamIds, allowed && readable])
        }
      }),
      { numRuns: runs(500) },
    )
  })

  it('are never wider than an entry on the stream, its ancestors, or *', () => {
    fc.assert(
      fc.property(forest, permissions, ({ parents, trashed }, list) => {
        const scope = scopeOf(list)
        const tree = treeOf({ parents, trashed })
        for (const id of everywhere) {
          const isApart = id.startsWith(':')
          const reach = [...lineOf(id, parents), ...(isApart ? [] : ['*'])]
          const entries = list.filter((one) => 'streamId' in one && reach.includes(one.streamId))
          for (const action of ACTIONS) {
            if (!CHECKS[action](scope, id, tree)) continue
            const isOwnAudit = id === `:_audit:access-${ACCESS}` && (action === 'list' || action === 'read')
            const gives = entries.some((one) => mayWithStream(single(id, levelIn(one)), action, id, parents))
            expect([action, id, gives || isOwnAudit]).toEqual([action, id, true])
          }
        }
      }),
      { numRuns: runs(500) },
    )
  })

  it('grant nothing more when a level is lowered', () => {
    const change = fc.tuple(fc.nat(), fc.nat())
    fc.assert(
      fc.property(forest, permissions, change, fc.array(event, { maxLength: 8 }), (where, list, [which, how], events) => {
        const at = which % Math.max(1, list.length)
        const one = list[at]
        if (one === undefined || !('level' in one)) return
        const lower = LOWER[one.level]
        const lowered = list.with(at, { ...one, level: lower[how % lower.length] ?? 'none' })
        expectNoMore(rightsOf(lowered, where, events), rightsOf(list, where, events))
      }),
      { numRuns: runs(350) },
    )
  })

  it('grant nothing more when a stream gets a narrower entry', () => {
    fc.assert(
      fc.property(
        forest,
        permissions,
        fc.constantFrom(...everywhere),
        fc.nat(),
        fc.array(event, { maxLength: 8 }),
        (where, list, streamId, how, events) => {
          const had = levelAt(grantOf(list), streamId, where.parents) ?? 'none'
          const narrower = LOWER[had]
          const entry = { streamId, level: narrower[how % narrower.length] ?? 'none' }
          expectNoMore(rightsOf([...list, entry], where, events), rightsOf(list, where, events))
        },
      ),
      { numRuns: runs(350) },
    )
  })

  it('grant nothing more when a tag permission is removed', () => {
    fc.assert(
      fc.property(forest, permissions, fc.array(event, { maxLength: 8 }), (where, list, events) => {
        const without = list.filter((one) => !('tag' in one))
        expectNoMore(rightsOf(without, where, events), rightsOf(list, where, events))
      }),
    )
  })
})

/** Returns a grant with one entry for one stream, of an access without a tested audit stream. */
const single = (streamId: string, level: Level): Grant => ({ accessId: 'nobody', permissions: [{ streamId, level }] })

const levelIn = (one: Permission): Level => ('level' in one ? one.level : 'none')

function expectNoMore(after: ReadonlySet<string>, before: ReadonlySet<string>): void {
  expect([...after].filter((one) => !before.has(one))).toEqual([])
}

describe('the naive evaluation', () => {
  const parents: Parents = new Map([
    ['a', null],
    ['b', 'a'],
    ['c', 'b'],
  ])
  const on = (...entries: [string, Level][]): Grant => grantOf(entries.map(([streamId, level]) => ({ streamId, level })))

  it('overrides downwards and upwards, the nearest entry first', () => {
    const grant = on(['a', 'read'], ['b', 'none'], ['c', 'manage'])
    expect(['a', 'b', 'c'].map((id) => levelAt(grant, id, parents))).toEqual(['read', 'none', 'manage'])
    expect(levelAt(on(['b', 'none'], ['b', 'read']), 'c', parents)).toBe('read')
  })

  it('includes account streams only by name', () => {
    expect(levelAt(on(['*', 'manage']), ':_system:language', parents)).toBe('none')
    expect(levelAt(on(['*', 'manage'], [':_system:account', 'read']), ':system:email', parents)).toBe('read')
    expect(levelAt(on(['*', 'manage']), ':_emails:', parents)).toBeUndefined()
    expect(levelAt(on(['*', 'manage']), ':_audit:actions', parents)).toBeUndefined()
  })

  it('hides an event in any hidden stream, and returns it by id unless a stream has level none', () => {
    const grant = on(['a', 'read'], ['b', 'create-only'])
    expect(mayWithEvent(grant, 'find', { streamIds: ['a'] }, parents)).toBe(true)
    expect(mayWithEvent(grant, 'find', { streamIds: ['a', 'b'] }, parents)).toBe(false)
    expect(mayWithEvent(grant, 'getOne', { streamIds: ['a', 'b'] }, parents)).toBe(true)
    expect(mayWithEvent(on(['a', 'read'], ['b', 'none']), 'getOne', { streamIds: ['a', 'b'] }, parents)).toBe(false)
    expect(mayWithEvent(on(['b', 'read']), 'find', { streamIds: ['a', 'b'] }, parents)).toBe(true)
  })

  it('allows by tags the events that no stream hides', () => {
    const tagged = grantOf([
      { tag: 't', level: 'read' },
      { streamId: 'b', level: 'none' },
    ])
    const asks = (...streamIds: string[]): boolean => mayWithEvent(tagged, 'find', { streamIds, tags: ['t'] }, parents)
    expect([asks('a'), asks('a', 'b'), asks(':system:email')]).toEqual([true, false, false])
    expect(mayWithEvent(tagged, 'find', { streamIds: ['a'], tags: ['u'] }, parents)).toBe(false)
    expect(mayWithStream(tagged, 'list', 'a', parents)).toBe(false)
  })
})
