import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { findEvent } from '../../../src/store/events/events.js'
import { itemHash } from '../../../src/store/model/digestElement.js'
import type { ItemRef } from '../../../src/sync/wire/entry.js'
import type { Peer } from '../../../src/store/replication/peers.js'
import { openSharedSet, type SharedSet } from '../../../src/sync/digest/sharedSet.js'
import { deleteEvent, deleteStream, naiveStates, sumOf, writeEvent, writeStream } from './items.js'
import { openTestStore, type TestStore } from './testStore.js'

let test: TestStore
let open: SharedSet[] = []
afterEach(async () => {
  for (const set of open) set.close()
  open = []
  await test.end()
})

const peerOf = (streams: string[]): Peer => ({
  number: 7,
  name: 'peer',
  pairing: 'p',
  node: 'n',
  scope: { is: 'share', streams, direction: 'both', grantor: 'us' },
  paired: 1,
})

async function openSet(streams: string[]): Promise<SharedSet> {
  const { store, account, keeper } = test
  const set = await openSharedSet(store, account, await keeper.of(account), peerOf(streams))
  open.push(set)
  return set
}

const nameOf = ({ kind, id }: ItemRef): string => kind.charAt(0) + id
const refOf = (name: string): ItemRef => ({ kind: name.startsWith('e') ? 'event' : 'stream', id: name.slice(1) })

/** Returns the items of the account in the streams, by a naive scan. */
async function naiveScope(streams: string[]): Promise<Set<string>> {
  const { tree } = test.account
  const ids = new Set([...(await naiveStates(test.account)).keys()].map((name) => name.slice(1)))
  const within = (id: string): boolean => streams.some((root) => tree.has(id) && tree.isUnder(id, root))
  const found = new Set<string>()
  for (const id of ids) {
    if (within(id)) found.add(`s${id}`)
    const event = findEvent(test.store.db, test.account.prefix, id)
    if (event?.streamIds.some(within) === true) found.add(`e${id}`)
  }
  return found
}

async function namesOf(set: SharedSet): Promise<string[]> {
  const names: string[] = []
  for await (const page of set.all()) names.push(...page.map(nameOf))
  return names
}

async function expectExactSet(set: SharedSet, streams: string[], recorded: ReadonlySet<string>): Promise<void> {
  const scope = await naiveScope(streams)
  const states = await naiveStates(test.account)
  const names = await namesOf(set)
  expect(new Set(names)).toEqual(scope)
  expect(names).toHaveLength(scope.size)
  expect((await set.newStreams()).map(nameOf)).toEqual(names.filter((name) => name.startsWith('s') && !recorded.has(name)))
  for (const name of states.keys()) {
    expect(set.includes(refOf(name)), name).toBe(scope.has(name))
    expect(set.isNoted(refOf(name)), name).toBe(recorded.has(name))
  }
  const own = [...states].filter(([name]) => recorded.has(name))
  const { state, sequence } = await set.digest()
  expect(Buffer.from(state)).toEqual(Buffer.from(sumOf(own.map(([, one]) => one))))
  expect(sequence).toBe(test.account.sequence)
  expect(sumOf(await set.parts(''))).toEqual(state)
  for (const [name, one] of own) {
    const found = await set.items(itemHash(name).toString(16).padStart(8, '0').slice(0, 4))
    expect(found.find(({ item }) => nameOf(item) === name)?.state).toEqual(one)
    expect(found.every(({ item }) => recorded.has(nameOf(item)))).toBe(true)
  }
}

type Step = { is: 'event' | 'stream' | 'move' | 'delete' | 'deleteStream' | 'note' | 'forget' | 'reopen' | 'stray'; id: number; to: number }

