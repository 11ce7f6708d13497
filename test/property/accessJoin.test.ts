/** Random edits of copies of one access, joined in any order, against a naive history of the edits that each copy has seen. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LEVELS, type Access, type Permission } from '../../src/store/model/access.js'
import { contestedFields, editAccess, joinAccesses } from '../../src/store/model/accessMerge.js'
import { canonicalText } from '../../src/store/model/canonicalText.js'
import { accessIntegrity } from '../../src/store/model/integrity.js'
import { mayWithStream, type StreamAction } from '../support/oracles/naivePermissions.js'

const TOKEN = 'token'
const STREAMS = ['a', 'b', 'c']
/** c is below b. */
const PARENTS = new Map<string, string | null>([['a', null], ['b', null], ['c', 'b']])
const ACTIONS: StreamAction[] = ['list', 'read', 'create', 'change', 'manage']

const permissions = fc.uniqueArray(
  fc.record({ streamId: fc.constantFrom('*', ...STREAMS), level: fc.constantFrom(...LEVELS) }),
  { minLength: 1, maxLength: 3, selector: ({ streamId }) => streamId },
)
const node = fc.nat({ max: 3 })
const change = fc.oneof(
  { weight: 3, arbitrary: permissions.map((value) => ({ field: 'permissions', value: value as unknown })) },
  { weight: 2, arbitrary: fc.option(fc.integer({ min: 100, max: 103 })).map((value) => ({ field: 'expires', value: value as unknown })) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('k', 'l'), fc.option(fc.nat({ max: 3 }))).map(([key, value]) => ({ field: `c:${key}`, value: value as unknown })) },
  { weight: 1, arbitrary: fc.constantFrom('one', 'two').map((value) => ({ field: 'name', value: value as unknown })) },
)
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('edit' as const), node, change, isVersion: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('send' as const), node, to: node }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), node }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const hashed = (access: Access): Access => {
  const { integrity: _, ...rest } = access
  return { ...rest, integrity: accessIntegrity({ ...rest, token: TOKEN }, 'sha256') }
}
const initial: Access = hashed({
  ...{ id: 'x', type: 'shared', name: 'one', permissions: [{ streamId: '*', level: 'manage' }] },
  ...{ created: 1, createdBy: 'o', modified: 1, modifiedBy: 'o' },
})

function fieldOf(access: Access, field: string): unknown {
  if (field.startsWith('c:')) return access.clientData?.[field.slice(2)] ?? null
  return access[field as keyof Access] ?? null
}

function changed(access: Access, field: string, value: unknown, now: number, isVersion: boolean): Access {
  const next: Record<string, unknown> = { ...access, modified: now, modifiedBy: 'o' }
  if (isVersion) next['serial'] = (access.serial ?? 0) + 1
  if (field.startsWith('c:')) {
    const { [field.slice(2)]: _, ...others } = access.clientData ?? {}
    const data = value === null ? others : { ...others, [field.slice(2)]: value }
    if (Object.keys(data).length === 0) delete next['clientData']
    else next['clientData'] = data
  } else if (value === null) delete next[field]
  else next[field] = value
  return hashed(next as unknown as Access)
}

/** Edit, with the earlier ones that its copy had seen. */
interface Edit {
  field: string
  value: unknown
  isVersion: boolean
  past: ReadonlySet<number>
}

/** Returns the values of a field from edits that no seen edit superseded; else the initial value. */
function surviving(edits: readonly Edit[], seen: ReadonlySet<number>, field: string): unknown[] {
  const ofField = [...seen].filter((at) => edits[at]?.field === field)
  const last = ofField.filter((at) => !ofField.some((other) => edits[other]?.past.has(at)))
  return ofField.length === 0 ? [fieldOf(initial, field)] : last.map((at) => edits[at]?.value)
}

function simulate(steps: readonly Step[]): { copies: Access[]; edits: Edit[]; seen: Set<number>[] } {
  const copies = [initial, initial, initial, initial]
  const seen = copies.map(() => new Set<number>())
  const starts = copies.map(() => 0)
  const edits: Edit[] = []
  for (const [at, one] of steps.entries()) {
    const mine = seen[one.node] as Set<number>
    const copy = copies[one.node] as Access
    if (one.kind === 'restart') starts[one.node] = at
    else if (one.kind === 'send') {
      copies[one.to] = joinAccesses(copies[one.to] as Access, copy, TOKEN)
      for (const edit of mine) seen[one.to]?.add(edit)
    } else {
      const { field, value } = one.change
      if (canonicalText(fieldOf(copy, field)) === canonicalText(value)) continue
      // Clocks of nodes differ.
      const now = at + one.node * 7
      copies[one.node] = editAccess(copy, changed(copy, field, value, now, one.isVersion), `n${one.node}-${starts[one.node]}`)
      edits.push({ field, value, isVersion: one.isVersion, past: new Set(mine) })
      mine.add(edits.length - 1)
    }
  }
  return { copies, edits, seen }
}

const numRuns = process.env['LONG'] === '1' ? 10_000 : 500

