/**
 * Counts calls refused for an unknown token. They need no credentials, so they get no individual records:
 * those of one client, method and minute share one, without the query.
 */
import type { Account } from '../../store/engine/account.js'
import type { Failure } from '../../store/model/failure.js'
import { clientNetwork } from '../base/clientAddress.js'
import { redactContent, type RecordedCall, type RecordKeeper, type RecordPlace } from './auditEntry.js'

const WINDOW_SECONDS = 60
/** Maximum number of such records per account and minute; further clients share one that names none. */
const MAX_WINDOWS = 100
/** Maximum for all accounts together; beyond it, an account only has the shared record. */
const MAX_ALL_WINDOWS = 10_000

/** Calls counted by one record. */
interface Window {
  account: Account
  call: RecordedCall
  failure: Failure
  place: RecordPlace
  ends: number
  count: number
  last: number
  /** True when calls arrived that the record does not count yet. */
  isBehind: boolean
}

interface RefusalCounter {
  count(account: Account, call: RecordedCall, failure: Failure): void
  /** Updates the records of an account. */
  settle(account: Account): void
  /** Completes records whose minute is over; all records with `isEnd`. */
  close(isEnd?: boolean): void
}

/** `now` in seconds. */
export function createRefusalCounter(keeper: RecordKeeper, now: () => number): RefusalCounter {
  const byAccount = new Map<Account, Map<string, Window>>()
  let open = 0

  function windowsOf(account: Account): Map<string, Window> {
    const known = byAccount.get(account)
    if (known !== undefined) return known
    const windows = new Map<string, Window>()
    byAccount.set(account, windows)
    return windows
  }

  function store(window: Window): void {
    const { account, call, failure, place, count, last } = window
    window.isBehind = false
    const detail = count === 1 ? '' : `,"callCount":${count},"firstTime":${place.time},"lastTime":${last}`
    keeper.queue(account, call, place, redactContent(call, detail, failure))
  }

  return {
    count(account, call, failure) {
      const time = now()
      const windows = windowsOf(account)
      const own = `${clientNetwork(call.ip) ?? ''} ${call.action} ${failure.id}`
      const isFull = !windows.has(own) && (windows.size >= MAX_WINDOWS || open >= MAX_ALL_WINDOWS)
      const name = isFull ? '' : own
      const window = windows.get(name)
      // Setting the clock back also ends a window.
      if (window !== undefined && window.ends > time && time > window.ends - 2 * WINDOW_SECONDS) {
        window.count += 1
        window.last = Math.max(window.last, time)
        window.isBehind = true
        return
      }
      if (window === undefined) open += 1
      else if (window.isBehind) store(window)
      const anonymous = { ...call, query: undefined, callerId: undefined, ...(isFull ? { ip: undefined } : {}) }
      const place = keeper.place(account, call.access)
      const begun = { account, call: anonymous, failure, place, ends: time + WINDOW_SECONDS, count: 1, last: time, isBehind: false }
      windows.set(name, begun)
      store(begun)
    },
    settle(account) {
      for (const window of byAccount.get(account)?.values() ?? []) if (window.isBehind) store(window)
    },
    close(isEnd = false) {
      const time = now()
      for (const [account, windows] of byAccount) {
        for (const [name, window] of windows) {
          const isOver = isEnd || window.ends <= time || window.ends - time > WINDOW_SECONDS
          if (!isOver) continue
          if (window.isBehind) store(window)
          windows.delete(name)
          open -= 1
        }
        if (windows.size === 0) byAccount.delete(account)
      }
    },
  }
}
