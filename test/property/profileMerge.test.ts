/** Profile sets changed on several nodes of one owner, exchanged in any order and in parts: all nodes converge. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkStore } from '../../src/store/check/index.js'
import { readJournal } from '../../src/store/engine/journal.js'
import { mergeKeys } from '../../src/store/model/clientData.js'
import { zeroDigest, xorInto } from '../../src/store/model/digestElement.js'
import { joinProfile, profileState, registersSince, type StoredProfile, type Register } from '../../src/store/model/profileRegisters.js'
import { findProfile, findProfileToEdit, putProfile, textToProfile } from '../../src/store/accounts/profiles.js'
import { createRecorder } from '../../src/sync/crdt/document.js'
import type { MergerOptions } from '../../src/sync/merge/context.js'
import { mergeProfile } from '../../src/sync/merge/profiles.js'
import { accountKeys } from '../../src/store/engine/keys.js'
import { standaloneAccount, type StandaloneAccount } from '../store/series/support.js'
import { runs } from '../support/oracles/runs.js'

const ID = 'private'
const KEYS = ['a', 'b', '1', '__proto__', 'é\ud800']
const VALUES: unknown[] = [1, 'x', { b: [1], a: null }, [], false, '']
const recorder = createRecorder({ actor: 'ab'.repeat(16) })

/**
 * Naive model without compaction: all writes that a node received. Those of a key are ordered by the number of writes that
 * their author had received, and by author.
 */
class Naive {
  readonly writes = new Map<string, { key: string; value?: unknown; at: number; by: string }>()

  write(changes: Record<string, unknown>, by: string): void {
    const at = Math.max(0, ...[...this.writes.values()].map((one) => one.at)) + 1
    const values = this.values()
    for (const [key, value] of Object.entries(changes)) {
      if (value === null ? !values.has(key) : values.get(key) === JSON.stringify(value)) continue
      this.writes.set(`${at} ${by} ${key}`, { key, ...(value === null ? {} : { value }), at, by })
    }
  }

  copy(): Naive {
    const copy = new Naive()
    copy.receive(this)
    return copy
  }

  receive(other: Naive): void {
    for (const [name, write] of other.writes) this.writes.set(name, write)
  }

  values(): Map<string, string> {
    const sorted = [...this.writes.values()].sort((a, b) => a.at - b.at || (a.by < b.by ? -1 : 1))
    const values = new Map<string, string>()
    for (const one of sorted) {
      if ('value' in one) values.set(one.key, JSON.stringify(one.value))
      else values.delete(one.key)
    }
    return values
  }
}

const findStored = ({ account }: StandaloneAccount): StoredProfile | undefined => findProfile(account.db, '1', ID)
const valuesOf = (copy: StandaloneAccount): Map<string, string> =>
  new Map(Object.entries(findStored(copy)?.profile.keys ?? {}).map(([key, value]) => [key, JSON.stringify(value)]))
const hex = (state: Uint8Array): string => Buffer.from(state).toString('hex')

async function change({ account }: StandaloneAccount, update: Record<string, unknown>, modified: number): Promise<void> {
  await account.write((t) => {
    const former = findProfileToEdit(t, recorder, ID)
    putProfile(t, former, { id: ID, keys: mergeKeys(former?.profile.keys, update) ?? {}, modified })
  })
}

async function mergeFrom({ account }: StandaloneAccount, modified: number, registers: readonly Register[]): Promise<void> {
  const options = { store: { recorder } } as unknown as MergerOptions
  const from = { peer: 7, scope: { is: 'mirror' as const } }
  const outcome = await account.write((t) => mergeProfile({ account, t, from, options, now: 0 }, { kind: 'profile', id: ID, modified, registers }))
  if (outcome.is === 'refused') throw new Error(outcome.message)
}

/** Expects that the record matches the journal, and that the check of a store reports no problem. */
async function expectSound(copy: StandaloneAccount): Promise<void> {
  const sent = zeroDigest()
  for await (const { change: delta } of readJournal(copy.account.db, '1')) xorInto(sent, delta)
  const kept = findStored(copy)
  expect(hex(sent)).toBe(hex(kept === undefined ? zeroDigest() : profileState(kept)))
  const { problems } = await checkStore(copy.opened.db, { head: copy.opened.committer.head })
  // The account of this test has no owner.
  expect(problems.map(({ where, what }) => `${where} ${what}`).filter((one) => !/no user|number that the node/.test(one))).toEqual([])
}

const update = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(null, null, ...VALUES), { maxKeys: 3, noNullPrototype: true })
const step = (nodes: number): fc.Arbitrary<{ node: number; to: number; update?: Record<string, unknown>; seed: number }> => {
  const node = fc.nat({ max: nodes - 1 })
  return fc.oneof(
    fc.record({ node, to: node, update, seed: fc.nat() }),
    fc.record({ node, to: node, seed: fc.nat() }),
  )
}
const history = fc.integer({ min: 2, max: 4 }).chain((nodes) => fc.record({ nodes: fc.constant(nodes), steps: fc.array(step(nodes), { minLength: 3, maxLength: 30 }) }))

