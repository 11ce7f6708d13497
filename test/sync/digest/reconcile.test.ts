import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { itemHash, textElement, type DigestElement } from '../../../src/store/model/digestElement.js'
import type { ItemRef } from '../../../src/sync/wire/entry.js'
import { createReconciler, ReconciliationDamaged, type Reconciler } from '../../../src/sync/digest/reconcile.js'
import type { ItemSet } from '../../../src/sync/wire/itemSet.js'
import { bucketOf, BucketDigests } from '../../../src/sync/digest/buckets.js'

/** Set of items in memory, with a text as the state of each. */
class MemorySet implements ItemSet {
  readonly #sums = new BucketDigests()
  readonly #buckets = new Map<number, Map<string, DigestElement>>()

  set(id: string, text: string | undefined): void {
    const item = `e${id}`
    const bucket = this.#buckets.get(bucketOf(item)) ?? new Map<string, DigestElement>()
    this.#buckets.set(bucketOf(item), bucket)
    const former = bucket.get(id)
    if (former !== undefined) this.#sums.toggle(bucketOf(item), former)
    bucket.delete(id)
    if (text === undefined) return
    const state = textElement(item, text)
    bucket.set(id, state)
    this.#sums.toggle(bucketOf(item), state)
  }

  digest(): ReturnType<ItemSet['digest']> {
    return Promise.resolve({ state: this.#sums.sum(0, 65536), sequence: 0 })
  }

  parts(prefix: string): Promise<DigestElement[]> {
    return Promise.resolve(this.#sums.parts(prefix))
  }

  items(prefix: string): Promise<{ item: ItemRef; state: DigestElement }[]> {
    const bucket = this.#buckets.get(Number.parseInt(prefix, 16)) ?? []
    return Promise.resolve([...bucket].map(([id, state]) => ({ item: { kind: 'event', id }, state })))
  }
}

interface Outcome {
  a: Set<string>
  b: Set<string>
  bytes: number
  /** Number of waits of a side for the other. */
  turns: number
}

/** Runs a reconciliation; `meanwhile` is called before each message is received. */
async function reconcile(a: ItemSet, b: ItemSet, meanwhile = (): void => {}): Promise<Outcome> {
  const sides: [Reconciler, Reconciler] = [createReconciler(a), createReconciler(b)]
  const found: [Set<string>, Set<string>] = [new Set(), new Set()]
  const isDone = [false, false]
  let messages = [await sides[0].start()]
  let to = 1
  let bytes = 0
  let turns = 0
  while (messages.length > 0) {
    turns += 1
    const replies: Uint8Array[] = []
    for (const message of messages) {
      meanwhile()
      bytes += message.length
      const side = sides[to] as Reconciler
      // Over a wire, each message has a buffer of its own.
      const answer = await side.receive(Uint8Array.from(message))
      for (const { id } of answer.differing) found[to]?.add(id)
      expect(isDone[to]).toBe(false)
      isDone[to] = answer.done
      replies.push(...answer.replies)
    }
    messages = replies
    to = 1 - to
  }
  expect(isDone).toEqual([true, true])
  return { a: found[0], b: found[1], bytes, turns }
}

/** Returns the items of `a` that are missing or different in `b`. */
const without = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): Set<string> =>
  new Set([...a].filter(([id, text]) => b.get(id) !== text).map(([id]) => id))

function setOf(items: ReadonlyMap<string, string>): MemorySet {
  const set = new MemorySet()
  for (const [id, text] of items) set.set(id, text)
  return set
}

const seeded = (): number => {
  const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31 - 1))
  return seed
}

/** The two copies of each item, by number; -1: missing. */
const copies = fc.record({
  common: fc.constantFrom(0, 3, 60, 70, 500, 3000),
  edits: fc.array(fc.tuple(fc.nat({ max: 3200 }), fc.integer({ min: -1, max: 2 }), fc.integer({ min: -1, max: 2 })), {
    maxLength: 80,
  }),
  swapped: fc.boolean(),
})

function copiesOf({ common, edits, swapped }: { common: number; edits: [number, number, number][]; swapped: boolean }) {
  const a = new Map<string, string>()
  const b = new Map<string, string>()
  for (let i = 0; i < common; i++) for (const one of [a, b]) one.set(`i${i}`, 'same')
  for (const [i, mine, theirs] of edits) {
    for (const [set, text] of [[a, mine], [b, theirs]] as const) {
      if (text < 0) set.delete(`i${i}`)
      else set.set(`i${i}`, String(text))
    }
  }
  return swapped ? ([b, a] as const) : ([a, b] as const)
}

