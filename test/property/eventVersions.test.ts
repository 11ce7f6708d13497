/** Earlier versions of events against a naive computation: each change materialised by Automerge with all its dependencies. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Event } from '../../src/store/model/event.js'
import { createRecorder, materialise } from '../../src/sync/crdt/document.js'
import { fieldsToEvent } from '../../src/sync/crdt/fields.js'
import { parseChange, type ReadChange } from '../../src/sync/crdt/parseChange.js'
import { versionsOf } from '../../src/sync/crdt/eventVersions.js'
import { itemOf, mixed } from '../sync/items.js'

const ID = 'e1'
const eventItem = itemOf(ID)

const steps = fc.array(
  fc.record({
    who: fc.nat({ max: 2 }),
    /** Node whose changes are merged first. */
    from: fc.option(fc.nat({ max: 2 }), { nil: undefined }),
    edits: fc.boolean(),
    next: eventItem,
    picks: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
    /** Seconds since the step before: clocks of nodes that stand still, or advance. */
    later: fc.nat({ max: 2 }),
    isStamp: fc.boolean(),
  }),
  { minLength: 2, maxLength: 16 },
)

interface Copy {
  changes: Map<string, Uint8Array>
  now: number
}

/** Edits copies of one event separately and merges them; returns all changes, and those that are stamps. */
function simulate(first: Event, script: typeof steps extends fc.Arbitrary<infer T> ? T : never): { changes: Uint8Array[]; stamps: Set<string> } {
  const recorders = [0, 1, 2].map((n) => createRecorder({ actor: String(n).repeat(32) }))
  const all = new Map<string, Uint8Array>()
  const stamps = new Set<string>()
  const root = recorders[0]?.created({ kind: 'event', item: { ...first, streamIds: [':_cmc:inbox'], modified: 1 } }) ?? new Uint8Array(0)
  all.set(parseChange(root).hash, root)
  const copies: Copy[] = recorders.map(() => ({ changes: new Map(all), now: 1 }))
  for (const { who, from, edits, next, picks, later, isStamp } of script) {
    const copy = copies[who] as Copy
    for (const [hash, change] of copies[from ?? who]?.changes ?? []) copy.changes.set(hash, change)
    copy.now = Math.max(copy.now, ...copies.filter((_, i) => i === from).map(({ now }) => now)) + later
    if (!edits || next.kind !== 'event') continue
    const now = materialise([...copy.changes.values()])
    const before = { kind: 'event', item: fieldsToEvent(ID, now.fields) } as const
    const after = mixed(before, next, picks)
    if (after.kind !== 'event') continue
    const item = { ...after.item, streamIds: [':_cmc:inbox', 'heart'], modified: copy.now }
    const first = (): Uint8Array => [...copy.changes.values()][0] as Uint8Array
    const docState = copy.changes.size === 1 ? {} : { docState: now.docState }
    const change = recorders[who]?.edited(before, { kind: 'event', item }, { ...docState, initialChange: first }, isStamp).change ?? new Uint8Array(0)
    const { hash } = parseChange(change)
    if (isStamp) stamps.add(hash)
    copy.changes.set(hash, change)
    all.set(hash, change)
  }
  return { changes: [...all.values()], stamps }
}

