import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { CheckResult } from '../../../src/store/check/index.js'
import { createEventSums, sumStates } from '../../../src/store/check/eventSums.js'
import { expectedStreamEntries } from '../../../src/store/check/events.js'
import { createFindings } from '../../../src/store/check/findings.js'
import type { HelperThread } from '../../../src/store/check/firstPass.js'
import { createPartReader, partsOf, readPart, type Part } from '../../../src/store/check/parts.js'
import { createSetSum, randomSeeds } from '../../../src/store/check/setSum.js'
import { each, type Value } from '../../../src/store/engine/database.js'
import { accountKeys as keys, under } from '../../../src/store/engine/keys.js'
import { openStore, type OpenedStore } from '../../../src/store/engine/open.js'
import { readNodeKey } from '../../../src/store/keyring/nodeKey.js'
import { createSeal, type Seal } from '../../../src/store/keyring/seal.js'
import { createTree } from '../../../src/store/model/tree.js'
import { changeComparison } from '../../../src/sync/merge/changeComparison.js'
import { checkOpened } from '../../support/store/check.js'
import { homes } from '../../support/nodes/home.js'
import { registerUser, request, startTestNode } from '../../support/nodes/node.js'

/** Accounts whose first pass succeeded. */
const passes = vi.hoisted(() => ({ isFirstSkipped: false, succeeded: new Set<string>() }))

vi.mock('../../../src/store/check/firstPass.js', async (original) => {
  const { isSound } = await original<typeof import('../../../src/store/check/firstPass.js')>()
  return {
    async isSound(...args: Parameters<typeof isSound>) {
      const isPassed = !passes.isFirstSkipped && (await isSound(...args))
      if (isPassed) passes.succeeded.add(args[0].account)
      return isPassed
    },
  }
})

const { home } = homes()
let opened: OpenedStore
let seal: Seal

beforeAll(async () => {
  const places = await home()
  const node = await startTestNode({ 'versioning.forceKeepHistory': true, 'versioning.deletionMode': 'keep-authors' }, { home: places.home })
  const token = await registerUser(node, 'alice')
  const call = async (method: string, path: string, body?: unknown): Promise<void> => {
    const answer = await request(`${node.url}alice/${path}`, { method, token, ...(body === undefined ? {} : { body }) })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  }
  const id = (n: number): string => `c${String(n).padStart(24, '0')}`
  for (const stream of ['a', 'b']) await call('POST', 'streams', { id: stream, name: stream })
  for (let n = 1; n <= 6; n++) {
    await call('POST', 'events', { id: id(n), streamIds: n % 2 === 0 ? ['a'] : ['a', 'b'], type: 'note/txt', content: `${n}`, time: 1000 * n, duration: 60 * n })
  }
  // Edited, in the trash, deleted, and at the same time as another.
  await call('PUT', `events/${id(2)}`, { content: 'edited', time: 1000 })
  await call('PUT', `events/${id(2)}`, { streamIds: ['b'] })
  await call('DELETE', `events/${id(3)}`)
  for (let step = 0; step < 2; step++) await call('DELETE', `events/${id(4)}`)
  await node.stop()
  const key = await readNodeKey(places.key)
  if (key === undefined) throw new Error('no key')
  seal = await createSeal(key)
  opened = await openStore({ folder: places.store, now: () => 0 })
})

afterAll(async () => {
  await opened.close()
})

async function checkOnce(isFirstSkipped: boolean, areChangesCompared: boolean, isShared = false): Promise<CheckResult> {
  passes.isFirstSkipped = isFirstSkipped
  return checkOpened(opened, seal, undefined, areChangesCompared, isShared ? helperOf(areChangesCompared) : undefined)
}

/** A helper that reads its parts in this thread, but gets and answers copies, as a thread does. */
const helperOf = (areChangesCompared: boolean): HelperThread => ({
  minEntries: 0,
  read: readerOf(areChangesCompared),
})

