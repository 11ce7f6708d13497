/** Grants fit consent forms exactly as a naive evaluation of the rule says, and never allow more than the offer. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Level, Permission } from '../../src/store/model/access.js'
import { permissionOf } from '../../src/store/model/accessRequest.js'
import { checkGrant, resolveConsent, type GrantRefusal, type OfferedPermission } from '../../src/store/model/consent.js'
import { Failure } from '../../src/store/model/failure.js'
import type { Stream } from '../../src/store/model/stream.js'
import { createTree, type Tree } from '../../src/store/model/tree.js'
import { runs } from '../support/oracles/runs.js'

const streams = ['s0', 's1', 's2', 's3']
const tree = fc.tuple(...streams.map((_, i) => fc.option(fc.nat({ max: Math.max(0, i - 1) })))).map((parents): Tree =>
  createTree(
    parents.map((parent, i): Stream => {
      const parentId = i === 0 || parent === null ? null : `s${parent}`
      return { id: `s${i}`, name: `s${i}`, parentId, created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }
    }),
  ),
)
const level = fc.constantFrom<Level>('read', 'create-only', 'contribute', 'manage')
const permission: fc.Arbitrary<Permission> = fc.oneof(
  fc.record({ streamId: fc.constantFrom('*', ...streams), level }),
  fc.record({ feature: fc.constantFrom('selfRevoke', 'selfAudit'), setting: fc.constantFrom('forbidden' as const, 'allowed' as const) }),
)
const offer = fc.array(fc.record({ permission, isMandatory: fc.boolean() }), { minLength: 1, maxLength: 6 })

/** Rights of each level, written out. */
const RIGHTS: Record<Level, string[]> = {
  none: [],
  read: ['read'],
  'create-only': ['create'],
  contribute: ['read', 'create', 'update'],
  manage: ['read', 'create', 'update', 'manage'],
}

/** Returns the rights of permissions on a stream: the latest entry of the nearest stream with one. */
function capabilities(permissions: readonly Permission[], streamId: string, tree: Tree): string[] {
  const at = (id: string): Level | undefined => {
    const found = permissions.filter((each) => 'streamId' in each && each.streamId === id).at(-1)
    return found !== undefined && 'level' in found ? found.level : undefined
  }
  for (let id: string | undefined = streamId; id !== undefined; id = tree.parent(id)?.id) {
    const own = at(id)
    if (own !== undefined) return RIGHTS[own]
  }
  return RIGHTS[at('*') ?? 'none']
}

const same = (a: Permission, b: Permission): boolean => JSON.stringify(a) === JSON.stringify(b)

function naive(granted: readonly Permission[], offered: readonly OfferedPermission[], choice: boolean, tree: Tree): GrantRefusal['reason'] | 'fits' {
  const all = offered.map(({ permission }) => permission)
  if (granted.length === 0) return 'empty-grant'
  if (!granted.every((each) => all.some((other) => same(each, other)))) return 'not-subset'
  const isMissing = (each: Permission): boolean => !granted.some((other) => same(each, other))
  if (!choice && all.some(isMissing)) return 'choice-not-allowed'
  if (choice && offered.some((each) => each.isMandatory && isMissing(each.permission))) return 'mandatory-refused'
  const widens = all.some(
    (each) =>
      'streamId' in each &&
      !capabilities(granted, each.streamId, tree).every((right) => capabilities(all, each.streamId, tree).includes(right)),
  )
  return widens ? 'not-subset' : 'fits'
}

describe('a grant', () => {
  it('fits its offer exactly as the rule says', () => {
    const drawn = fc.tuple(tree, offer, fc.boolean()).chain(([tree, offered, choice]) =>
      fc.record({
        tree: fc.constant(tree),
        offered: fc.constant(offered),
        choice: fc.constant(choice),
        granted: fc.oneof(
          fc.subarray(offered.map(({ permission }) => permission)),
          fc.array(fc.oneof(permission, fc.constantFrom(...offered.map(({ permission }) => permission))), { maxLength: 6 }),
        ),
      }),
    )
    const seen = new Set<string>()
    fc.assert(
      fc.property(drawn, ({ tree, offered, choice, granted }) => {
        // Of contradicting entries, the later counts: order is part of the offer.
        const ordered = granted.filter((each) => offered.some(({ permission }) => same(permission, each))).length === granted.length
          ? offered.map(({ permission }) => permission).filter((each) => granted.some((other) => same(each, other)))
          : granted
        const reason = checkGrant(ordered, offered, choice, tree)?.reason ?? 'fits'
        seen.add(reason)
        expect(reason).toBe(naive(ordered, offered, choice, tree))
      }),
      { numRuns: runs(2500) },
    )
    expect([...seen].sort()).toEqual(['choice-not-allowed', 'empty-grant', 'fits', 'mandatory-refused', 'not-subset'])
  })

  it('of the whole offer fits', () => {
    fc.assert(
      fc.property(tree, offer, fc.boolean(), (tree, offered, choice) => {
        expect(checkGrant(offered.map(({ permission }) => permission), offered, choice, tree)).toBeUndefined()
      }),
    )
  })
})

describe('an arbitrary request', () => {
  const expectResultOrFailure = (work: () => unknown): void => {
    try {
      work()
    } catch (error) {
      expect(error).toBeInstanceOf(Failure)
      expect(error).toMatchObject({ id: 'invalid-parameters' })
    }
  }
  const entry = fc.dictionary(fc.constantFrom('streamId', 'level', 'tag', 'feature', 'setting', 'defaultName', 'streams', '__proto__'), fc.jsonValue())

  it('parses to permissions, or is refused', () => {
    fc.assert(fc.property(entry, (value) => expectResultOrFailure(() => permissionOf(value))), { numRuns: runs(1000) })
  })

  it('parses to a consent form, or is refused', () => {
    const form = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom('allowUserChoice', 'mandatory', 'optIn'), fc.jsonValue()))
    fc.assert(fc.property(form, fc.array(entry), (rawForm, entries) => expectResultOrFailure(() => resolveConsent(rawForm, entries))), { numRuns: runs(1000) })
  })
})
