import { hash } from 'node:crypto'
import * as Automerge from '@automerge/automerge'
import { describe, expect, it } from 'vitest'
import type { Event } from '../../../src/store/model/event.js'
import { isConflictFree } from '../../../src/sync/crdt/docState.js'
import { changeHash, createRecorder, materialise } from '../../../src/sync/crdt/document.js'
import { parseChange } from '../../../src/sync/crdt/parseChange.js'
import { fieldsToEvent, fieldsToStream } from '../../../src/sync/crdt/fields.js'
import { deflated } from '../changes.js'
import { asItem, event, HIGH, LOW, node, stream } from '../node.js'

const damaged = expect.objectContaining({ id: 'corrupted-data' }) as Error

const merged = (...changes: Uint8Array[]): Event => fieldsToEvent('e1', materialise(changes).fields)

describe('a created item', () => {
  it('is one change that sets every field and depends on nothing', () => {
    const change = createRecorder({ actor: LOW }).created(asItem(event))
    const { seq, startOp, time, deps, actor, ops } = Automerge.decodeChange(change)
    expect({ seq, startOp, time, deps, actor }).toEqual({ seq: 1, startOp: 1, time: 1700000000, deps: [], actor: LOW })
    expect(ops.every(({ action, pred }) => action === 'set' && pred.length === 0)).toBe(true)
    expect(merged(change)).toEqual(event)
  })

  it('writes times as doubles and positions as integers', () => {
    const { ops } = Automerge.decodeChange(createRecorder({ actor: LOW }).created(asItem({ ...event, time: 3 })))
    const types = Object.fromEntries(ops.map(({ key, datatype }) => [key, datatype]))
    expect(types).toMatchObject({ time: 'float64', created: 'float64', 's:heart': 'int' })
  })

  it('preserves doubles that the JSON reader of Automerge does not', () => {
    const time = 1700000000.1234567
    const duration = 3.0999999046325684
    const change = createRecorder({ actor: LOW }).created(asItem({ ...event, time, duration }))
    expect(materialise([change]).fields).toMatchObject({ time, duration })
  })

  it('may be a stream', () => {
    const change = createRecorder({ actor: LOW }).created({ kind: 'stream', item: stream })
    expect(fieldsToStream('s1', materialise([change]).fields)).toEqual(stream)
  })

  it('is never compressed, and its hash is that of its bytes', () => {
    const change = createRecorder({ actor: LOW }).created(asItem({ ...event, content: 'x'.repeat(100_000) }))
    expect(change.length).toBeGreaterThan(100_000)
    const expected = hash('sha256', change.subarray(8), 'hex')
    expect(changeHash(change)).toBe(expected)
    expect(Automerge.decodeChange(change).hash).toBe(expected)
  })

  it('does not share memory with the next one', () => {
    const recorder = createRecorder({ actor: LOW })
    const change = recorder.created(asItem(event))
    const copy = Uint8Array.from(change)
    recorder.created(asItem({ ...event, content: 'other' }))
    expect(change).toEqual(copy)
    expect(change.buffer.byteLength).toBe(change.length)
  })

  it('requires an actor of 32 hexadecimal digits', () => {
    expect(() => createRecorder({ actor: 'ABCD' })).toThrow(RangeError)
  })
})