describe('the set shared with a peer', () => {
  it('contains the recorded items with their digests, and reports items out of scope', async () => {
    const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31 - 1))
    const step: fc.Arbitrary<Step> = fc.record({
      is: fc.constantFrom('event', 'event', 'stream', 'move', 'delete', 'deleteStream', 'note', 'note', 'forget', 'reopen', 'stray'),
      id: fc.nat({ max: 6 }),
      to: fc.nat({ max: 6 }),
    })
    const streams = ['1', '2']
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        test = await openTestStore()
        try {
          const recorded = new Set<string>()
          for (let i = 0; i < 7; i++) await writeStream(test.store, test.account, String(i))
          let set = await openSet(streams)
          let round = 0
          for (const { is, id, to } of steps) {
            round += 1
            const { store, account } = test
            const { tree } = account
            const target = String(to)
            if (is === 'event') await writeEvent(store, account, `x${id}`, round, tree.has(target) ? [target] : ['gone'])
            else if (is === 'stream') await writeStream(store, account, String(id))
            else if (is === 'move') {
              const mayMove = tree.has(String(id)) && tree.has(target) && !tree.isUnder(target, String(id))
              if (mayMove) await writeStream(store, account, String(id), target)
            } else if (is === 'delete') await deleteEvent(account, `x${id}`, round)
            else if (is === 'deleteStream') {
              if (tree.childrenOf(String(id)).length === 0) await deleteStream(store, account, String(id), round)
            } else if (is === 'note' || is === 'forget') {
              const names = [`ex${id}`, `s${to}`]
              await account.write((t) => {
                for (const name of names) set[is](t, refOf(name))
              })
              for (const name of names) recorded[is === 'note' ? 'add' : 'delete'](name)
            } else if (is === 'reopen') {
              set.close()
              set = await openSet(streams)
            } else {
              const scope = await naiveScope(streams)
              const states = await naiveStates(account)
              // Tombstones of deleted items stay shared.
              const live = [...recorded].filter((name) => (name.startsWith('s') ? tree.has(name.slice(1)) : states.has(name)))
              const isDeleted = (name: string): boolean =>
                name.startsWith('e') && store.db.get(`${account.prefix}/i/${name.slice(1)}`)?.startsWith('{') === true
              const expected = live.filter((name) => !scope.has(name) && !isDeleted(name))
              expect(new Set((await set.outsideScope()).map(nameOf))).toEqual(new Set(expected))
            }
          }
          await expectExactSet(set, streams, recorded)
        } finally {
          for (const set of open) set.close()
          open = []
          await test.end()
          test.end = () => Promise.resolve()
        }
      }),
      { seed, numRuns: process.env['LONG'] === undefined ? 12 : 300 },
    )
  })

  it('lists streams before their descendants, and events by time', async () => {
    test = await openTestStore()
    const { store, account } = test
    await writeStream(store, account, 'root')
    await writeStream(store, account, 'a', 'root')
    await writeStream(store, account, 'a1', 'a')
    await writeStream(store, account, 'other')
    await writeEvent(store, account, 'z', 1, ['root', 'a'])
    await writeEvent(store, account, 'y', 1, ['a1', 'other'])
    await writeEvent(store, account, 'x', 1, ['other'])
    // A stream selected twice, by itself and by an ancestor, is listed once.
    expect(await namesOf(await openSet(['root', 'a']))).toEqual(['sroot', 'sa', 'sa1', 'ey', 'ez'])
    expect(await namesOf(await openSet(['nothing']))).toEqual([])
  })

  it('lists new streams until each is recorded, and again when one is forgotten or enters', async () => {
    test = await openTestStore()
    const { store, account } = test
    for (const [id, parent] of [['root'], ['a', 'root'], ['b', 'root'], ['other']] as const) await writeStream(store, account, id, parent)
    const set = await openSet(['root'])
    const fresh = async (): Promise<string[]> => (await set.newStreams()).map(nameOf)
    expect(await fresh()).toEqual(['sroot', 'sa', 'sb'])
    await account.write((t) => ['sroot', 'sa', 'sb'].forEach((name) => set.note(t, refOf(name))))
    expect(await fresh()).toEqual([])
    await account.write((t) => set.forget(t, refOf('sb')))
    expect(await fresh()).toEqual(['sb'])
    await writeStream(store, account, 'other', 'b')
    expect(await fresh()).toEqual(['sb', 'sother'])
  })
})