describe('a reconciliation', () => {
  it('finds the same differences as a comparison of all items', async () => {
    await fc.assert(
      fc.asyncProperty(copies, async (spec) => {
        const [a, b] = copiesOf(spec)
        const found = await reconcile(setOf(a), setOf(b))
        expect(found.a).toEqual(without(a, b))
        expect(found.b).toEqual(without(b, a))
      }),
      { seed: seeded(), numRuns: process.env['LONG'] === undefined ? 40 : 2000 },
    )
  })

  it('finds all differences of unchanged items while others change', async () => {
    const changes = fc.array(fc.tuple(fc.nat({ max: 3200 }), fc.boolean(), fc.nat({ max: 9 })), { maxLength: 100 })
    await fc.assert(
      fc.asyncProperty(copies, changes, async (spec, edits) => {
        const [a, b] = copiesOf(spec)
        const [setA, setB] = [setOf(a), setOf(b)]
        const edited = new Set<string>()
        const pending = [...edits]
        const found = await reconcile(setA, setB, () => {
          for (const [i, inA, text] of pending.splice(0, 10)) {
            ;(inA ? setA : setB).set(`i${i}`, text === 0 ? undefined : `new ${text}`)
            edited.add(`i${i}`)
          }
        })
        for (const id of without(a, b)) if (!edited.has(id)) expect(found.a).toContain(id)
        for (const id of without(b, a)) if (!edited.has(id)) expect(found.b).toContain(id)
      }),
      { seed: seeded(), numRuns: process.env['LONG'] === undefined ? 40 : 2000 },
    )
  })

  it('sends bytes in proportion to the differences, not to the items', async () => {
    const count = process.env['LONG'] === undefined ? 100_000 : 1_000_000
    const a = new MemorySet()
    const b = new MemorySet()
    for (let i = 0; i < count; i++) {
      a.set(`cjx0000000000000000${i}`, 'same')
      b.set(`cjx0000000000000000${i}`, 'same')
    }
    expect(await reconcile(a, b)).toMatchObject({ a: new Set(), b: new Set(), turns: 2 })
    for (let i = 0; i < 100; i++) {
      a.set(`cjx0000000000000000${i * 97}`, 'other')
      b.set(`new${i}`, 'one')
    }
    const { a: ofA, b: ofB, bytes, turns } = await reconcile(a, b)
    console.log(`${count} items, 200 of which differ: ${bytes} bytes in ${turns} turns`)
    expect(ofA.size).toBe(100)
    expect(ofB.size).toBe(200)
    expect(bytes).toBeLessThan(100_000)
    expect(turns).toBe(5)
  })

  it('takes two turns for small sets', async () => {
    const few = setOf(new Map([['x', '1'], ['y', '2']]))
    const none = new MemorySet()
    expect(await reconcile(few, none)).toMatchObject({ a: new Set(['x', 'y']), b: new Set(), turns: 2 })
    expect(await reconcile(none, few)).toMatchObject({ a: new Set(), b: new Set(['x', 'y']), turns: 2 })
    expect(await reconcile(none, none)).toMatchObject({ a: new Set(), b: new Set(), turns: 2 })
  })
})

describe('invalid messages of a reconciliation', () => {
  const many = setOf(new Map(Array.from({ length: 3000 }, (_, i) => [`i${i}`, 'same'])))
  const refused = async (messages: Uint8Array[]): Promise<void> => {
    const side = createReconciler(many)
    for (const message of messages.slice(0, -1)) await side.receive(message)
    await expect(side.receive(messages.at(-1) as Uint8Array)).rejects.toThrow(ReconciliationDamaged)
  }
  const head = (step: number, last = 1): number[] => [1, step, last]
  const bytes = (...parts: (number | number[])[]): Uint8Array => Uint8Array.from(parts.flat())
  const zeros = (length: number): number[] => Array.from({ length }, () => 0)
  const parts = bytes(head(0), zeros(2048))

  for (const [name, messages] of Object.entries<Uint8Array[]>({
    'nothing': [bytes()],
    'another version': [bytes(2, 0, 1)],
    'an unknown step': [bytes(1, 6, 1)],
    'unknown flags': [bytes(1, 0, 2)],
    'cut sums': [bytes(head(0), zeros(2047))],
    'sums twice': [bytes(head(0), zeros(4096))],
    'a step too early': [bytes(head(3))],
    'a step twice': [parts, parts],
    'an invalid part': [parts, bytes(head(2), 0, 16, zeros(128))],
    'parts out of order': [parts, bytes(head(2), 2, 0, zeros(128), 1, 0, zeros(128))],
    'parts out of order in two messages': [parts, bytes(head(2, 0), 2, 0, zeros(128)), bytes(head(2), 2, 0, zeros(128))],
    'a count without items': [bytes(head(5), 0, 0, 255, 255, 255, 255)],
    'a cut count': [bytes(head(5), 0, 0, 255)],
    'a small set in pieces': [bytes(head(5, 0))],
    'too many parts': [bytes(head(5), Array.from({ length: 9000 }, (_, i) => [i & 255, i >> 8, 0, 0, 0, 0]).flat())],
  })) {
    it(`are refused: ${name}`, () => refused(messages))
  }

  it('lead to an error or an answer, for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 6 }),
        fc.constantFrom(0, 1),
        fc.uint8Array({ maxLength: 300 }),
        fc.boolean(),
        async (step, last, rest, later) => {
          const side = createReconciler(many)
          if (later) await side.receive(parts)
          const answer = await side.receive(bytes(head(step, last), [...rest])).catch((error: unknown) => error)
          if (answer instanceof Error) expect(answer).toBeInstanceOf(ReconciliationDamaged)
        },
      ),
      { seed: seeded(), numRuns: 150 },
    )
  })
})

it('distributes items to parts by the digits of their hash', () => {
  expect(bucketOf('ex').toString(16).padStart(4, '0')).toBe(itemHash('ex').toString(16).padStart(8, '0').slice(0, 4))
})
