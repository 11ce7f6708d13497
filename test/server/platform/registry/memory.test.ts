/** The in-memory platform of tests fulfils the contract of registries, so that tests on it hold for others. */
import { afterAll, beforeAll } from 'vitest'
import type { Transaction } from '../../../../src/store/engine/account.js'
import { accountOfUsername, putUser, readUser, type User } from '../../../../src/store/accounts/users.js'
import { coreOfSettings } from '../../../../src/server/platform/cores/ownCore.js'
import type { Name } from '../../../../src/server/platform/registry/port.js'
import { createMemoryPlatform, type MemoryPlatform } from '../../../support/nodes/memoryPlatform.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { describeRegistry, type Platform } from './contract.js'

let node: TestNode
let shared: MemoryPlatform
let seconds = 1e9
beforeAll(async () => {
  node = await startTestNode()
  shared = await createMemoryPlatform()
})
afterAll(() => node.stop())

function platform(): Platform {
  const { store } = node.node
  seconds = 1e9
  const registry = shared.registry({ store, core: () => coreOfSettings(node.node.config, 'http://localhost'), now: () => seconds })
  return {
    registry,
    pass: (by) => void (seconds += by),
    make: (username, more = []) =>
      registry.transfer({ account: username, by: 'creation', take: [{ field: 'username', value: username }, ...more] }, (enter) =>
        store.createAccount((t) => {
          enter(t)
          putUser(t, userOf(username, more), 'create')
        }),
      ),
    async change(username, work) {
      const account = await store.account(accountOfUsername(store.db, username) ?? '')
      await account.write((t: Transaction) => {
        work(t)
        const user = readUser(t, t.account)
        if (user !== undefined) putUser(t, { ...user, unique: { email: 'new@example.org' }, formerUsernames: ['mover'], username: 'moved' }, 'update')
      })
    },
  }
}

const userOf = (username: string, names: Name[]): User => ({
  id: username,
  username,
  passwordHash: '',
  created: 1,
  passwordChanged: 1,
  hidden: {},
  unique: Object.fromEntries(names.map(({ field, value }) => [field, value])),
})

describeRegistry('the platform of tests', platform)