describe('copies of an access', () => {
  it('allow no more than each edit of the rights that no other superseded', () => {
    let narrowed = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 30 }), (steps) => {
        const { copies, edits, seen } = simulate(steps)
        for (const [at, copy] of copies.entries()) {
          const mine = seen[at] as Set<number>
          const lists = surviving(edits, mine, 'permissions') as Permission[][]
          if (lists.length > 1) narrowed++
          for (const id of STREAMS) {
            for (const action of ACTIONS.filter((one) => mayWithStream({ accessId: 'x', permissions: copy.permissions }, one, id, PARENTS))) {
              for (const list of lists) {
                const allows = mayWithStream({ accessId: 'x', permissions: list }, action, id, PARENTS)
                expect([id, action, list, allows]).toEqual([id, action, list, true])
              }
            }
          }
          if (lists.length === 1) expect(copy.permissions).toEqual(lists[0])
          const ends = surviving(edits, mine, 'expires').map((one) => Number(one ?? Infinity))
          expect(copy.expires ?? Infinity).toBe(Math.min(...ends))
          for (const field of ['c:k', 'c:l']) {
            const values = surviving(edits, mine, field).filter((one) => one !== null)
            if (values.length === 0) expect(fieldOf(copy, field)).toBe(null)
            else expect(values).toContain(fieldOf(copy, field))
          }
          expect(surviving(edits, mine, 'name')).toContain(copy.name)
          expect(copy.serial ?? 0).toBe([...mine].filter((one) => edits[one]?.isVersion).length)
          const texts = new Set(lists.map(canonicalText))
          expect(contestedFields(copy).some(({ field }) => field === 'permissions')).toBe(texts.size > 1)
        }
      }),
      { numRuns },
    )
    expect(narrowed).toBeGreaterThan(100)
  })

  it('are equal when they have seen the same edits', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 30 }), (steps) => {
        const { copies, seen } = simulate(steps)
        const texts = new Map<string, string>()
        for (const [at, copy] of copies.entries()) {
          const key = [...(seen[at] as Set<number>)].sort().join()
          expect(texts.get(key) ?? canonicalText(copy)).toBe(canonicalText(copy))
          texts.set(key, canonicalText(copy))
          expect(copy).toEqual(hashed(copy))
        }
      }),
      { numRuns },
    )
  })

  it('join to the same result in any order, and repeatedly', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 30 }), (steps) => {
        const [a, b, c] = simulate(steps).copies as [Access, Access, Access]
        const join = (x: Access, y: Access): Access => joinAccesses(x, y, TOKEN)
        expect(canonicalText(join(a, b))).toBe(canonicalText(join(b, a)))
        expect(canonicalText(join(join(a, b), c))).toBe(canonicalText(join(a, join(b, c))))
        expect(canonicalText(join(a, a))).toBe(canonicalText(a))
        expect(canonicalText(join(join(a, b), a))).toBe(canonicalText(join(a, b)))
      }),
      { numRuns },
    )
  })
})

describe('a narrowed access', () => {
  const narrow: Permission[] = [{ streamId: 'a', level: 'read' }]

  it('stays narrow when another node edits its client data repeatedly', () => {
    const here = editAccess(initial, changed(initial, 'permissions', narrow, 5, true), 'here')
    const once = editAccess(initial, changed(initial, 'c:k', 1, 50, true), 'there')
    const twice = editAccess(once, changed(once, 'c:k', 2, 60, true), 'there')
    const joined = joinAccesses(here, twice, TOKEN)
    expect(joined).toMatchObject({ permissions: narrow, clientData: { k: 2 }, serial: 3 })
    expect(contestedFields(joined)).toEqual([])
  })

  it('is wide again once its owner widens it after seeing the restriction', () => {
    const here = editAccess(initial, changed(initial, 'permissions', narrow, 5, true), 'here')
    const there = editAccess(initial, changed(initial, 'permissions', [{ streamId: 'b', level: 'read' }], 50, true), 'there')
    const joined = joinAccesses(here, there, TOKEN)
    expect(joined.permissions?.every((one) => 'level' in one && one.level === 'none')).toBe(true)
    expect(contestedFields(joined)).toEqual([
      { field: 'permissions', shown: joined.permissions, others: expect.arrayContaining([narrow, [{ streamId: 'b', level: 'read' }]]) as unknown },
    ])
    const wide = editAccess(joined, changed(joined, 'permissions', initial.permissions, 1, true), 'here')
    expect(contestedFields(wide)).toEqual([])
    expect(joinAccesses(joinAccesses(there, wide, TOKEN), here, TOKEN)).toEqual(wide)
  })
})

describe('client data of an access', () => {
  it('join to the same result in any order after a removal and a concurrent edit', () => {
    const key = editAccess(initial, changed(initial, 'c:k', 0, 2, false), 'x')
    const without = editAccess(key, changed(key, 'c:k', null, 9, false), 'y')
    const other = editAccess(key, changed(key, 'c:k', 1, 3, false), 'x')
    const [ab, ba] = [joinAccesses(without, other, TOKEN), joinAccesses(other, without, TOKEN)]
    expect(ab).toEqual(ba)
    expect(ab.clientData).toEqual({ k: 1 })
    expect(contestedFields(ab)).toEqual([])
    expect(joinAccesses(ab, without, TOKEN)).toEqual(ab)
    expect(joinAccesses(joinAccesses(initial, ab, TOKEN), key, TOKEN)).toEqual(ab)
  })
})
