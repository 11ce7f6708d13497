import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { itemHash } from '../../../src/store/model/digestElement.js'
import type { AccountState } from '../../../src/sync/digest/accountState.js'
import type { FeedEntry } from '../../../src/sync/wire/itemSet.js'
import { deleteEvent, deleteStream, naiveStates, sumOf, writeEvent, writeProfile, writeStream } from './items.js'
import { openTestStore, type TestStore } from './testStore.js'

let test: TestStore
afterEach(() => test.end())

/** Expects that a digest equals the one of the items, as a whole, by parts, and item by item. */
async function expectExactState(state: AccountState): Promise<void> {
  const expected = await naiveStates(test.account)
  const digest = await state.digest()
  expect(Buffer.from(digest.state)).toEqual(Buffer.from(sumOf(expected.values())))
  expect(sumOf(await state.parts(''))).toEqual(digest.state)
  expect(digest.sequence).toBe(test.account.sequence)
  const listed = new Map<string, Uint8Array>()
  const prefixes = new Set([...expected.keys()].map((item) => itemHash(item).toString(16).padStart(8, '0').slice(0, 4)))
  await Promise.all(
    [...prefixes].map(async (prefix) => {
      for (const { item, state: own } of await state.items(prefix)) listed.set(item.kind.charAt(0) + item.id, own)
      const bucket = (await state.parts(prefix.slice(0, 3)))[Number.parseInt(prefix.slice(3), 16)]
      const inside = [...expected].filter(([item]) => itemHash(item).toString(16).padStart(8, '0').startsWith(prefix))
      expect(bucket).toEqual(sumOf(inside.map(([, own]) => own)))
    }),
  )
  expect(new Map([...listed].sort())).toEqual(new Map([...expected].sort()))
}

type Step =
  | { is: 'event' | 'delete' | 'stream' | 'deleteStream' | 'profile'; id: number }
  | { is: 'stop' | 'kill' | 'save' | 'verify' | 'together' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      is: fc.constantFrom('event', 'event', 'event', 'delete', 'stream', 'deleteStream', 'profile'),
      id: fc.nat({ max: 9 }),
    }) as fc.Arbitrary<Step>,
  },
  { weight: 4, arbitrary: fc.constantFrom<Step>({ is: 'stop' }, { is: 'kill' }, { is: 'save' }, { is: 'verify' }, { is: 'together' }) },
)

describe('the digest of an account', () => {
  it('is that of its items after any steps and ends of the process', async () => {
    const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31 - 1))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        test = await openTestStore()
        try {
          let round = 0
          let state = await test.keeper.of(test.account)
          for (const next of steps) {
            round += 1
            const { store, account } = test
            if (next.is === 'event') await writeEvent(store, account, `e${next.id}`, round)
            else if (next.is === 'delete') await deleteEvent(account, `e${next.id}`, round)
            else if (next.is === 'stream') await writeStream(store, account, `s${next.id}`)
            else if (next.is === 'deleteStream') await deleteStream(store, account, `s${next.id}`, round)
            else if (next.is === 'profile') await writeProfile(account, `p${next.id}`, round)
            else if (next.is === 'verify') expect(await state.verify()).toMatchObject({ sound: true })
            else if (next.is === 'together') {
              // While the state is rebuilt, other writes continue.
              const verified = state.verify()
              for (let i = 0; i < 5; i++) await writeEvent(store, account, `t${round}-${i}`, i)
              await Promise.all([deleteEvent(account, `t${round}-1`, round), state.digest()])
              expect(await verified).toMatchObject({ sound: true })
            } else if (next.is === 'save') {
              // The next start finds the state saved here, and none saved later.
              await (state as AccountState & { save(): Promise<void> }).save()
            } else {
              await test.reopen(next.is === 'stop' ? 'stopped' : 'killed')
              state = await test.keeper.of(test.account)
              await expectExactState(state)
            }
          }
          await expectExactState(state)
          expect(await state.verify()).toMatchObject({ sound: true })
          expect(test.warnings).toEqual([])
        } finally {
          await test.end()
          test.end = () => Promise.resolve()
        }
      }),
      { seed, numRuns: process.env['LONG'] === undefined ? 12 : 300 },
    )
  })

  it('is rebuilt with a warning where the stored one was damaged', async () => {
    test = await openTestStore()
    await writeEvent(test.store, test.account, 'a', 1)
    const state = await test.keeper.of(test.account)
    await test.reopen('stopped')
    const key = accountKeys.syncState(test.account.prefix, 's' + (itemHash('ea') >>> 24).toString(36))
    const page = Buffer.from(test.store.db.getBytes(key) as Uint8Array)
    page[0] = (page[0] ?? 0) ^ 1
    await test.account.write((t) => t.put(key, page))
    const damaged = await test.keeper.of(test.account)
    expect((await damaged.digest()).state).not.toEqual((await state.digest()).state)
    expect(await damaged.verify()).toEqual({ sound: false, items: 1 })
    expect(test.warnings).toHaveLength(1)
    await expectExactState(damaged)
    await test.reopen('stopped')
    await expectExactState(await test.keeper.of(test.account))
  })

  it('is rebuilt from the items when the saved one cannot be read', async () => {
    test = await openTestStore()
    await writeEvent(test.store, test.account, 'a', 1)
    await test.keeper.of(test.account)
    for (const [part, value] of [
      ['h', '{"format":9}'],
      ['h', 'nonsense'],
      ['p0', 'short'],
      ['sz', 'short'],
    ] as const) {
      await test.reopen('stopped')
      await test.account.write((t) => t.put(accountKeys.syncState(test.account.prefix, part), Buffer.from(value)))
      await expectExactState(await test.keeper.of(test.account))
      await test.account.write((t) => t.delete(accountKeys.syncState(test.account.prefix, part)))
    }
  })

  it('excludes account fields, which are node-local', async () => {
    test = await openTestStore()
    const state = await test.keeper.of(test.account)
    await writeEvent(test.store, test.account, ':_system:language', 'de', [':_system:language'])
    const { state: sum } = await state.digest()
    expect(sum.every((byte) => byte === 0)).toBe(true)
    expect(await state.read(0, 10)).toEqual({ entries: [], upTo: 1 })
  })
})

