/** The registry of a platform of one core: names and records lie in its own store, claimed with the account's change. */
import type { Transaction } from '../../store/account.js'
import {
  expiredRecords,
  listRecords,
  putRecord,
  readRecord,
  removeExpired,
  removeRecord,
} from '../../store/platformRecords.js'
import type { Store } from '../../store/store.js'
import {
  accountOfUnique,
  accountOfUsername,
  claimUnique,
  claimUsername,
  normalEmail,
  readUser,
  releaseUnique,
  releaseUsername,
  retireUsername,
} from '../../store/users.js'
import { NamesTaken, type Name, type Records, type Registry, type Transfer } from './port.js'

/** How many expired records one commit of a sweep removes. */
const SWEPT_AT_ONCE = 500

/** The registry in a store. `now` in seconds. */
export function createLocalRegistry(store: Store, core: string, now: () => number): Registry {
  const { db, seal, platform } = store
  /** Names that a transfer under way is about to claim. */
  const held = new Set<string>()

  const keyOf = ({ field, value }: Name): string => `${field}/${field === 'email' ? normalEmail(value) : value}`

  function accountOf(reader: { get(key: string): string | undefined }, { field, value }: Name): string | undefined {
    return field === 'username' ? accountOfUsername(reader, value) : accountOfUnique(reader, seal, field, value)
  }

  function enter(t: Transaction, { take = [], leave = [], retire = [] }: Transfer): void {
    const taken = take.filter((name) => accountOf(t, name) !== undefined)
    if (taken.length > 0) throw new NamesTaken(taken)
    for (const { field, value } of leave) {
      if (field === 'username') releaseUsername(t, value)
      else releaseUnique(t, seal, field, value)
    }
    for (const username of retire) retireUsername(t, username)
    for (const { field, value } of take) {
      if (field === 'username') claimUsername(t, value)
      else claimUnique(t, seal, field, value)
    }
  }

  const records: Records = {
    get: (family, id) => Promise.resolve(readRecord(db, family, id, now())),
    list: (family) => listRecords(db, family, now()),
    change(family, id, step) {
      return platform.write((t) => {
        const { put, expires, result } = step(readRecord(t, family, id, now()))
        if (put === null) removeRecord(t, family, id)
        else if (put !== undefined) putRecord(t, family, id, put, expires)
        return result
      })
    },
    watch(family, listener) {
      return store.follow((entries) => {
        for (const { kind, id } of entries) {
          if (kind === 'record' && id.startsWith(`${family}/`)) listener(id.slice(family.length + 1))
        }
      })
    },
  }

  return {
    core,
    records,
    lookUp(name) {
      const account = accountOf(db, name)
      const user = account === undefined ? undefined : readUser(db, account)
      return Promise.resolve(user === undefined ? undefined : { core, username: user.username })
    },
    async transfer(asked, work) {
      const { take = [] } = asked
      const taken = take.filter((name) => held.has(keyOf(name)) || accountOf(db, name) !== undefined)
      if (taken.length > 0) throw new NamesTaken(taken)
      for (const name of take) held.add(keyOf(name))
      try {
        return await work((t) => enter(t, asked))
      } finally {
        for (const name of take) held.delete(keyOf(name))
      }
    },
    async sweep() {
      for (;;) {
        const keys = await expiredRecords(db, now(), SWEPT_AT_ONCE)
        if (keys.length === 0) return
        await platform.write((t) => {
          for (const key of keys) removeExpired(t, key, now())
        })
      }
    },
  }
}
