/** Accounts that claim names through a registry, without the rest of a registration. */
import type { Transaction } from '../../../../src/store/engine/account.js'
import { accountOfUsername, putUser, readUser, type User } from '../../../../src/store/accounts/users.js'
import type { Store } from '../../../../src/store/index.js'
import type { Name, Registry } from '../../../../src/server/platform/registry/port.js'
import type { Platform } from './contract.js'

/** Returns functions that create and change accounts of a store whose names a registry claims. */
export function accountsOf(store: Store, registry: Registry): Pick<Platform, 'make' | 'change'> {
  return {
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