describe('the feed of an account', () => {
  it('contains the replicated entries, in portions, without erased ones', async () => {
    test = await openTestStore()
    const { store, account } = test
    for (let i = 0; i < 6; i++) await writeEvent(store, account, `e${i}`, i)
    await writeEvent(store, account, 'e1', 'again')
    await deleteEvent(account, 'e1', 5)
    await writeStream(store, account, 's')
    const state = await test.keeper.of(account)
    const all: FeedEntry[] = []
    let at = 0
    while (at < account.sequence) {
      const { entries, upTo } = await state.read(at, 2)
      expect(entries.length).toBeLessThanOrEqual(2)
      expect(upTo).toBeGreaterThan(at)
      all.push(...entries)
      at = upTo
    }
    expect(all.map(({ kind, action, id }) => `${kind} ${action} ${id}`)).toEqual([
      'event create e0',
      'event create e2',
      'event create e3',
      'event create e4',
      'event create e5',
      'event delete e1',
      'stream create s',
    ])
    expect(state.behind(4)).toBe(account.sequence - 4)
    expect(await state.read(account.sequence, 5)).toEqual({ entries: [], upTo: account.sequence })
  })

  it('is followed live, after the digest includes an entry, also during a rebuild', async () => {
    test = await openTestStore()
    const { store, account } = test
    const state = await test.keeper.of(account)
    const followed: string[] = []
    const stop = state.follow((entries, upTo) => {
      followed.push(...entries.map(({ id, sequence }) => `${id} ${sequence} ${upTo}`))
      expect(state.behind(upTo)).toBe(0)
    })
    await writeEvent(store, account, 'a', 1)
    const verified = state.verify()
    await writeEvent(store, account, 'b', 1)
    await verified
    await writeEvent(store, account, 'c', 1)
    stop()
    await writeEvent(store, account, 'd', 1)
    expect(followed).toEqual(['a 1 1', 'b 2 2', 'c 3 3'])
  })
})

describe('positions in the feed', () => {
  it('are known after restarts, with and without writes, in the same store', async () => {
    test = await openTestStore()
    const positions = []
    for (let round = 0; round < 6; round++) {
      const state = await test.keeper.of(test.account)
      if (round % 2 === 0) await writeEvent(test.store, test.account, `e${round}`, round)
      const position = await state.position()
      positions.push(position)
      // A session pairs positions of any entry with the epoch of the process that read it.
      if (position.sequence > 1) positions.push({ ...position, sequence: position.sequence - 1 })
      for (const one of positions) expect(state.knows(one)).toBe(true)
      expect(state.knows({ ...position, sequence: position.sequence + 1 })).toBe(false)
      expect(state.knows({ ...position, epoch: 'another' })).toBe(false)
      expect(state.knows({ ...position, sequence: -1 })).toBe(false)
      await test.reopen(round % 3 === 0 ? 'killed' : 'stopped')
    }
  })

  for (const follows of [true, false]) {
    it(`are unknown to an older copy that continued by itself, ${follows ? '' : 'not '}followed meanwhile`, async () => {
      test = await openTestStore()
      let state = await test.keeper.of(test.account)
      await writeEvent(test.store, test.account, 'a', 1)
      const before = await state.position()
      const copy = await test.copy()
      state = await test.keeper.of(test.account)
      for (let i = 0; i < 5; i++) await writeEvent(test.store, test.account, `b${i}`, i)
      const lost = await state.position()
      expect(state.knows(lost)).toBe(true)
      const inside = { ...lost, sequence: lost.sequence - 2 }
      await test.restore(copy)
      // Also by a process without sync, like a command while the node does not run.
      if (follows) await test.keeper.of(test.account)
      for (let i = 0; i < 9; i++) await writeEvent(test.store, test.account, `c${i}`, i)
      if (!follows) await test.reopen('killed')
      state = await test.keeper.of(test.account)
      expect(state.knows(lost)).toBe(false)
      expect(state.knows(inside)).toBe(false)
      expect(state.knows(before)).toBe(true)
    })
  }

  it('beyond a copy are also unknown when the process is restored to its own copy', async () => {
    test = await openTestStore()
    let state = await test.keeper.of(test.account)
    await writeEvent(test.store, test.account, 'a', 1)
    const copy = await test.copy()
    await test.restore(copy)
    state = await test.keeper.of(test.account)
    for (let i = 0; i < 3; i++) await writeEvent(test.store, test.account, `b${i}`, i)
    const lost = await state.position()
    await test.restore(copy)
    for (let i = 0; i < 6; i++) await writeEvent(test.store, test.account, `c${i}`, i)
    state = await test.keeper.of(test.account)
    expect(state.knows(lost)).toBe(false)
  })
})
