/**
 * Remembers which sets of streams have few of an account's events, so that queries of them need no trial by time. The share is
 * that of a period of about 50 days, since it changes with time, and counts for a number of queries only.
 */
import type { Account } from '../engine/account.js'

/** Sets of more streams are not remembered, so that keys stay short. */
const MAX_STREAMS = 16
/** Remembered sets per account; the oldest is forgotten first. */
const MAX_KEYS = 256
/** Queries before the share is judged again. */
const USES = 64
/** Length of a period, in seconds. */
const PERIOD = 2 ** 22

const sparse = new WeakMap<Account, Map<string, number>>()

/** Returns the key of a set of streams in the period of `time`, in seconds; undefined for sets that are not remembered. */
export const sparseKey = (streams: ReadonlySet<string>, time: number): string | undefined =>
  streams.size > MAX_STREAMS ? undefined : `${Math.floor(time / PERIOD)} ${[...streams].sort().join(' ')}`

/** Checks whether a set of streams was found to have few events, and counts the use. */
export function isKnownSparse(account: Account, key: string): boolean {
  const known = sparse.get(account)
  const left = known?.get(key) ?? 0
  if (left > 1) known?.set(key, left - 1)
  else known?.delete(key)
  return left > 0
}

/** Remembers that a set of streams has few events. */
export function rememberSparse(account: Account, key: string): void {
  let known = sparse.get(account)
  if (known === undefined) sparse.set(account, (known = new Map()))
  known.set(key, USES)
  const [oldest] = known.keys()
  if (known.size > MAX_KEYS && oldest !== undefined) known.delete(oldest)
}