describe('profile sets of several nodes', () => {
  it('converge after any writes and removals in any order', { timeout: 300_000 }, async () => {
    await fc.assert(fc.asyncProperty(history, async ({ nodes, steps }) => {
      const copies = await Promise.all(Array.from({ length: nodes }, standaloneAccount))
      const naive = copies.map(() => new Naive())
      const actorOf = ({ opened }: StandaloneAccount): string => opened.committer.actor
      const sent: { kept: StoredProfile; heard: Naive }[] = []
      let now = 10
      const send = async (from: number, to: number, seed: number): Promise<void> => {
        const latest = findStored(copies[from] as StandaloneAccount)
        if (latest === undefined) return
        sent.push({ kept: latest, heard: (naive[from] as Naive).copy() })
        // A restored node sends again what it sent before.
        const { kept, heard } = (seed % 5 === 1 ? sent[seed % sent.length] : sent.at(-1)) as (typeof sent)[number]
        const registers = registersSince(kept)
        if (seed % 3 === 0) registers.reverse()
        // Parts of a set are merged as whole sets are, also repeatedly.
        const cut = seed % (registers.length + 1)
        for (const part of [registers.slice(cut), registers.slice(0, cut), registers.slice(cut)]) await mergeFrom(copies[to] as StandaloneAccount, kept.profile.modified, part)
        naive[to]?.receive(heard)
      }
      try {
        for (const { node, to, update: changes, seed } of steps) {
          const copy = copies[node] as StandaloneAccount
          // Clocks of nodes differ: later changes may have earlier times.
          now += node - 1
          if (changes !== undefined) {
            await change(copy, changes, now)
            naive[node]?.write(changes, actorOf(copy))
          } else if (to !== node) await send(node, to, seed)
          expect(valuesOf(copy)).toEqual(new Map([...(naive[node] as Naive).values()].sort()))
        }
        for (let round = 0; round < nodes; round++) {
          for (let from = 0; from < nodes; from++) for (let to = 0; to < nodes; to++) if (from !== to) await send(from, to, round * 5)
        }
        const states = copies.map((copy) => hex(findStored(copy) === undefined ? zeroDigest() : profileState(findStored(copy) as StoredProfile)))
        expect(new Set(states).size).toBe(1)
        const texts = copies.map(({ account }) => account.db.get(accountKeys.profile('1', ID)))
        expect(new Set(texts.map((text) => text && JSON.stringify(textToProfile(ID, text)))).size).toBe(1)
        for (const copy of copies) {
          expect(valuesOf(copy)).toEqual((naive[0] as Naive).values())
          await expectSound(copy)
        }
      } finally {
        await Promise.all(copies.map((copy) => copy.close()))
      }
    }), { numRuns: process.env['LONG'] === '1' ? 500 : 15 })
  })
})

describe('the join of two copies', () => {
  const stamp = { counter: fc.integer({ min: 1, max: 3 }), actor: fc.constantFrom('x', 'y') }
  const register: fc.Arbitrary<Register> = fc.oneof(
    fc.record({ key: fc.constantFrom('a', 'b'), text: fc.constantFrom('1', '{"a":[]}'), ...stamp }),
    // The names of the removed keys a and b.
    fc.record({ removed: fc.constantFrom('WZCUiNxsBq3FB3OGZjruNg', 'b'.repeat(22)), ...stamp }),
  )
  const copy = fc.record({ modified: fc.nat({ max: 3 }), registers: fc.array(register, { maxLength: 6 }) })
  const join = (a: StoredProfile | undefined, b: { modified: number; registers: readonly Register[] }): StoredProfile => joinProfile(ID, a, b).after(1)
  const sent = (kept: StoredProfile): { modified: number; registers: Register[] } => ({ modified: kept.profile.modified, registers: registersSince(kept) })
  /** Returns the whole content of a copy, in a fixed order. */
  const contentOf = (kept: StoredProfile): unknown => [kept.profile, registersSince(kept).map((one) => JSON.stringify(one)).sort(), hex(profileState(kept))]

  it('is commutative, associative and idempotent', () => {
    fc.assert(fc.property(copy, copy, copy, (one, two, three) => {
      const [a, b, c] = [one, two, three].map((each) => join(undefined, each)) as [StoredProfile, StoredProfile, StoredProfile]
      expect(contentOf(join(a, sent(b)))).toEqual(contentOf(join(b, sent(a))))
      expect(contentOf(join(join(a, sent(b)), sent(c)))).toEqual(contentOf(join(a, sent(join(b, sent(c))))))
      expect(joinProfile(ID, a, sent(a)).isChanged).toBe(false)
      const joined = joinProfile(ID, a, sent(b))
      const state = profileState(a)
      xorInto(state, joined.delta)
      expect(hex(state)).toBe(hex(profileState(joined.after(1))))
    }), { numRuns: runs(1000) })
  })
})