function readerOf(areChangesCompared: boolean): HelperThread['read'] {
  const read = createPartReader(opened.db, areChangesCompared ? changeComparison : undefined)
  return async (task) => structuredClone(await read(structuredClone(task)))
}

async function write(values: Iterable<readonly [string, Value | null]>): Promise<void> {
  const batch = opened.db.batch()
  for (const [key, value] of values) {
    if (value === null) batch.delete(key)
    else batch.put(key, value)
  }
  await batch.write({ sync: false })
}

/** Expects the same result with and without the first pass, and with a helper in it, while `changes` are applied. */
async function expectSame(changes: readonly (readonly [string, Value | null])[], what: string, areChangesCompared = true): Promise<boolean> {
  const former = changes.map(([key]) => [key, opened.db.getBytes(key) ?? null] as const)
  await write(changes)
  try {
    const single = await checkOnce(true, areChangesCompared)
    expect(await checkOnce(false, areChangesCompared), what).toEqual(single)
    expect(await checkOnce(false, areChangesCompared, true), `${what}, with a helper`).toEqual(single)
    return single.ok
  } finally {
    await write(former)
  }
}

async function entriesOf(account: string): Promise<[string, Uint8Array][]> {
  const entries: [string, Uint8Array][] = []
  for await (const entry of each(opened.db.byteEntries(under(keys.all(account))))) entries.push(entry)
  return entries
}

const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte))

describe('the first pass over an account', () => {
  it('suffices for a sound one, and counts the same things', async () => {
    passes.succeeded.clear()
    const quick = await checkOnce(false, true)
    expect(passes.succeeded).toContain('1')
    expect(quick).toEqual(await checkOnce(true, true))
    expect(quick.ok).toBe(true)
  })

  it('suffices with a helper that reads most families', async () => {
    passes.succeeded.clear()
    const shared = await checkOnce(false, true, true)
    expect(passes.succeeded).toContain('1')
    expect(shared).toEqual(await checkOnce(true, true))
  })

  it.each([0, 1, 3])('reads what a helper leaves that fails after %i parts', async (sound) => {
    let left = sound
    const read = readerOf(true)
    const failing: HelperThread = { minEntries: 0, read: (task) => (left-- > 0 ? read(task) : Promise.reject(new Error('no memory'))) }
    passes.isFirstSkipped = false
    passes.succeeded.clear()
    const result = await checkOpened(opened, seal, undefined, true, failing)
    expect(passes.succeeded).toContain('1')
    expect(result).toEqual(await checkOnce(true, true))
  })

  it.each(['1/s', '1/e', '1/u/x', '1/j', '1/s/\u{10ffff}x', '1/\u{10ffff}x', '!\u{10ffff}x', 'A'])('finds a key that nothing has: %j', async (key) => {
    const user = opened.db.getBytes(keys.user('1')) ?? ''
    expect(await expectSame([[key, user]], `with ${key}`)).toBe(false)
  })

  it('reads a large family in parts', async () => {
    const account = 'zz'
    const entries = Array.from({ length: 1700 }, (_, n) => [`${account}/s/a/${String(n).padStart(20, '0')}`, 'note/txt'] as const)
    await write(entries)
    try {
      const [part] = (await partsOf(opened.db, account)) ?? []
      if (part === undefined) throw new Error('no part')
      const seeds = randomSeeds()
      const read = async (maxEntries: number): Promise<{ sums: unknown; checked: unknown; parts: number }> => {
        const sums = createEventSums(seeds)
        const findings = createFindings(0)
        const pass = {
          ...{ db: opened.db, findings, account, lastEntry: 0, sums, tree: createTree([]) },
          ...{ changes: { stored: 0, reached: 0 }, claims: { unique: 0, tokens: 0 }, options: {} },
        }
        let parts = 0
        for (let next: Part | undefined = part; next !== undefined; parts++) next = await readPart(pass, expectedStreamEntries, next, () => undefined, maxEntries)
        return { sums: sumStates(sums), checked: findings.checked, parts }
      }
      const whole = await read(Infinity)
      expect(whole).toMatchObject({ checked: { 'stream entries': 1700 }, parts: 1 })
      const divided = await read(500)
      expect(divided).toMatchObject({ sums: whole.sums, checked: whole.checked })
      expect(divided.parts).toBeGreaterThan(3)
    } finally {
      await write(entries.map(([key]) => [key, null]))
    }
  })

  it('finds what the check of single entries finds: each missing entry, and each changed byte of a sample', async () => {
    let found = 0
    for (const [key, bytes] of await entriesOf('1')) {
      if (!(await expectSame([[key, null]], `without ${key}`))) found += 1
      for (const at of new Set([0, bytes.length >> 1, bytes.length - 1])) {
        if (at < 0) continue
        if (!(await expectSame([[key, flipped(bytes, at)]], `with byte ${at} of ${key} changed`))) found += 1
      }
    }
    expect(found).toBeGreaterThan(100)
  })

  it('finds missing entries also where records are not compared with their changes', async () => {
    const missing: string[] = []
    for (const [key] of await entriesOf('1')) if (!(await expectSame([[key, null]], `without ${key}`, false))) missing.push(key)
    // Also the state of an edited document, although its content is not looked at.
    expect(missing).toContain(keys.docState('1', 'ec000000000000000000000002'))
  })

  it('finds entries with the values of others, and entries that nothing expects', async () => {
    const entries = await entriesOf('1')
    let found = 0
    for (const [i, [key, bytes]] of entries.entries()) {
      const [otherKey, other] = entries[(i + 1) % entries.length] ?? []
      if (otherKey === undefined || other === undefined || otherKey.slice(0, 4) !== key.slice(0, 4)) continue
      if (!(await expectSame([[key, other], [otherKey, bytes]], `with exchanged values of ${key} and ${otherKey}`))) found += 1
      if (!(await expectSame([[`${key.slice(0, -1)}~`, bytes]], `with a copy of ${key}`))) found += 1
    }
    expect(found).toBeGreaterThan(50)
  })
})