describe('an edited item', () => {
  it('is a change of the changed keys, which names the operations that it replaces', () => {
    const here = node(LOW, { ...event, description: 'x' })
    const { description: _, ...without } = event
    const after = { ...without, content: 80, modified: 1700000100.9 }
    const { change } = createRecorder({ actor: HIGH }).edited(
      asItem({ ...event, description: 'x' }),
      asItem(after),
      { initialChange: () => here.changes[0] ?? new Uint8Array(0) },
    )
    const first = Automerge.decodeChange(here.changes[0] ?? new Uint8Array(0))
    const { ops, deps, startOp, seq, time } = Automerge.decodeChange(change)
    const setBy = (key: string): string => `${first.ops.findIndex((op) => op.key === key) + 1}@${LOW}`
    expect({ deps, startOp, seq, time }).toEqual({
      deps: [first.hash],
      startOp: first.ops.length + 1,
      seq: 1,
      time: 1700000100,
    })
    expect(ops).toMatchObject([
      { action: 'set', key: 'body', pred: [setBy('body')] },
      { action: 'set', key: 'modified', pred: [setBy('modified')] },
      { action: 'del', key: 'description', pred: [setBy('description')] },
    ])
  })

  it('continues the sequence of the actor, and a new actor begins at 1', () => {
    const here = node(LOW, event)
    const seqs = [here.edit({ time: 1 }), here.edit({ time: 2 })].map((change) => parseChange(change).seq)
    expect(seqs).toEqual([2, 3])
    const restarted = createRecorder({ actor: HIGH })
    const docState = here.docState() ?? new Uint8Array(0)
    const { change } = restarted.edited(asItem(event), asItem({ ...event, time: 9 }), { docState, initialChange: () => docState })
    expect(parseChange(change)).toMatchObject({ actor: HIGH, seq: 1 })
  })

  it('reads the initial change only without document state', () => {
    const here = node(LOW, event)
    here.edit({ time: 1 })
    const docState = here.docState() ?? new Uint8Array(0)
    const first = (): never => {
      throw new Error('read')
    }
    const recorder = createRecorder({ actor: LOW })
    const { change } = recorder.edited(asItem(event), asItem({ ...event, time: 2 }), { docState, initialChange: first })
    expect(merged(...here.changes, change).time).toBe(2)
  })

  it('is a valid change when nothing changed', () => {
    const here = node(LOW, event)
    here.edit({})
    here.edit({ time: 1 })
    expect(merged(...here.changes)).toEqual({ ...event, time: 1 })
  })

  it('preserves the document where the repair shows another value', () => {
    const recorder = createRecorder({ actor: LOW })
    const first = recorder.created(asItem({ ...event, streamIds: ['gone'] }))
    const shown = { ...event, streamIds: ['recovered'] }
    const { change, docState } = recorder.edited(asItem(shown), asItem({ ...shown, time: 1 }), { initialChange: () => first })
    expect(merged(first, change)).toMatchObject({ streamIds: ['gone'], time: 1 })
    const elsewhere = asItem({ ...shown, streamIds: ['heart'] })
    const moved = recorder.edited(asItem(shown), elsewhere, { docState, initialChange: () => first })
    expect(merged(first, change, moved.change).streamIds).toContain('heart')
    expect(materialise([first, change, moved.change]).docState).toEqual(moved.docState)
  })

  it('cannot be made with a damaged document state, or with an erased initial change', () => {
    const here = node(LOW, event)
    here.edit({ time: 1 })
    const docState = here.docState() ?? new Uint8Array(0)
    const edit = (prior: { docState?: Uint8Array }): unknown =>
      createRecorder({ actor: LOW }).edited(asItem(event), asItem(event), { ...prior, initialChange: () => new Uint8Array(0) })
    expect(() => edit({})).toThrow(damaged)
    for (let end = 0; end < docState.length; end++) expect(() => edit({ docState: docState.subarray(0, end) })).toThrow(damaged)
    expect(() => edit({ docState: Uint8Array.from([...docState, 0]) })).toThrow(damaged)
  })
})

describe('concurrent edits', () => {
  const fork = (first: Event, one: Partial<Event>, other: Partial<Event>): { all: Uint8Array[]; shows: Event } => {
    const low = node(LOW, first)
    const high = node(HIGH, first, low.changes[0])
    const all = [...low.changes, low.edit(one), high.edit(other)]
    const shows = merged(...all)
    expect(merged(...all.toReversed())).toEqual(shows)
    return { all, shows }
  }

  it('are both kept when they change different fields', () => {
    const { all, shows } = fork(event, { time: 1 }, { description: 'x' })
    expect(shows).toMatchObject({ time: 1, description: 'x' })
    expect(isConflictFree(materialise(all).docState)).toBe(true)
  })

  it('are listed as a conflict when they change the same field, and the next edit resolves it', () => {
    const { all, shows } = fork(event, { time: 1 }, { time: 2 })
    const { conflicts, docState } = materialise(all)
    expect(conflicts).toEqual({ time: [1, 2] })
    expect(shows.time).toBe(2)
    expect(isConflictFree(docState)).toBe(false)
    const recorder = createRecorder({ actor: LOW })
    const settled = recorder.edited(asItem(shows), asItem({ ...shows, time: 3 }), { docState, initialChange: () => docState })
    expect(materialise([...all, settled.change])).toMatchObject({ fields: { time: 3 }, conflicts: {} })
    expect(isConflictFree(settled.docState)).toBe(true)
  })

  it('never combine the type of one with the content of another', () => {
    const { shows } = fork(event, { type: 'note/txt', content: 'x' }, { content: 80 })
    expect([['note/txt', 'x'], ['mass/kg', 80]]).toContainEqual([shows.type, shows.content])
  })

  it('are both kept when they add and remove streams, tags, attachments and client data', () => {
    const file = (id: string) => ({ id, fileName: id, type: 'text/plain', size: 1 })
    const full = {
      ...event,
      streamIds: ['a', 'b'],
      tags: ['x', 'y'],
      attachments: [file('f1'), file('f2')],
      clientData: { one: 1, two: 2 },
    }
    const { shows } = fork(
      full,
      { streamIds: ['b'], tags: ['y'], attachments: [file('f2')], clientData: { two: 2 } },
      {
        streamIds: ['a', 'b', 'c'],
        tags: ['x', 'y', 'z'],
        attachments: [file('f1'), file('f2'), file('f3')],
        clientData: { one: 1, two: 2, three: 3 },
      },
    )
    expect(shows).toMatchObject({ streamIds: ['b', 'c'], tags: ['y', 'z'], clientData: { two: 2, three: 3 } })
    expect(shows.attachments?.map(({ id }) => id)).toEqual(['f2', 'f3'])
  })

  it('are both kept when each removes another stream', () => {
    const three = { ...event, streamIds: ['a', 'b', 'c'] }
    const { shows } = fork(three, { streamIds: ['b', 'c'] }, { streamIds: ['a', 'c'] })
    expect(shows.streamIds).toEqual(['c'])
  })

  it('merge two items that were created with one id', () => {
    const one = createRecorder({ actor: LOW }).created(asItem({ ...event, tags: ['x'] }))
    const other = createRecorder({ actor: HIGH }).created(asItem({ ...event, time: 1, tags: ['y'] }))
    expect(merged(one, other)).toMatchObject({ time: 1, tags: ['x', 'y'] })
  })
})

