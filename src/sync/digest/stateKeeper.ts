/** The states of the accounts of a node that are paired: opened when they are first asked for, then kept up to date. */
import type { Account } from '../../store/engine/account.js'
import type { CommittedEntry } from '../../store/engine/journal.js'
import type { Store } from '../../store/index.js'
import { openAccountState, type AccountState, type SavedState } from './accountState.js'

export interface StateKeeper {
  /**
   * The state of an account, kept up to date from then on. The first time it is read from what was saved, or made from
   * the items.
   */
  of(account: Account): Promise<AccountState>
  /** Saves all states and follows no more. */
  stop(): Promise<void>
}

export interface StateKeeperOptions {
  store: Store
  log: { warn(message: string, about?: object): void }
}

/** A state is saved after so many entries, or so long after the first of them. */
const ENTRIES_UNSAVED = 20_000
const MILLISECONDS_UNSAVED = 30_000

interface Opened {
  state: Promise<SavedState>
  take: SavedState['take'] | undefined
  saving: Promise<void> | undefined
  timer: NodeJS.Timeout | undefined
  stored: SavedState | undefined
}

/** Makes the keeper of a node. */
export function createStateKeeper({ store, log }: StateKeeperOptions): StateKeeper {
  const opened = new Map<string, Opened>()

  function save(account: string, one: Opened): Promise<void> {
    clearTimeout(one.timer)
    one.timer = undefined
    one.saving ??= (one.stored?.save() ?? Promise.resolve())
      .catch((error: unknown) => log.warn('The state of an account was not saved.', { account, error: String(error) }))
      .finally(() => {
        one.saving = undefined
      })
    return one.saving
  }

  function noteUnsaved(account: string, one: Opened): void {
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
      let take: SavedState['take'] | undefined
      const hand = (given: SavedState['take']): void => {
        take = given
      }
      const state = openAccountState(store, account, hand, (why) => log.warn(why, { account: account.prefix }))
      // What takes commits was handed over before anything was waited for.
      const one: Opened = { state, take, saving: undefined, timer: undefined, stored: undefined }
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
