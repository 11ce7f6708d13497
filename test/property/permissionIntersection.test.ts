/** Intersections of permission lists against a naive evaluation of permissions (test/support/oracles/naivePermissions.ts). */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LEVELS, type Level, type Permission } from '../../src/store/model/access.js'
import { isCreateOnly } from '../../src/store/model/grant.js'
import { compileScope } from '../../src/store/model/permission.js'
import { intersectPermissions } from '../../src/store/model/permissionIntersection.js'
import { mayWithEvent, mayWithStream, type EventAction, type Grant, type StreamAction } from '../support/oracles/naivePermissions.js'
import { runs } from '../support/oracles/runs.js'

const ACCESS = 'cown'
const own = ['a', 'b', 'c', 'd', 'e']
const fixed = [':_system:account', ':_system:language', ':system:email', ':_audit:', `:_audit:access-${ACCESS}`, ':_shared-secrets:x']
const everywhere = [...own, ...fixed, '*']
const STREAM_ACTIONS: StreamAction[] = ['list', 'read', 'create', 'change', 'manage']
const EVENT_ACTIONS: EventAction[] = ['find', 'getOne', 'create', 'change']

/** Each stream is below an earlier one in a random order, or at the root. */
const tree = fc
  .tuple(fc.shuffledSubarray(own, { minLength: own.length }), fc.array(fc.nat(), { minLength: own.length, maxLength: own.length }))
  .map(([order, draws]) => new Map(order.map((id, i) => [id, (draws[i] ?? 0) % 3 === 0 || i === 0 ? null : (order[(draws[i] ?? 0) % i] ?? null)])))

const level = fc.constantFrom(...LEVELS)
const permission: fc.Arbitrary<Permission> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ streamId: fc.constantFrom(...own), level }) },
  { weight: 2, arbitrary: fc.record({ streamId: fc.constant('*'), level }) },
  { weight: 1, arbitrary: fc.record({ streamId: fc.constantFrom(...fixed), level }) },
  { weight: 2, arbitrary: fc.record({ tag: fc.constantFrom('*', 't', 'u'), level: fc.constantFrom<Level>('read', 'contribute', 'manage') }) },
  { weight: 1, arbitrary: fc.record({ feature: fc.constantFrom('selfAudit', 'selfRevoke', 'secretSharing'), setting: fc.constantFrom('forbidden' as const, 'allowed' as const) }) },
  { weight: 1, arbitrary: fc.shuffledSubarray(own, { maxLength: 2 }).map((streams): Permission => ({ feature: 'forcedStreams', setting: 'allowed', streams })) },
)
/** At most one forcedStreams: implementations may combine several differently. */
const permissions = fc.array(permission, { maxLength: 6 }).map((list) => {
  const isForced = (one: Permission): boolean => 'feature' in one && one.feature === 'forcedStreams'
  return list.filter((one, at) => !isForced(one) || list.findIndex(isForced) === at)
})
const lists = fc.array(permissions, { minLength: 2, maxLength: 4 })
const event = fc.record({
  streamIds: fc.uniqueArray(fc.constantFrom(...own), { minLength: 1, maxLength: 3 }),
  tags: fc.uniqueArray(fc.constantFrom('t', 'u', 'v'), { maxLength: 2 }),
})

const grant = (list: readonly Permission[]): Grant => ({ accessId: ACCESS, permissions: list })

