/** Delegated permissions are never more than the delegating ones, for any permissions, requests and stream trees. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Level, Permission } from '../../src/store/model/access.js'
import { inheritedRestrictions, isWithin, lesser, ungrantable } from '../../src/store/model/grant.js'
import {
  compileScope,
  mayChangeEvent,
  mayContribute,
  mayCreate,
  mayCreateEvent,
  mayList,
  mayManage,
  mayRead,
  mayReadEvent,
  type Scope,
} from '../../src/store/model/permission.js'
import type { Stream } from '../../src/store/model/stream.js'
import { matches, resolveStreamsQuery } from '../../src/store/model/streamsQuery.js'
import { createTree, type Tree } from '../../src/store/model/tree.js'

const own = ['s0', 's1', 's2', 's3', 's4', 's5']
const account = [':_system:account', ':_system:storageUsed', ':_system:dbDocuments', ':system:email']
const reserved = [':_emails:', ':_emails:x']
const streams = [...own, ...account, ...reserved]
const tags = ['t', 'u', 'v']
const levels: Level[] = ['none', 'read', 'create-only', 'contribute', 'manage']

const tree = fc
  .tuple(...own.map((_, i) => fc.option(fc.nat({ max: Math.max(0, i - 1) }))))
  .map((parents): Tree => {
    const stream = (id: string, parentId: string | null): Stream => {
      return { id, name: id, parentId, created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }
    }
    return createTree([
      ...parents.map((parent, i) => stream(`s${i}`, i === 0 || parent === null ? null : `s${parent}`)),
      stream(':_emails:', null),
      stream(':_emails:x', ':_emails:'),
    ])
  })
const permission: fc.Arbitrary<Permission> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ streamId: fc.constantFrom('*', ...own), level: fc.constantFrom(...levels) }) },
  { weight: 1, arbitrary: fc.record({ streamId: fc.constantFrom(...streams), level: fc.constantFrom(...levels) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      tag: fc.constantFrom('*', ...tags),
      level: fc.constantFrom<Level>('read', 'contribute', 'manage'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      feature: fc.constantFrom('selfRevoke', 'secretSharing', 'webhooks'),
      setting: fc.constantFrom('forbidden' as const, 'allowed' as const),
    }),
  },
)
const heldPermissions = fc.array(permission, { maxLength: 6 })
/** Small requests, so that many of them are granted. */
const requestedPermissions = fc.array(permission, { minLength: 1, maxLength: 3 })
const event = fc.record({
  streamIds: fc.uniqueArray(fc.constantFrom(...own, ...reserved), { minLength: 1, maxLength: 3 }),
  tags: fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 2 }),
})

const scopeOf = (id: string, permissions: Permission[]): Scope => compileScope({ id, type: 'app', permissions }, false)
const all = [...streams, '*', 'unknown']
const onStreams = { mayList, mayRead, mayCreate, mayContribute, mayManage }
const onEvents = { mayReadEvent, mayCreateEvent, mayChangeEvent }

/** Returns the permissions granted for a request, if it is grantable. */
function granted(app: Permission[], request: Permission[], at: Tree): Permission[] | undefined {
  const scope = scopeOf('app', app)
  if (ungrantable(scope, request, at) !== undefined) return undefined
  return [...request, ...inheritedRestrictions(scope, request, at)]
}

const listsEvent = (scope: Scope, at: Tree, streamIds: string[], tagged: string[]): boolean => {
  const systemStreams = { all: account, known: () => true, isReadable: () => true }
  const query = resolveStreamsQuery([{ any: ['*'], all: [], not: [] }], { scope, tree: at, state: 'all', systemStreams })
  return matches(query, streamIds, () => tagged)
}

describe('permissions that an access delegates', () => {
  it('allow nothing that it may not do itself', () => {
    let grants = 0
    fc.assert(
      fc.property(tree, heldPermissions, requestedPermissions, fc.array(event, { maxLength: 8 }), (at, app, request, events) => {
        const delegated = granted(app, request, at)
        if (delegated === undefined) return
        grants++
        const [parent, child] = [scopeOf('app', app), scopeOf('child', delegated)]
        for (const id of all) {
          for (const [name, may] of Object.entries(onStreams)) {
            if (may(child, id, at)) expect([name, id, may(parent, id, at)]).toEqual([name, id, true])
          }
        }
        for (const { streamIds, tags: tagged } of events) {
          const place = { streamIds, tags: () => tagged }
          for (const [name, may] of Object.entries(onEvents)) {
            if (may(child, place, at)) expect([name, streamIds, tagged, may(parent, place, at)]).toEqual([name, streamIds, tagged, true])
          }
          if (listsEvent(child, at, streamIds, tagged)) {
            expect([streamIds, tagged, listsEvent(parent, at, streamIds, tagged)]).toEqual([streamIds, tagged, true])
          }
        }
        for (const [name, setting] of parent.features) {
          if (setting === 'forbidden') expect([name, child.features.get(name)]).toEqual([name, 'forbidden'])
        }
      }),
      { numRuns: 4000 },
    )
    expect(grants).toBeGreaterThan(300)
  })

  it('are within its own', () => {
    fc.assert(
      fc.property(tree, heldPermissions, requestedPermissions, (at, app, request) => {
        const delegated = granted(app, request, at)
        if (delegated === undefined) return
        expect(inheritedRestrictions(scopeOf('app', app), delegated, at)).toEqual([])
        expect(isWithin(scopeOf('app', app), delegated, at)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('have the lesser of two levels, in either order', () => {
    for (const a of levels) {
      for (const b of levels) {
        expect(lesser(a, b)).toBe(lesser(b, a))
        expect(lesser(lesser(a, b), b)).toBe(lesser(a, b))
      }
    }
  })
})