describe('a sum of sets', () => {
  it('adds the members of another one with the same seeds', () => {
    const seeds = randomSeeds()
    const [sum, other] = [createSetSum(seeds), createSetSum(seeds)]
    sum.add('a', '1')
    other.remove('a', '1')
    sum.addSum(other.state)
    expect(sum.isZero).toBe(true)
    other.add('b', '2')
    sum.addSum(other.state)
    expect(sum.isZero).toBe(false)
  })

  it('is zero for equal sets only, in whatever order', () => {
    const sum = createSetSum()
    const members = Array.from({ length: 1000 }, (_, n) => [`key ${n}`, `value ${n % 7}`] as const)
    for (const [key, value] of members) sum.add(key, value)
    expect(sum.isZero).toBe(false)
    for (const [key, value] of members.toReversed()) sum.remove(key, value)
    expect(sum.isZero).toBe(true)
  })

  it.each([
    [['ab', 'c'], ['a', 'bc']],
    [['a', 'b'], ['ab', '']],
    [['', 'ab'], ['ab', '']],
    [['a\0', ''], ['a', '']],
    [['abc', 'd'], ['abd', 'c']],
    [['ab', ''], ['ba', '']],
    [['\u0001', ''], ['', '\u0001']],
  ] as const)('tells apart %j and %j', ([key, value], [otherKey, otherValue]) => {
    const sum = createSetSum()
    sum.add(key, value)
    sum.remove(otherKey, otherValue)
    expect(sum.isZero).toBe(false)
  })

  it('tells apart values that are exchanged, and a member met twice', () => {
    const exchanged = createSetSum()
    exchanged.add('a', '1')
    exchanged.add('b', '2')
    exchanged.remove('a', '2')
    exchanged.remove('b', '1')
    expect(exchanged.isZero).toBe(false)
    const repeated = createSetSum()
    for (let n = 0; n < 2; n++) repeated.add('a', '1')
    repeated.remove('a', '1')
    expect(repeated.isZero).toBe(false)
  })
})