/** Computes the versions by their definition. */
function naive(changes: readonly Uint8Array[], stamps: ReadonlySet<string>): { event: Event; isStamped: boolean }[] {
  const read = new Map(changes.map((change) => [parseChange(change).hash, parseChange(change)]))
  const withAncestors = (hash: string): Set<string> => {
    const { deps } = read.get(hash) as ReadChange
    return new Set([...deps.flatMap((dep) => [...withAncestors(dep)]), hash])
  }
  const valueOf = (hashes: Iterable<string>): Event =>
    fieldsToEvent(ID, materialise([...hashes].map((hash) => (read.get(hash) as ReadChange).bytes)).fields)
  const dependentsOf = (hash: string): string[] => [...read.values()].filter(({ deps }) => deps.includes(hash)).map((one) => one.hash)
  const remaining = new Set(read.keys())
  const order: string[] = []
  while (remaining.size > 0) {
    const free = [...remaining].filter((hash) => read.get(hash)?.deps.every((dep) => !remaining.has(dep)))
    const rank = (hash: string): [number, number, string] => [valueOf(withAncestors(hash)).modified, (read.get(hash) as ReadChange).startOp, hash]
    free.sort((a, b) => {
      const [at, ac, ah] = rank(a)
      const [bt, bc, bh] = rank(b)
      return at - bt || ac - bc || (ah < bh ? -1 : 1)
    })
    order.push(free[0] as string)
    remaining.delete(free[0] as string)
  }
  const heads = order.filter((hash) => dependentsOf(hash).length === 0)
  const current = JSON.stringify(valueOf(read.keys()))
  return order
    .map((hash) => ({ hash, event: valueOf(withAncestors(hash)), after: dependentsOf(hash) }))
    .filter(({ after, event }) => after.length > 0 || (heads.length > 1 && JSON.stringify(event) !== current))
    .map(({ event, after }) => ({ event, isStamped: after.length > 0 && after.every((hash) => stamps.has(hash)) }))
}

function headsOf(changes: readonly Uint8Array[]): number {
  const read = changes.map(parseChange)
  return read.filter(({ hash }) => !read.some(({ deps }) => deps.includes(hash))).length
}

const derived = (changes: readonly Uint8Array[], bounds = {}): unknown[] => [...versionsOf(ID, changes, bounds)].filter((one) => one !== undefined)

describe('the earlier versions of an event', () => {
  it('are its values after each change on the node of the change, in one order for any order of arrival', { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(eventItem, steps, fc.array(fc.nat(), { minLength: 1, maxLength: 20 }), fc.nat({ max: 5 }), (first, script, order, atMost) => {
        if (first.kind !== 'event') return
        const { changes, stamps } = simulate(first.item, script)
        const expected = naive(changes, stamps)
        expect(derived(changes)).toEqual(expected)
        const shuffled = changes.map((change, i) => ({ change, rank: order[i % order.length] ?? 0 })).sort((a, b) => a.rank - b.rank)
        expect(derived(shuffled.map(({ change }) => change))).toEqual(expected)
        const times = expected.map(({ event }) => event.modified)
        expect(times).toEqual([...times].sort((a, b) => a - b))
        const latest = derived(changes, { count: atMost })
        expect(latest).toEqual(latest.length === 0 ? [] : expected.slice(-latest.length))
        expect(latest.length).toBeLessThanOrEqual(atMost)
        if (headsOf(changes) === 1) expect(latest).toHaveLength(Math.min(atMost, expected.length))
      }),
      { numRuns: process.env['LONG'] === '1' ? 1000 : 30 },
    )
  })

  it('are the latest within the size limit, also when small changes make large versions', () => {
    const large: Event = { id: ID, streamIds: ['a'], type: 'note/txt', content: 'x'.repeat(10_000), time: 1, tags: [], created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }
    const recorder = createRecorder({ actor: '1'.repeat(32) })
    const changes = [recorder.created({ kind: 'event', item: large })]
    let docState: Uint8Array | undefined
    for (let n = 1; n < 20; n++) {
      const [before, item] = [{ ...large, modified: n }, { ...large, modified: n + 1 }]
      const edited = recorder.edited({ kind: 'event', item: before }, { kind: 'event', item }, { ...(docState === undefined ? {} : { docState }), initialChange: () => changes[0] as Uint8Array })
      docState = edited.docState
      changes.push(edited.change)
    }
    const modifiedIn = (size: number): unknown[] => (derived(changes, { size }) as { event: Event }[]).map(({ event }) => event.modified)
    expect(modifiedIn(50_000)).toEqual([16, 17, 18, 19])
    expect(modifiedIn(1e9)).toHaveLength(19)
    expect(modifiedIn(9_000)).toEqual([])
  })

  it('are none for an event that never changed', () => {
    const change = createRecorder({ actor: '1'.repeat(32) }).created({ kind: 'event', item: { id: ID, streamIds: ['a'], type: 'note/txt', time: 1, tags: [], created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' } })
    expect(derived([change])).toEqual([])
  })
})
