/** Digests of the replicated accounts of a node, opened on first use and then kept up to date. */
import type { Account } from '../../store/engine/account.js'
import type { CommittedEntry } from '../../store/engine/journal.js'
import type { Store } from '../../store/index.js'
import { openAccountState, type AccountState, type SavedState } from './accountState.js'

export interface StateKeeper {
  /** Returns the digest of an account, kept up to date from then on. The first call loads it, or computes it from the items. */
  of(account: Account): Promise<AccountState>
  /** Saves all digests and stops following. */
  stop(): Promise<void>
}

interface StateKeeperOptions {
  store: Store
  log: { warn(message: string, about?: object): void }
}

/** Thresholds for a save: number of entries, and milliseconds since the first of them. */
const ENTRIES_UNSAVED = 20_000
const MILLISECONDS_UNSAVED = 30_000

interface OpenState {
  state: Promise<SavedState>
  take: SavedState['receive'] | undefined
  saving: Promise<void> | undefined
  timer: NodeJS.Timeout | undefined
  stored: SavedState | undefined
}

/** Creates the keeper of a node. */
export function createStateKeeper({ store, log }: StateKeeperOptions): StateKeeper {
  const opened = new Map<string, OpenState>()

  function save(account: string, one: OpenState): Promise<void> {
    clearTimeout(one.timer)
    one.timer = undefined
    one.saving ??= (one.stored?.save() ?? Promise.resolve())
      .catch((error: unknown) => log.warn('The digest of an account was not saved.', { account, error: String(error) }))
      .finally(() => {
        one.saving = undefined
      })
    return one.saving
  }

  function noteUnsaved(account: string, one: OpenState): void {
    if (one.stored === undefined || one.stored.unsaved === 0) return
    if (one.stored.unsaved >= ENTRIES_UNSAVED) void save(account, one)
    else one.timer ??= setTimeout(() => void save(account, one), MILLISECONDS_UNSAVED).unref()
  }

  function forget(account: string): void {
    clearTimeout(opened.get(account)?.timer)
    opened.delete(account)
  }

  const unfollow = store.follow((entries) => {
    if (opened.size === 0) return
    // Usually all entries of a commit are of one account.
    const parts = new Map<string, CommittedEntry[]>()
    for (const entry of entries) {
      if (!opened.has(entry.account)) continue
      const part = parts.get(entry.account)
      if (part === undefined) parts.set(entry.account, [entry])
      else part.push(entry)
    }
    for (const [account, part] of parts) {
      const one = opened.get(account)
      if (one === undefined) continue
      one.take?.(part)
      if (part.some(({ kind, action }) => kind === 'user' && action === 'delete')) forget(account)
      else noteUnsaved(account, one)
    }
  })

  return {
    of(account) {
      const known = opened.get(account.prefix)
      if (known !== undefined) return known.state
      let take: SavedState['receive'] | undefined
      const hand = (given: SavedState['receive']): void => {
        take = given
      }
      const state = openAccountState(store, account, hand, (why) => log.warn(why, { account: account.prefix }))
      // `hand` is called synchronously, so `take` is set.
      const one: OpenState = { state, take, saving: undefined, timer: undefined, stored: undefined }
      opened.set(account.prefix, one)
      state.then(
        (stored) => {
          one.stored = stored
          void save(account.prefix, one)
        },
        () => forget(account.prefix),
      )
      return state
    },
    async stop() {
      unfollow()
      for (const [account, one] of opened) {
        await one.state.catch(() => {})
        await one.saving
        await save(account, one)
      }
      opened.clear()
    },
  }
}