describe('materialise', () => {
  it('returns an empty document for no changes', () => {
    expect(materialise([])).toMatchObject({ fields: {}, heads: [], conflicts: {}, missing: [] })
  })

  it('reports missing changes and applies the rest', () => {
    const here = node(LOW, event)
    here.edit({ time: 1 })
    here.edit({ time: 2 })
    const [first = new Uint8Array(0), second = new Uint8Array(0), third = new Uint8Array(0)] = here.changes
    expect(materialise([third])).toMatchObject({ fields: {}, heads: [], missing: [changeHash(second)] })
    const { fields, heads, missing, docState } = materialise([third, first])
    expect(fields['time']).toBe(12.5)
    expect(heads).toEqual([changeHash(first)])
    expect(missing).toEqual([changeHash(second)])
    expect(docState).toEqual(materialise([first]).docState)
  })

  it('accepts compressed changes under the hash of their plain form', () => {
    const change = createRecorder({ actor: LOW }).created(asItem({ ...event, content: 'x'.repeat(1000) }))
    const compressed = deflated(change)
    expect(compressed.length).toBeLessThan(change.length / 2)
    expect(Automerge.decodeChange(compressed).hash).toBe(changeHash(change))
    expect(parseChange(compressed)).toEqual(parseChange(change))
    expect(materialise([compressed])).toEqual(materialise([change]))
    expect(materialise([compressed, change])).toEqual(materialise([change]))
  })

  it('merges changes of Automerge itself, and continues from them', () => {
    const here = node(LOW, event)
    const [doc] = Automerge.applyChanges(Automerge.init<Record<string, unknown>>({ actor: HIGH }), here.changes)
    const edited = Automerge.change(doc, (fields) => {
      fields['description'] = new Automerge.ImmutableString('x')
      fields['time'] = new Automerge.Float64(4)
    })
    const all = Automerge.getAllChanges(edited)
    const { docState, fields } = materialise(all)
    expect(fields).toMatchObject({ description: 'x', time: 4 })
    const shows = merged(...all)
    const recorder = createRecorder({ actor: LOW })
    const next = recorder.edited(asItem(shows), asItem({ ...shows, time: 5 }), { docState, initialChange: () => docState })
    expect(parseChange(next.change)).toMatchObject({ seq: 2, deps: Automerge.getHeads(edited) })
    const [after] = Automerge.applyChanges(edited, [next.change])
    expect(after['time']).toBe(5)
  })

  it('inflates no more than the maximum size of a change', () => {
    const change = createRecorder({ actor: LOW }).created(asItem(event))
    const bomb = deflated(Uint8Array.from(Buffer.concat([change, Buffer.alloc(80 * 1024 * 1024)])))
    expect(bomb.length).toBeLessThan(100_000)
    expect(() => materialise([bomb])).toThrow('cannot be decompressed')
  })

  it('refuses two changes of one actor with one sequence number', () => {
    const first = createRecorder({ actor: LOW }).created(asItem(event))
    const other = createRecorder({ actor: LOW }).created(asItem({ ...event, time: 1 }))
    expect(() => materialise([first, other])).toThrow(damaged)
  })

  it('refuses a map that is overwritten', () => {
    const doc = Automerge.from<Record<string, unknown>>({ time: { nested: 1 } })
    const flat = Automerge.change(doc, (fields) => {
      fields['time'] = new Automerge.Float64(1)
    })
    expect(() => materialise(Automerge.getAllChanges(flat))).toThrow(damaged)
  })

  it.each<[string, unknown]>([
    ['a map', {}],
    ['a list', [1]],
    ['a text that can be edited', 'x'],
    ['bytes', new Uint8Array(3)],
    ['a date', new Date(0)],
    ['a counter', new Automerge.Counter(1)],
  ])('refuses %s', (_, value) => {
    const doc = Automerge.change(Automerge.init<Record<string, unknown>>(), (fields) => {
      fields['time'] = value
    })
    expect(() => materialise(Automerge.getAllChanges(doc))).toThrow(damaged)
  })
})
