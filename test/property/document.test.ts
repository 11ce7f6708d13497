import { hash } from 'node:crypto'
import * as Automerge from '@automerge/automerge'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChangeRecorder, Item } from '../../src/store/engine/changeRecorder.js'
import { decodeDocState, isConflictFree, type VisibleOp } from '../../src/sync/crdt/docState.js'
import { changeHash, createRecorder, materialise } from '../../src/sync/crdt/document.js'
import type { FieldValue } from '../../src/sync/crdt/encodeChange.js'
import { fieldsToItem, type Fields } from '../../src/sync/crdt/fields.js'
import { itemOf, kindOf, mixed } from '../sync/items.js'

const IDS = ['e1', 'e2', 's1', 'public'] as const
type Id = (typeof IDS)[number]

const replica = fc.nat({ max: 3 })
const id = fc.constantFrom(...IDS)
const edits = fc.record({
  does: fc.constant('edit' as const),
  who: replica,
  id,
  items: fc.record({ e1: itemOf('e1'), e2: itemOf('e2'), s1: itemOf('s1'), public: itemOf('public') }),
  picks: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
})
const sends = fc.record({
  does: fc.constant('send' as const),
  who: replica,
  to: replica,
  id,
  kept: fc.array(fc.boolean(), { maxLength: 4 }),
})
const restarts = fc.record({ does: fc.constant('restart' as const), who: replica })
const history = fc.record({
  replicas: fc.integer({ min: 2, max: 4 }),
  /** Which actors there are: their order decides between edits that meet. */
  actors: fc.nat(),
  steps: fc.array(
    fc.oneof({ weight: 4, arbitrary: edits }, { weight: 4, arbitrary: sends }, { weight: 1, arbitrary: restarts }),
    { minLength: 4, maxLength: 24 },
  ),
  order: fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never
type Step = History['steps'][number]

/** A copy of an item as a node keeps it: its changes, what it shows, and, after an edit or a merge, its bookkeeping. */
interface Copy {
  changes: Map<string, Uint8Array>
  shows?: Item
  docState?: Uint8Array
}

const toItem = (itemId: Id, fields: Fields): Item => fieldsToItem(kindOf(itemId), itemId, fields)

/** What Automerge makes of changes: values, conflicts, heads, missing changes. */
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
    return all === undefined ? [] : [[key, Object.entries(all).sort(byOperation).map(([, value]) => plain(value))]]
  })
  const seen = {
    fields: Object.fromEntries(keys.map((key) => [key, plain(doc[key])])),
    conflicts: Object.fromEntries(conflicts) as object,
    heads: Automerge.getHeads(doc).sort(),
    missing: Automerge.getMissingDeps(doc, []).sort(),
  }
  return { doc, seen }
}

/** The bookkeeping by its definition: a key shows the operations that set it and that no other replaced. */
function naiveBook(changes: Uint8Array[]): { maxOp: number; seqs: object; shown: object } {
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

function plainBook(bytes: Uint8Array): { maxOp: number; seqs: object; shown: object } {
  const { maxOp, seqs, visibleOps: shown } = decodeDocState(bytes)
  const idsOf = ({ operations }: VisibleOp): string[] => operations.map((id) => `${id.counter}@${id.actor}`).sort()
  const byKey = [...shown].map(([key, all]) => [key, idsOf(all)])
  return { maxOp, seqs: Object.fromEntries(seqs), shown: Object.fromEntries(byKey) as object }
}

type Edit = Extract<Step, { does: 'edit' }>
type Send = Extract<Step, { does: 'send' }>

/** Creates or edits an item, and checks what the recorder gives. */
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

/** Some changes of one copy arrive at another; what lacks others waits there. */
function send(from: Copy, to: Copy, { id: itemId, kept }: Send): void {
  const before = to.changes.size
  let i = 0
  for (const [hash, change] of from.changes) if (kept[i++] ?? true) to.changes.set(hash, change)
  if (to.changes.size === before) return
  const { fields, docState } = materialise([...to.changes.values()])
  if (Object.keys(fields).length === 0) return
  to.docState = docState
  to.shows = toItem(itemId, fields)
}

/** Plays a history; answers all changes that were made, by item. */
function play({ replicas, actors, steps }: History): Map<Id, Uint8Array[]> {
  let starts = 0
  const start = (): ChangeRecorder => createRecorder({ actor: hash('sha256', `${actors}/${starts++}`).slice(0, 32) })
  const nodes = Array.from({ length: replicas }, () => ({ recorder: start(), copies: new Map<Id, Copy>() }))
  const nodeAt = (who: number): (typeof nodes)[number] => {
    const node = nodes[who % replicas]
    if (node === undefined) throw new Error('no such replica')
    return node
  }
  const copyAt = (who: number, itemId: Id): Copy => {
    const { copies } = nodeAt(who)
    const copy = copies.get(itemId) ?? { changes: new Map<string, Uint8Array>() }
    copies.set(itemId, copy)
    return copy
  }
  for (const asked of steps) {
    if (asked.does === 'restart') nodeAt(asked.who).recorder = start()
    else if (asked.does === 'edit') edit(copyAt(asked.who, asked.id), nodeAt(asked.who).recorder, asked)
    else send(copyAt(asked.who, asked.id), copyAt(asked.to, asked.id), asked)
  }
  return new Map(
    IDS.map((itemId) => {
      const all = nodes.flatMap(({ copies }) => [...(copies.get(itemId)?.changes ?? [])])
      return [itemId, [...new Map(all).values()]]
    }),
  )
}

describe('changes of several actors', () => {
  it('amount to what Automerge makes of them, in any order, twice or in part', () => {
    let met = 0
    let lacking = 0
    fc.assert(
      fc.property(history, (asked) => {
        for (const [, changes] of play(asked)) {
          if (changes.length === 0) continue
          const shuffled = changes
            .map((change, i) => ({ change, turn: asked.order[i % asked.order.length] ?? 0 }))
            .sort((a, b) => a.turn - b.turn)
            .map(({ change }) => change)
          const { doc, seen } = byAutomerge(shuffled)
          const { docState, ...shown } = materialise([...shuffled, ...changes.slice(0, 3)])
          expect(shown).toEqual({ ...seen, missing: [] })
          expect(plainBook(docState)).toEqual(naiveBook(changes))
          expect(decodeDocState(docState).heads).toEqual(shown.heads)
          expect(isConflictFree(docState)).toBe(Object.keys(shown.conflicts).length === 0)
          if (!isConflictFree(docState)) met++

          // Automerge takes changes apart when it saves: only changes written its own way come back with their hashes.
          const loaded = Automerge.load<Fields>(Automerge.save(doc))
          expect(Automerge.getHeads(loaded).sort()).toEqual(shown.heads)
          expect(materialise(Automerge.getAllChanges(loaded))).toEqual({ ...shown, docState })

          const part = shuffled.slice(0, Math.ceil(shuffled.length / 2))
          const { docState: _, ...shownOfPart } = materialise(part)
          expect(shownOfPart).toEqual(byAutomerge(part).seen)
          if (shownOfPart.missing.length > 0) lacking++
        }
      }),
      { numRuns: 200 },
    )
    // The histories are only worth something when edits meet and changes go missing in them.
    expect(met).toBeGreaterThan(20)
    expect(lacking).toBeGreaterThan(20)
  })
})
