/** Cache of loaded accounts by username, with the accesses that recently called them. */
import { accountOfAlias } from '../../store/accesses/accesses.js'
import type { Account } from '../../store/engine/account.js'
import { accountOfUsername, readUser, type User } from '../../store/accounts/users.js'
import { concernsCallers } from '../../store/engine/journal.js'
import type { Store } from '../../store/index.js'
import type { Authenticated } from './caller.js'

/** An account with its user and its recently used accesses. */
export interface LoadedAccount {
  account: Account
  user: User
  /** Accesses by token; cleared when an access or a session changes. */
  tokens: Map<string, Authenticated>
  /** Set after eviction, when it no longer follows the journal: a running call may still use it, but must not cache in it. */
  isEvicted?: true
}

/** Cache of accounts by username; follows the journal. */
export interface AccountCache {
  /** Returns the account with a username, if in memory. */
  peek(username: string): LoadedAccount | undefined
  /** Returns the account with a username; undefined when there is none. */
  find(username: string): Promise<LoadedAccount | undefined>
  /** Returns the account for the alias of an access; undefined when there is none. */
  findByAlias(alias: string): Promise<LoadedAccount | undefined>
}

const MAX_CACHED = 1000

export function createAccountCache(store: Store, maxCached = MAX_CACHED): AccountCache {
  const byPrefix = new Map<string, LoadedAccount>()
  const byName = new Map<string, LoadedAccount>()
  store.follow((entries) => {
    for (const { account: prefix, kind, action } of entries) {
      if (!concernsCallers(kind) || (kind === 'access' && action === 'create')) continue
      const loaded = byPrefix.get(prefix)
      if (loaded === undefined) continue
      loaded.tokens.clear()
      if (kind !== 'user') continue
      const user = readUser(store.db, prefix)
      if (user === undefined) evict(prefix, loaded)
      else loaded.user = user
    }
    // The entry of a user may change its name.
    if (entries.some(({ kind }) => kind === 'user')) byName.clear()
  })
  store.onReadOnly(() => {
    for (const [prefix, loaded] of byPrefix) evict(prefix, loaded)
    byName.clear()
  })

  function evict(prefix: string, loaded: LoadedAccount): void {
    byPrefix.delete(prefix)
    loaded.isEvicted = true
    loaded.tokens.clear()
  }

  function peek(username: string): LoadedAccount | undefined {
    let loaded = byName.get(username)
    if (loaded === undefined) {
      const prefix = accountOfUsername(store.db, username)
      loaded = prefix === undefined ? undefined : byPrefix.get(prefix)
      if (loaded === undefined) return undefined
      if (byName.size >= maxCached) byName.clear()
      byName.set(username, loaded)
    }
    // The store may have evicted and reloaded the account.
    return loaded.isEvicted !== true && store.loaded(loaded.account.prefix) === loaded.account ? loaded : undefined
  }

  async function byAccount(prefix: string): Promise<LoadedAccount | undefined> {
    const account = await store.account(prefix)
    const known = byPrefix.get(prefix)
    if (known?.account === account) return known
    const user = readUser(store.db, prefix)
    if (user === undefined) return undefined
    const loaded: LoadedAccount = { account, user, tokens: new Map<string, Authenticated>() }
    if (known !== undefined) evict(prefix, known)
    const [oldest] = byPrefix
    if (byPrefix.size >= maxCached && oldest !== undefined) evict(...oldest)
    byPrefix.set(prefix, loaded)
    return loaded
  }

  return {
    peek,
    async find(username) {
      const known = peek(username)
      if (known !== undefined) return known
      const prefix = accountOfUsername(store.db, username)
      if (prefix === undefined) return undefined
      byName.delete(username)
      return byAccount(prefix)
    },
    async findByAlias(alias) {
      const prefix = accountOfAlias(store.db, alias)
      return prefix === undefined ? undefined : byAccount(prefix)
    },
  }
}
