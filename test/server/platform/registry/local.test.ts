/** The registry of one core fulfils the contract; the check of the store accepts its claims and records. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { each } from '../../../../src/store/engine/database.js'
import { platformKeys, under } from '../../../../src/store/engine/keys.js'
import type { Transaction } from '../../../../src/store/engine/account.js'
import { accountOfUsername, putUser, readUser, type User } from '../../../../src/store/accounts/users.js'
import { coreOfSettings } from '../../../../src/server/platform/cores/ownCore.js'
import { createLocalRegistry } from '../../../../src/server/platform/registry/local.js'
import type { HomePlaces } from '../../../../src/server/launch/init.js'
import type { Name } from '../../../../src/server/platform/registry/port.js'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { describeRegistry, type Platform } from './contract.js'

let node: TestNode
let seconds = 1e9
let places: HomePlaces
const { home } = homes()
beforeAll(async () => {
  places = await home()
  node = await startTestNode({}, { home: places.home })
})
afterAll(() => node.stop())

function platform(): Platform {
  const { store } = node.node
  seconds = 1e9
  const registry = createLocalRegistry(store, () => coreOfSettings(node.node.config, 'http://localhost'), () => seconds)
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

describeRegistry('the registry of one core', platform)

it('removes expired claims without a sweep', async () => {
  const { registry, pass } = platform()
  for (let round = 0; round < 4; round++) {
    for (let n = 0; n < 10; n++) expect(await registry.records.claim('claimed', `${round}/${n}`, seconds + 5)).toBe(true)
    pass(5)
  }
  const remaining = []
  for await (const [key] of each(node.node.store.db.entries(under(platformKeys.records('claimed'))))) remaining.push(key)
  expect(remaining).toHaveLength(10)
})

it('survives a restart, and passes the check of the store', async () => {
  const { records } = node.node.registry
  await records.change('kept', 'a/b', () => ({ put: { c: 1 }, result: undefined }))
  await node.stop()
  const { checked } = await expectSound(places)
  expect(checked['platform records']).toBeGreaterThan(3)
  node = await startTestNode({}, { home: places.home })
  expect(await node.node.registry.records.get('kept', 'a/b')).toEqual({ c: 1 })
  expect(await node.node.registry.lookUp({ field: 'username', value: 'mover' })).toMatchObject({ username: 'moved' })
})
