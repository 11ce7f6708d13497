/**
 * Delays repeated attempts at a password or a second factor, per account (docs/interface/auth.md#failed-attempts,
 * docs/interface/mfa.md#attempts).
 */
import type { Account } from '../../store/engine/account.js'
import { putFailureCounter, readFailureCounter, type AttemptsOf, type FailureCounter } from '../../store/accounts/credentials.js'
import { Failure } from '../../store/model/failure.js'
import type { Context } from '../call/context.js'

/**
 * Exponential backoff: after `freeFailures`, each further failure delays the next attempt, from `baseSeconds` up to `maxSeconds`.
 */
export interface Backoff {
  freeFailures: number
  baseSeconds: number
  /** 0 disables the delays. */
  maxSeconds: number
  /** Failures are reset when the latest is older than this. */
  windowSeconds: number
  /** Minimum delay after a number of failures (docs/interface/limits.md#attempts, for the second factor). */
  lock?: { failures: number; seconds: number }
}

/** Returns the seconds that the next attempt must wait after `failures`. */
export function delayAfter(failures: number, { freeFailures, baseSeconds, maxSeconds, lock }: Backoff): number {
  const min = lock !== undefined && failures >= lock.failures ? lock.seconds : 0
  if (failures <= freeFailures) return min
  return Math.max(min, Math.min(baseSeconds * 2 ** (failures - freeFailures - 1), maxSeconds))
}

/**
 * Throws while an account must wait; counts nothing.
 * @throws Failure `too-many-attempts`
 */
export function assertNotWaiting(node: Context, { db, prefix }: Account, of: AttemptsOf, rule: Backoff): void {
  if (rule.maxSeconds === 0) return
  const wait = waitOf(readFailureCounter(db, prefix, of), rule, node.clock.now())
  if (wait > 0) throw tooMany(wait)
}

/**
 * Returns the seconds until the next attempt is allowed; not positive when it is allowed now. If the last failure is in the
 * future (clock was set back), no delay applies, but the failures still count.
 */
const waitOf = (tally: FailureCounter | undefined, rule: Backoff, now: number): number =>
  tally === undefined || tally.last > now ? 0 : tally.last + delayAfter(tally.failures, rule) - now

/**
 * Counts an attempt as failed before it is checked, so that simultaneous attempts are limited too. `clearAttempts` resets the
 * count after a success.
 * @throws Failure `too-many-attempts` while the account must wait; such an attempt is not counted
 */
export async function countAttempt(node: Context, account: Account, of: AttemptsOf, rule: Backoff): Promise<void> {
  if (rule.maxSeconds === 0) return
  await account.write((t) => {
    putFailureCounter(t, of, withAttempt(readFailureCounter(t, t.account, of), rule, node.clock.now()))
  })
}

/**
 * Adds a failed attempt to a counter.
 * @throws Failure `too-many-attempts` while the next attempt must wait
 */
export function withAttempt(known: FailureCounter | undefined, rule: Backoff, now: number): FailureCounter {
  // A delay is kept to its end, even beyond the window.
  const wait = waitOf(known, rule, now)
  if (wait > 0) throw tooMany(wait)
  const failures = known === undefined || known.last + rule.windowSeconds < now ? 0 : known.failures
  return { failures: failures + 1, last: now }
}

/** Resets the failed attempts of an account after a success. */
export async function clearAttempts(account: Account, of: AttemptsOf): Promise<void> {
  if (readFailureCounter(account.db, account.prefix, of) === undefined) return
  await account.write((t) => putFailureCounter(t, of, undefined))
}

/** Returns the failure with the time to wait. */
export function tooMany(seconds: number, message?: string): Failure {
  const retryAfterSeconds = Math.max(1, Math.ceil(seconds))
  return new Failure('too-many-attempts', message ?? `Wait ${retryAfterSeconds} seconds before trying again.`, {
    retryAfterSeconds,
  })
}