describe('the intersection of permissions', () => {
  it('allows nothing that one list refuses, in any tree', () => {
    let allowed = 0
    fc.assert(
      fc.property(lists, tree, fc.array(event, { minLength: 1, maxLength: 6 }), (all, parents, events) => {
        const both = grant(intersectPermissions(all))
        for (const id of everywhere) {
          for (const action of STREAM_ACTIONS.filter((one) => mayWithStream(both, one, id, parents))) {
            allowed++
            for (const list of all) expect([id, action, list, mayWithStream(grant(list), action, id, parents)]).toEqual([id, action, list, true])
          }
        }
        for (const one of events) {
          for (const action of EVENT_ACTIONS.filter((action) => mayWithEvent(both, action, one, parents))) {
            for (const list of all) expect([one, action, list, mayWithEvent(grant(list), action, one, parents)]).toEqual([one, action, list, true])
          }
        }
      }),
      { numRuns: process.env['LONG'] === '1' ? 50_000 : 2000 },
    )
    expect(allowed).toBeGreaterThan(2000)
  })

  it('forbids features that one list forbids, and allows managing accesses only if all lists do', () => {
    fc.assert(
      fc.property(lists, (all) => {
        const both = intersectPermissions(all)
        const scopeOf = (list: readonly Permission[]) => compileScope({ id: ACCESS, type: 'app', permissions: [...list] })
        for (const list of all) {
          for (const [name, setting] of scopeOf(list).features) {
            if (setting === 'forbidden') expect([name, scopeOf(both).features.get(name)]).toEqual([name, 'forbidden'])
          }
          if (isCreateOnly(scopeOf(list), list)) expect(isCreateOnly(scopeOf(both), both)).toBe(true)
        }
      }),
      { numRuns: runs(1000) },
    )
  })

  it('is independent of order and repetition, and of equal lists is one of them', () => {
    fc.assert(
      fc.property(lists, fc.nat(), (all, turn) => {
        const at = turn % all.length
        const turned = [...all.slice(at), ...all.slice(0, at), ...all.slice(0, 1)].reverse()
        expect(intersectPermissions(turned)).toEqual(intersectPermissions(all))
        expect(intersectPermissions([all[0] ?? [], all[0] ?? []])).toEqual(all[0])
      }),
    )
  })

  it('is exact where all lists name the same streams', () => {
    const named = fc.tuple(level, level, level, level).map((levels) => ['*', ...own.slice(0, 3)].map((streamId, i): Permission => ({ streamId, level: levels[i] ?? 'none' })))
    fc.assert(
      fc.property(named, named, tree, (a, b, parents) => {
        const both = grant(intersectPermissions([a, b]))
        for (const id of own) {
          for (const action of ['read', 'create', 'change', 'manage'] as const) {
            const naive = mayWithStream(grant(a), action, id, parents) && mayWithStream(grant(b), action, id, parents)
            expect([id, action, mayWithStream(both, action, id, parents)]).toEqual([id, action, naive])
          }
        }
      }),
    )
  })

  it('leaves reading of its own audit stream where one list forbids selfAudit', () => {
    const own = `:_audit:access-${ACCESS}`
    const forbidden: Permission = { feature: 'selfAudit', setting: 'forbidden' }
    for (const streamId of [own, ':_audit:accesses', ':_audit:']) {
      for (const level of ['contribute', 'manage'] as const) {
        const both = intersectPermissions([[{ streamId, level }, forbidden], [{ streamId, level }]])
        expect(both).toEqual([{ streamId, level: 'read' }, forbidden])
      }
    }
  })

  it('of a list for some streams with one for all streams keeps the rights of the former', () => {
    const all: Permission[] = [{ streamId: '*', level: 'manage' }]
    const some: Permission[] = [{ streamId: 'diary', level: 'read' }, { tag: 'blue', level: 'read' }]
    expect(intersectPermissions([all, some])).toEqual([{ streamId: 'diary', level: 'read' }])
    expect(intersectPermissions([[{ streamId: 'a', level: 'read' }, { streamId: 'b', level: 'manage' }], [{ streamId: 'a', level: 'manage' }]])).toEqual([
      { streamId: 'a', level: 'read' },
    ])
    expect(intersectPermissions([[{ streamId: 'a', level: 'read' }], [{ streamId: 'a', level: 'create-only' }]])).toEqual([{ streamId: 'a', level: 'none' }])
  })
})
