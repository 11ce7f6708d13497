/** Delays guessing at a password or a second factor, by account (accounts supplement 4.4, 5.10). */
import type { Account } from '../../store/engine/account.js'
import { putFailureCounter, readFailureCounter, type AttemptsOf, type FailureCounter } from '../../store/accounts/rateLimitCounters.js'
import { Failure } from '../../store/model/failure.js'
import type { Node } from '../node.js'

/** After `freeFailures`, each further failure delays the next attempt, from `baseSeconds` on, doubling up to `maxSeconds`. */
export interface Backoff {
  freeFailures: number
  baseSeconds: number
  /** 0 switches the delays off. */
  maxSeconds: number
  /** Failures are forgotten when the latest is older than this. */
  windowSeconds: number
  /** So many failures delay the next attempt by this much at least (specification, "Limits", for the second factor). */
  lock?: { failures: number; seconds: number }
}

/** Seconds that the next attempt has to wait after `failures`. */
export function delayAfter(failures: number, { freeFailures, baseSeconds, maxSeconds, lock }: Backoff): number {
  const min = lock !== undefined && failures >= lock.failures ? lock.seconds : 0
  if (failures <= freeFailures) return min
  return Math.max(min, Math.min(baseSeconds * 2 ** (failures - freeFailures - 1), maxSeconds))
}

/**
 * Refuses while an account has to wait; counts nothing.
 * @throws Failure `too-many-attempts`
 */
export function assertNotWaiting(node: Node, { db, prefix }: Account, of: AttemptsOf, rule: Backoff): void {
  if (rule.maxSeconds === 0) return
  const wait = waitOf(readFailureCounter(db, prefix, of), rule, node.clock.now())
  if (wait > 0) throw tooMany(wait)
}

/**
 * Seconds until the next attempt is taken; not positive when it is taken now. After an attempt in the future, which a
 * clock that was ahead leaves, nobody waits: the failures still count, and the next delay begins from the right time.
 */
const waitOf = (tally: FailureCounter | undefined, rule: Backoff, now: number): number =>
  tally === undefined || tally.last > now ? 0 : tally.last + delayAfter(tally.failures, rule) - now

/**
 * Counts an attempt as failed before anything is checked, so that simultaneous attempts cannot share a slot.
 * `succeeded` takes it back.
 * @throws Failure `too-many-attempts` while the account has to wait; such an attempt is not counted
 */
export async function countAttempt(node: Node, account: Account, of: AttemptsOf, rule: Backoff): Promise<void> {
  if (rule.maxSeconds === 0) return
  await account.write((t) => {
    putFailureCounter(t, of, withAttempt(readFailureCounter(t, t.account, of), rule, node.clock.now()))
  })
}

/**
 * Adds a failed attempt to a tally.
 * @throws Failure `too-many-attempts` while the next attempt has to wait
 */
export function withAttempt(known: FailureCounter | undefined, rule: Backoff, now: number): FailureCounter {
  // A delay lasts to its end, be it longer than the window.
  const wait = waitOf(known, rule, now)
  if (wait > 0) throw tooMany(wait)
  const failures = known === undefined || known.last + rule.windowSeconds < now ? 0 : known.failures
  return { failures: failures + 1, last: now }
}

/** Forgets the failed attempts of an account, after one that succeeded. */
export async function clearAttempts(account: Account, of: AttemptsOf): Promise<void> {
  if (readFailureCounter(account.db, account.prefix, of) === undefined) return
  await account.write((t) => putFailureCounter(t, of, undefined))
}

/** The refusal that tells when to try again. */
export function tooMany(seconds: number, message?: string): Failure {
  const retryAfterSeconds = Math.max(1, Math.ceil(seconds))
  return new Failure('too-many-attempts', message ?? `Wait ${retryAfterSeconds} seconds before trying again.`, {
    retryAfterSeconds,
  })
}
