/**
 * Registry of a platform with one core: names and records are in its own store, and names are claimed in the transaction
 * that changes the account.
 */
import { accountOfAlias } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import {
  expiredRecords,
  listRecords,
  putMark,
  putRecord,
  readRecord,
  removeExpired,
  removeRecord,
} from '../../../store/engine/platformRecords.js'
import { Failure } from '../../../store/model/failure.js'
import type { Store } from '../../../store/index.js'
import {
  accountOfUnique,
  accountOfUsername,
  claimUnique,
  claimUsername,
  listUsernames,
  readUser,
  releaseUnique,
  releaseUsername,
  retireUsername,
} from '../../../store/accounts/users.js'
import { nameKey, NamesTaken, type CoreView, type Holder, type Name, type Records, type Registry, type Transfer } from './port.js'
import type { RecordReader } from '../../../store/engine/recordReader.js'

/** Number of expired records removed per commit of a sweep. */
const SWEPT_AT_ONCE = 500

/** Maximum number of claims kept in memory for removal when they expire; the sweep finds the others. */
const MAX_CLAIMS = 100_000
/** Maximum number of expired claims removed by a new one. */
const REMOVED_WITH_CLAIM = 2

/** Creates the registry of a store. `core` returns what is known of this node; `now` returns seconds. */
export function createLocalRegistry(store: Store, core: () => CoreView, now: () => number): Registry {
  const { db, seal, platform } = store
  const { id } = core()
  /** Names that a running transfer is about to claim. */
  const reserved = new Set<string>()

  function accountOf(reader: RecordReader, { field, value }: Name): string | undefined {
    if (field === 'alias') return accountOfAlias(reader, value)
    return field === 'username' ? accountOfUsername(reader, value) : accountOfUnique(reader, seal, field, value)
  }

  /** Stages the claims and releases of a transfer. Aliases are written with their accesses. */
  function enter(t: Transaction, { take = [], leave = [], retire = [], resume = [] }: Transfer): void {
    const taken = take.filter((name) => accountOf(t, name) !== undefined)
    if (taken.length > 0) throw new NamesTaken(taken)
    for (const { field, value } of leave) {
      if (field === 'username') releaseUsername(t, value)
      else if (field !== 'alias') releaseUnique(t, seal, field, value)
    }
    for (const username of retire) retireUsername(t, username)
    for (const username of resume) claimUsername(t, username)
    for (const { field, value } of take) {
      if (field === 'username') claimUsername(t, value)
      else if (field !== 'alias') claimUnique(t, seal, field, value)
    }
  }

  /** Claims in order of creation, which is nearly that of expiry. */
  let claims: { key: string; expires: number }[] = []
  /** Number of claims at the start of the list that have been removed. */
  let removed = 0

  function removeClaims(t: Transaction): void {
    for (let count = 0; count < REMOVED_WITH_CLAIM; count++) {
      const oldest = claims[removed]
      if (oldest === undefined || oldest.expires > now()) return
      removed += 1
      removeExpired(t, oldest.key, now())
    }
    if (removed * 2 < claims.length) return
    claims = claims.slice(removed)
    removed = 0
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
    claim(family, id, expires) {
      return platform.write((t) => {
        removeClaims(t)
        if (readRecord(t, family, id, now()) !== undefined) return false
        const key = putMark(t, family, id, expires)
        if (claims.length < MAX_CLAIMS) claims.push({ key, expires })
        return true
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

  function holderOf(name: Name): Holder | undefined {
    const account = accountOf(db, name)
    const user = account === undefined ? undefined : readUser(db, account)
    return user === undefined ? undefined : { core: id, account: user.id, username: user.username }
  }

  async function hold<T>(names: readonly Name[], work: () => Promise<T>): Promise<T> {
    const taken = names.filter((name) => reserved.has(nameKey(name)) || accountOf(db, name) !== undefined)
    if (taken.length > 0) throw new NamesTaken(taken)
    for (const name of names) reserved.add(nameKey(name))
    try {
      return await work()
    } finally {
      for (const name of names) reserved.delete(nameKey(name))
    }
  }

  return {
    core: id,
    isShared: false,
    records,
    ownRecords: records,
    platformSeal: seal,
    cores: {
      list: () => [core()],
      get: (other) => (other === id ? core() : undefined),
      change: () => Promise.reject(new Failure('invalid-operation', 'This node is not part of a platform of several cores.')),
      watch: () => () => {},
    },
    homes: {
      count: async (of) => (of === id ? (await listUsernames(db)).length : 0),
      async page(of, after = '', limit) {
        if (of !== id) return []
        const users = (await listUsernames(db)).flatMap(({ account }) => readUser(db, account)?.id ?? [])
        return users.filter((user) => user > after).sort().slice(0, limit)
      },
    },
    isSettled: () => true,
    lookUp: (name) => Promise.resolve(holderOf(name)),
    peek: (name) => holderOf(name) ?? null,
    transfer: (input, work) => hold(input.take ?? [], () => work((t) => enter(t, input))),
    hold,
    close: () => Promise.resolve(),
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
