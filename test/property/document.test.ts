import { hash } from 'node:crypto'
import * as Automerge from '@automerge/automerge'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChangeRecorder, Item } from '../../src/store/engine/changeRecorder.js'
import { decodeDocState, isConflictFree, type VisibleOp } from '../../src/sync/crdt/docState.js'
import { changeHash, createRecorder, materialise } from '../../src/sync/crdt/document.js'
import type { FieldValue, OpId } from '../../src/sync/crdt/encodeChange.js'
import { fieldsToItem, type Fields } from '../../src/sync/crdt/fields.js'
import { itemOf, kindOf, mixed } from '../sync/items.js'
import { runs } from '../support/oracles/runs.js'

const IDS = ['e1', 'e2', 's1', 'public'] as const
type Id = (typeof IDS)[number]

const replica = fc.nat({ max: 3 })
const id = fc.constantFrom(...IDS)
const edits = fc.record({
  action: fc.constant('edit' as const),
  index: replica,
  id,
  items: fc.record({ e1: itemOf('e1'), e2: itemOf('e2'), s1: itemOf('s1'), public: itemOf('public') }),
  picks: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
})
const sends = fc.record({
  action: fc.constant('send' as const),
  index: replica,
  to: replica,
  id,
  delivered: fc.array(fc.boolean(), { maxLength: 4 }),
})
const restarts = fc.record({ action: fc.constant('restart' as const), index: replica })
const history = fc.record({
  replicas: fc.integer({ min: 2, max: 4 }),
  /** Seed of the actors: their order decides conflicts. */
  actors: fc.nat(),
  steps: fc.array(
    fc.oneof({ weight: 4, arbitrary: edits }, { weight: 4, arbitrary: sends }, { weight: 1, arbitrary: restarts }),
    { minLength: 4, maxLength: 24 },
  ),
  order: fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never
type Step = History['steps'][number]

/** Copy of an item on a node: its changes, its value, and, after an edit or a merge, its document state. */
interface Copy {
  changes: Map<string, Uint8Array>
  shows?: Item
  docState?: Uint8Array
}

const toItem = (itemId: Id, fields: Fields): Item => fieldsToItem(kindOf(itemId), itemId, fields)

/** Returns values, conflicts with their operations, heads and missing changes as Automerge computes them. */
function byAutomerge(changes: Uint8Array[]): { doc: Automerge.Doc<Fields>; seen: object } {
  const [doc] = Automerge.applyChanges(Automerge.init<Fields>(), changes)
  const plain = (value: unknown): FieldValue => {
    if (Automerge.isImmutableString(value)) return value.toString()
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as FieldValue
    throw new Error(`unexpected ${typeof value}`)
  }
  const keys = Object.keys(doc)
  const byOperation = ([a]: [string, unknown], [b]: [string, unknown]): number => {
    const [x = '', actorX = ''] = a.split('@')
    const [y = '', actorY = ''] = b.split('@')
    return Number(x) - Number(y) || (actorX < actorY ? -1 : 1)
  }
  const conflicts = keys.flatMap((key) => {
    const all = Automerge.getConflicts(doc, key)
    return all === undefined ? [] : [[key, Object.entries(all).sort(byOperation)] as const]
  })
  const operationOf = (text: string): OpId => {
    const [counter = '', actor = ''] = text.split('@')
    return { counter: Number(counter), actor }
  }
  const seen = {
    fields: Object.fromEntries(keys.map((key) => [key, plain(doc[key])])),
    conflicts: Object.fromEntries(conflicts.map(([key, all]) => [key, all.map(([, value]) => plain(value))])),
    conflictOps: Object.fromEntries(conflicts.map(([key, all]) => [key, all.map(([operation]) => operationOf(operation))])),
    heads: Automerge.getHeads(doc).sort(),
    missing: Automerge.getMissingDeps(doc, []).sort(),
  }
  return { doc, seen }
}

/** Computes the document state by its definition: the operations of each key that no other replaced. */
function naiveDocState(changes: Uint8Array[]): { maxOp: number; seqs: object; shown: object } {
  const decoded = changes.map((change) => Automerge.decodeChange(change))
  const replaced = new Set(decoded.flatMap(({ ops }) => ops.flatMap(({ pred }) => pred)))
  const seqs: Record<string, number> = {}
  const shown: Record<string, string[]> = {}
  let maxOp = 0
  for (const { actor, seq, startOp, ops } of decoded) {
    seqs[actor] = Math.max(seq, seqs[actor] ?? 0)
    ops.forEach(({ action, key }, i) => {
      const operation = `${startOp + i}@${actor}`
      maxOp = Math.max(maxOp, startOp + i)
      if (action === 'set' && !replaced.has(operation)) (shown[key] ??= []).push(operation)
    })
  }
  for (const operations of Object.values(shown)) operations.sort()
  return { maxOp, seqs, shown }
}

function plainDocState(bytes: Uint8Array): { maxOp: number; seqs: object; shown: object } {
  const { maxOp, seqs, visibleOps: shown } = decodeDocState(bytes)
  const idsOf = ({ operations }: VisibleOp): string[] => operations.map((id) => `${id.counter}@${id.actor}`).sort()
  const byKey = [...shown].map(([key, all]) => [key, idsOf(all)])
  return { maxOp, seqs: Object.fromEntries(seqs), shown: Object.fromEntries(byKey) as object }
}

type Edit = Extract<Step, { action: 'edit' }>
type Send = Extract<Step, { action: 'send' }>

/** Creates or edits an item, and checks the results of the recorder. */
function edit(copy: Copy, recorder: ChangeRecorder, { id: itemId, items, picks }: Edit): void {
  const before = copy.shows
  const after = before === undefined ? items[itemId] : mixed(before, items[itemId], picks)
  const earlier = [...copy.changes.values()]
  const [first = new Uint8Array(0)] = earlier
  let change
  if (before === undefined) {
    change = recorder.created(after)
    if (earlier.length > 0) copy.docState = materialise([...earlier, change]).docState
  } else {
    const prior = { ...(copy.docState === undefined ? {} : { docState: copy.docState }), initialChange: () => first }
    const edited = recorder.edited(before, after, prior)
    change = edited.change
    copy.docState = edited.docState
  }
  copy.changes.set(changeHash(change), change)
  copy.shows = after

  const merged = materialise([change, ...earlier])
  const { seen } = byAutomerge([...earlier, change])
  expect(merged).toEqual({ ...seen, docState: copy.docState ?? merged.docState })
  expect(toItem(itemId, merged.fields)).toEqual(after)
}

/** Sends some changes of one copy to another; those with missing dependencies wait there. */
function send(from: Copy, to: Copy, { id: itemId, delivered }: Send): void {
  const before = to.changes.size
  let i = 0
  for (const [hash, change] of from.changes) if (delivered[i++] ?? true) to.changes.set(hash, change)
  if (to.changes.size === before) return
  const { fields, docState } = materialise([...to.changes.values()])
  if (Object.keys(fields).length === 0) return
  to.docState = docState
  to.shows = toItem(itemId, fields)
}

/** Simulates a history; returns all changes by item. */
function simulate({ replicas, actors, steps }: History): Map<Id, Uint8Array[]> {
  let starts = 0
  const start = (): ChangeRecorder => createRecorder({ actor: hash('sha256', `${actors}/${starts++}`).slice(0, 32) })
  const nodes = Array.from({ length: replicas }, () => ({ recorder: start(), copies: new Map<Id, Copy>() }))
  const nodeAt = (index: number): (typeof nodes)[number] => {
    const node = nodes[index % replicas]
    if (node === undefined) throw new Error('no such replica')
    return node
  }
  const copyAt = (index: number, itemId: Id): Copy => {
    const { copies } = nodeAt(index)
    const copy = copies.get(itemId) ?? { changes: new Map<string, Uint8Array>() }
    copies.set(itemId, copy)
    return copy
  }
  for (const step of steps) {
    if (step.action === 'restart') nodeAt(step.index).recorder = start()
    else if (step.action === 'edit') edit(copyAt(step.index, step.id), nodeAt(step.index).recorder, step)
    else send(copyAt(step.index, step.id), copyAt(step.to, step.id), step)
  }
  return new Map(
    IDS.map((itemId) => {
      const all = nodes.flatMap(({ copies }) => [...(copies.get(itemId)?.changes ?? [])])
      return [itemId, [...new Map(all).values()]]
    }),
  )
}

describe('changes of several actors', () => {
  it('merge as in Automerge, in any order, repeatedly or in part', () => {
    let conflicting = 0
    let missing = 0
    fc.assert(
      fc.property(history, (drawn) => {
        for (const [, changes] of simulate(drawn)) {
          if (changes.length === 0) continue
          const shuffled = changes
            .map((change, i) => ({ change, turn: drawn.order[i % drawn.order.length] ?? 0 }))
            .sort((a, b) => a.turn - b.turn)
            .map(({ change }) => change)
          const { doc, seen } = byAutomerge(shuffled)
          const { docState, ...shown } = materialise([...shuffled, ...changes.slice(0, 3)])
          expect(shown).toEqual({ ...seen, missing: [] })
          expect(plainDocState(docState)).toEqual(naiveDocState(changes))
          expect(decodeDocState(docState).heads).toEqual(shown.heads)
          expect(isConflictFree(docState)).toBe(Object.keys(shown.conflicts).length === 0)
          if (!isConflictFree(docState)) conflicting++

          // Automerge decomposes changes when it saves: only changes in its own encoding keep their hashes.
          const loaded = Automerge.load<Fields>(Automerge.save(doc))
          expect(Automerge.getHeads(loaded).sort()).toEqual(shown.heads)
          expect(materialise(Automerge.getAllChanges(loaded))).toEqual({ ...shown, docState })

          const part = shuffled.slice(0, Math.ceil(shuffled.length / 2))
          const { docState: _, ...shownOfPart } = materialise(part)
          expect(shownOfPart).toEqual(byAutomerge(part).seen)
          if (shownOfPart.missing.length > 0) missing++
        }
      }),
      { numRuns: runs(100) },
    )
    // Checks that the histories have conflicts and missing changes.
    expect(conflicting).toBeGreaterThan(20)
    expect(missing).toBeGreaterThan(20)
  })
})
