/** Store with accounts for tests of digests: written directly, closed, killed, copied and opened again. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import type { Account } from '../../../src/store/engine/account.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { createStore, openStore, type OpenedStore } from '../../../src/store/engine/open.js'
import { createSeal } from '../../../src/store/keyring/seal.js'
import { Secret } from '../../../src/store/model/secret.js'
import { createStoreView, type Store } from '../../../src/store/index.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import { createStateKeeper, type StateKeeper } from '../../../src/sync/digest/stateKeeper.js'

export interface TestStore {
  folder: string
  opened: OpenedStore
  store: Store
  account: Account
  keeper: StateKeeper
  warnings: string[]
  /** Opens the store again after a regular stop, or after one that saved nothing. */
  reopen(end: 'stopped' | 'killed'): Promise<void>
  /** Copies the folder on disk; the store is closed and opened for it. */
  copy(): Promise<string>
  /** Replaces the folder by a copy. */
  restore(copy: string): Promise<void>
  end(): Promise<void>
}

const seal = await createSeal(new Secret(new Uint8Array(32).fill(7)))
const now = (): number => Date.now() / 1000

/** Creates a store with one account. */
export async function openTestStore(): Promise<TestStore> {
  const root = await mkdtemp(join(tmpdir(), 'coffer-state-'))
  const folder = join(root, 'store')
  await createStore({ folder, now }, 'node', seal)
  let copies = 0

  async function open(): Promise<Pick<TestStore, 'opened' | 'store' | 'keeper'>> {
    const opened = await openStore({ folder, now })
    const store = await createStoreView(opened, seal, createRecorder({ actor: randomBytes(16).toString('hex') }))
    const keeper = createStateKeeper({ store, log: { warn: (message) => void test.warnings.push(message) } })
    return { opened, store, keeper }
  }

  const test: TestStore = {
    folder,
    warnings: [],
    async reopen(end) {
      if (end === 'stopped') await test.keeper.stop()
      await test.store.close()
      Object.assign(test, await open())
      test.account = await test.store.account(test.account.prefix)
    },
    async copy() {
      await test.keeper.stop()
      await test.store.close()
      const copy = join(root, `copy${++copies}`)
      await cp(folder, copy, { recursive: true })
      Object.assign(test, await open())
      test.account = await test.store.account(test.account.prefix)
      return copy
    },
    async restore(copy) {
      await test.keeper.stop()
      await test.store.close()
      await rm(folder, { recursive: true })
      await cp(copy, folder, { recursive: true })
      Object.assign(test, await open())
      test.account = await test.store.account(test.account.prefix)
    },
    async end() {
      await test.keeper.stop()
      await test.store.close()
      await rm(root, { recursive: true })
    },
  } as Partial<TestStore> as TestStore
  Object.assign(test, await open())
  test.account = await test.store.createAccount((t, account) => {
    t.put(accountKeys.user(account.prefix), '{}')
    return account
  })
  return test
}
