/** Notification scopes against a naive evaluation (test/support/oracles/naiveScopes.ts), with changes of all items. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JournalDetail, EntryAction, EntryKind, JournalEntry } from '../../src/store/engine/journal.js'
import type { Access, Level, StreamPermission } from '../../src/store/model/access.js'
import type { Event } from '../../src/store/model/event.js'
import { Failure } from '../../src/store/model/failure.js'
import { compileScope } from '../../src/store/model/permission.js'
import type { Stream } from '../../src/store/model/stream.js'
import { createSystemStreams } from '../../src/store/model/systemStreams.js'
import { createTree, type Tree } from '../../src/store/model/tree.js'
import { compileScopes, readScopes, type Holder, type ScopeMap } from '../../src/server/notifications/scopes.js'
import {
  naiveDrop,
  naiveMatch,
  naiveRefusal,
  type NaiveChange,
  type NaiveScope,
  type Permissions,
  type Parents,
} from '../support/oracles/naiveScopes.js'

const RUNS = process.env['LONG'] === '1' ? 5000 : 250
const own = Array.from({ length: 7 }, (_, i) => `s${i}`)
const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
const LEVELS: Level[] = ['none', 'read', 'create-only', 'contribute', 'manage']

const stream = fc.constantFrom(...own)
const member = fc.oneof({ weight: 4, arbitrary: stream }, { weight: 1, arbitrary: stream.map((id) => `${id}!`) })
const members = fc.uniqueArray(member, { minLength: 1, maxLength: 2 })
const permission = fc.record({ streamId: fc.oneof({ weight: 5, arbitrary: stream }, fc.constant('*')), level: fc.constantFrom(...LEVELS) })
const permissions: fc.Arbitrary<Permissions> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.array(permission, { maxLength: 5 }) },
  {
    weight: 3,
    arbitrary: fc.array(permission, { maxLength: 2 }).map((list) => [{ streamId: '*', level: 'read' as const }, ...list]),
  },
)

const streamsQuery = fc.oneof(
  members,
  fc.array(
    fc.oneof(
      fc.record({ any: members, all: members, not: members }, { requiredKeys: ['any'] }),
      fc.record({ any: fc.constant(['*']), not: members }, { requiredKeys: ['any'] }),
    ),
    { minLength: 1, maxLength: 2 },
  ),
)
const types = fc.uniqueArray(fc.constantFrom('mass/kg', 'mass/*', 'note/txt'), { minLength: 1, maxLength: 2 })
const content = fc.constantFrom([{ path: '$', gt: 1 }], [{ path: '$', lte: 1 }])
const scope: fc.Arbitrary<NaiveScope> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('events' as const),
      query: fc.record({ streams: streamsQuery, types, content }, { requiredKeys: [] }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('streams' as const),
      query: fc.record({ streams: members }, { requiredKeys: [] }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('accesses' as const),
      query: fc
        .record(
          { streams: members, types: fc.constantFrom(['app'], ['shared']), accessIds: fc.constantFrom(['c0'], ['c1']) },
          { requiredKeys: [] },
        )
        .filter((query) => Object.keys(query).length > 0),
    }),
  },
) as fc.Arbitrary<NaiveScope>

/** A step is drawn independently of the model, and interpreted when it is applied. */
const step = fc.record({
  what: fc.constantFrom('event', 'event', 'event', 'unevent', 'stream', 'stream', 'unstream', 'access', 'unaccess'),
  item: fc.nat({ max: 6 }),
  streams: fc.uniqueArray(stream, { minLength: 1, maxLength: 2 }),
  type: fc.constantFrom('mass/kg', 'mass/g', 'note/txt'),
  content: fc.nat({ max: 3 }),
  level: fc.constantFrom(...LEVELS),
  isRoot: fc.boolean(),
  trashed: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Account in memory, changed as the store changes one. */
class Model {
  readonly tree: Tree
  readonly events = new Map<string, Event>()
  readonly accesses = new Map<string, Access>()
  entries: JournalEntry[] = []
  changes: NaiveChange[] = []
  /** Streams that the changes of a group moved or added, with their former parents. */
  moved = new Map<string, string | null | undefined>()

  constructor(parents: Parents) {
    this.tree = createTree([...parents].map(([id, parentId]) => ({ id, name: id, parentId, ...tracking })))
  }

  get parents(): Map<string, string | null> {
    return new Map(own.flatMap((id) => (this.tree.has(id) ? [[id, this.tree.get(id)?.parentId ?? null]] : [])))
  }

  /** Returns the streams before the changes of a group, with those that were added since. */
  get former(): Parents {
    const parents = this.parents
    for (const [id, parentId] of this.moved) if (parentId !== undefined) parents.set(id, parentId)
    return parents
  }

  begin(): void {
    this.entries = []
    this.changes = []
    this.moved = new Map()
  }

  note(kind: EntryKind, action: EntryAction, id: string, about: JournalDetail): void {
    this.entries.push({ account: 'u', sequence: 1, kind, action, id, about })
  }

  putEvent(id: string, after: Event | undefined): void {
    const before = this.events.get(id)
    if (before === undefined && after === undefined) return
    if (after === undefined) this.events.delete(id)
    else this.events.set(id, after)
    const states = { ...(before && { before }), ...(after && { after }) }
    this.note('event', before === undefined ? 'create' : after === undefined ? 'delete' : 'update', id, { event: states })
    this.changes.push({ kind: 'event', states: Object.values(states) })
  }

  putAccess(id: string, after: Access | undefined): void {
    const before = this.accesses.get(id)
    if (before === undefined && after === undefined) return
    if (after === undefined) this.accesses.delete(id)
    else this.accesses.set(id, after)
    const states = { ...(before && { before }), ...(after && { after }) }
    this.note('access', before === undefined ? 'create' : after === undefined ? 'delete' : 'update', id, { access: states })
    this.changes.push({ kind: 'access', states: Object.values(states) })
  }

  putStream(id: string, after: Stream | undefined): void {
    const before = this.tree.get(id)
    if ((before === undefined && after === undefined) || this.moved.has(id)) return
    this.moved.set(id, before?.parentId)
    if (after === undefined) this.tree.remove(id)
    else this.tree.put(after)
    const states = { ...(before && { before }), ...(after && { after }) }
    this.note('stream', before === undefined ? 'create' : after === undefined ? 'delete' : 'update', id, { stream: states })
    this.changes.push({ kind: 'stream', id, parents: Object.values(states).map(({ parentId }) => parentId) })
  }

  take({ what, item, streams, ...drawn }: Step): void {
    const [first = 's0'] = streams
    const there = streams.filter((id) => this.tree.has(id))
    const trash = drawn.trashed ? { trashed: true as const } : {}
    if (what === 'event' && there.length > 0) {
      const { type, content } = drawn
      this.putEvent(`e${item}`, { id: `e${item}`, streamIds: there, type, content, time: 1, tags: [], ...trash, ...tracking })
    } else if (what === 'unevent') this.putEvent(`e${item}`, undefined)
    else if (what === 'access') {
      const granted: StreamPermission[] = streams.map((streamId) => ({ streamId, level: drawn.level }))
      const id = `c${item % 3}`
      this.putAccess(id, { id, type: item < 3 ? 'app' : 'shared', name: id, permissions: granted, ...tracking })
    } else if (what === 'unaccess') this.putAccess(`c${item % 3}`, undefined)
    else if (what === 'stream') {
      const id = `s${item}`
      const parentId = drawn.isRoot || !this.tree.has(first) || this.tree.isUnder(first, id) ? null : first
      this.putStream(id, { id, name: id, parentId, ...trash, ...tracking })
    } else if (what === 'unstream') this.dropStream(`s${item}`)
  }

  /** Removes a stream without children, and the events that are in no other stream. */
  dropStream(id: string): void {
    if (!this.tree.has(id) || this.tree.childrenOf(id).length > 0 || this.moved.has(id)) return
    for (const event of [...this.events.values()]) {
      if (!event.streamIds.includes(id)) continue
      const streamIds = event.streamIds.filter((one) => one !== id)
      this.putEvent(event.id, streamIds.length === 0 ? undefined : { ...event, streamIds })
    }
    this.putStream(id, undefined)
  }
}

const systemStreams = createSystemStreams([])

function holderOf(tree: Tree, permissionsNow: Permissions): Holder {
  const access: Access = { id: 'x', type: permissionsNow === null ? 'personal' : 'app', name: 'n', ...tracking }
  if (permissionsNow !== null) access.permissions = permissionsNow
  return { node: { systemStreams }, account: { tree }, caller: { access, scope: compileScope(access) } } as unknown as Holder
}

function refusalOf(holder: Holder, scopeInput: NaiveScope): string | undefined {
  try {
    readScopes(holder, { key: scopeInput })
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error.id
    throw error
  }
}

/** Up to seven streams; the parent of a stream comes before it. */
const parents: fc.Arbitrary<Parents> = fc
  .array(fc.option(fc.nat()), { minLength: 3, maxLength: own.length })
  .map((draws) => new Map(own.slice(0, draws.length).map((id, i) => [id, i === 0 || draws[i] == null ? null : `s${draws[i] % i}`])))

it('scopes match changes of items that match before or after, as far as the access may read them', () => {
  const groups = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 12 })
  const run = fc.property(
    parents,
    permissions,
    permissions,
    fc.array(scope, { minLength: 1, maxLength: 6 }),
    groups,
    fc.nat({ max: 12 }),
    (begin, first, second, scopes, steps, narrowedAt) => {
      const model = new Model(begin)
      let permissionsNow = first
      const map: ScopeMap = {}
      const kept = new Map<string, NaiveScope>()
      for (const [i, scopeInput] of scopes.entries()) {
        const refused = refusalOf(holderOf(model.tree, permissionsNow), scopeInput)
        expect(refused).toBe(naiveRefusal(scopeInput, permissionsNow, model.parents))
        if (refused !== undefined) continue
        map[`k${i}`] = scopeInput
        kept.set(`k${i}`, scopeInput)
      }
      let compiled = compileScopes(holderOf(model.tree, permissionsNow), map)
      expect(compiled.dropped).toEqual([])
      for (const [i, group] of steps.entries()) {
        if (i === narrowedAt) {
          permissionsNow = second === null || first === null ? first : second
          compiled = compileScopes(holderOf(model.tree, permissionsNow), map)
          const dropped = [...kept].filter(([, scopeInput]) => naiveDrop(scopeInput, permissionsNow, model.parents)).map(([key]) => key)
          expect(compiled.dropped).toEqual(dropped)
          for (const key of dropped) kept.delete(key)
        }
        model.begin()
        for (const one of group) model.take(one)
        const parentMaps = [model.former, model.parents]
        const expected = [...kept].filter(([, scopeInput]) =>
          model.changes.some((change) => naiveMatch(scopeInput, permissionsNow, change, parentMaps)),
        )
        expect(compiled.match(model.entries)).toEqual(expected.map(([key]) => key))
      }
    },
  )
  fc.assert(run, { numRuns: RUNS })
}, 600_000)
