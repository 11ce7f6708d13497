/** Tests of every repository of the store: it reads its own writes, leaves no keys, and separates accounts. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account, Transaction } from '../../src/store/engine/account.js'
import { each } from '../../src/store/engine/database.js'
import { accountKeys, nodeKeys, under } from '../../src/store/engine/keys.js'
import { createStore, openStore } from '../../src/store/engine/open.js'
import { createStoreView, type Store } from '../../src/store/index.js'
import { createSeal } from '../../src/store/keyring/seal.js'
import { Secret } from '../../src/store/model/secret.js'
import { createRecorder } from '../../src/sync/crdt/document.js'

/** A store for tests of single repositories. */
export interface Repositories {
  store: Store
  /** Creates an account with a user. */
  account(): Promise<Account>
  /** Returns all keys with their values, hexadecimal, except journals and commits. */
  keys(): Promise<Map<string, string>>
}

const seal = await createSeal(new Secret(new Uint8Array(32).fill(7)))

/** Opens a store before the tests of a file, and removes it after them. */
export function repositories(): Repositories {
  const opened: { store?: Store; root?: string } = {}
  const now = (): number => 1000
  beforeAll(async () => {
    opened.root = await mkdtemp(join(tmpdir(), 'coffer-repository-'))
    const folder = join(opened.root, 'store')
    await createStore({ folder, now }, 'node', seal)
    opened.store = await createStoreView(await openStore({ folder, now }), seal, createRecorder({ actor: 'ab'.repeat(16) }))
  })
  afterAll(async () => {
    await opened.store?.close()
    await rm(opened.root ?? '', { recursive: true, force: true })
  })
  const store = (): Store => opened.store as Store
  return {
    get store() {
      return store()
    },
    account: () =>
      store().createAccount((t, account) => {
        t.put(accountKeys.user(account.prefix), '{}')
        return account
      }),
    async keys() {
      await store().settled()
      await store().series.settled()
      const found = new Map<string, string>()
      for await (const [key, bytes] of each(store().db.byteEntries(under('')))) {
        const isJournal = key.startsWith(nodeKeys.commits) || key.split('/')[1] === 'j'
        if (!isJournal) found.set(key, Buffer.from(bytes).toString('hex'))
      }
      return found
    },
  }
}

/** Returns the keys of a family that were added between two states. */
export const added = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...after.keys()].filter((key) => !before.has(key)).sort()

/** Account of a test, with its store. */
export interface TestAccount {
  store: Store
  account: Account
}

/** Life cycle of one item in a repository. */
export interface Repository {
  /** Returns everything that readers see of the item. */
  read(place: TestAccount): unknown
  /** Result of `read` without the item. */
  absent: unknown
  /** Writes, in order, each with the result of `read` after it. */
  steps: readonly { write(t: Transaction, place: TestAccount): void; expected: unknown }[]
  /** Removes the item; absent for items that are removed with their account. */
  remove?(t: Transaction, place: TestAccount): void
  /** Result of `read` after the removal; `absent` by default. */
  removed?: unknown
  /** Keys that remain after the removal, sorted; none by default. */
  remainingKeys?(account: string): string[]
  /** Prepares an account before the first write. */
  prepare?(t: Transaction, place: TestAccount): void
}

/** Tests the life cycle of an item in a repository. */
export function describeRepository(name: string, repository: Repository): void {
  const { read, absent, steps, remove, removed = absent, remainingKeys, prepare } = repository
  describe(name, () => {
    const all = repositories()

    async function open(): Promise<TestAccount> {
      const place = { store: all.store, account: await all.account() }
      if (prepare !== undefined) await place.account.write((t) => prepare(t, place))
      return place
    }

    it('reads nothing before a write', async () => {
      expect(await read(await open())).toEqual(absent)
    })

    it('reads its own writes', async () => {
      const place = await open()
      for (const { write, expected } of steps) {
        await place.account.write((t) => write(t, place))
        expect(await read(place)).toEqual(expected)
      }
    })

    it('separates two accounts', async () => {
      const [one, other] = [await open(), await open()]
      for (const { write } of steps) await one.account.write((t) => write(t, one))
      expect(await read(other)).toEqual(absent)
      const [first] = steps
      await other.account.write((t) => first?.write(t, other))
      expect(await read(one)).toEqual(steps.at(-1)?.expected)
      if (remove !== undefined) await one.account.write((t) => remove(t, one))
      expect(await read(other)).toEqual(first?.expected)
    })

    if (remove === undefined) return
    it('leaves no key after removal', async () => {
      const place = await open()
      const before = await all.keys()
      for (const { write } of steps) await place.account.write((t) => write(t, place))
      expect(added(before, await all.keys())).not.toEqual([])
      await place.account.write((t) => remove(t, place))
      expect(await read(place)).toEqual(removed)
      const after = await all.keys()
      expect(added(before, after)).toEqual(remainingKeys?.(place.account.prefix) ?? [])
      for (const [key, value] of before) expect([key, after.get(key)]).toEqual([key, value])
    })
  })
}
