/** Delays guessing at a password or a second factor, by account (accounts supplement 4.4, 5.10). Never a lockout. */
import type { Account } from '../../store/account.js'
import { putTally, readTally, type AttemptsOf, type Tally } from '../../store/attempts.js'
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
}

/** Seconds that the next attempt has to wait after `failures`. */
export function delayAfter(failures: number, { freeFailures, baseSeconds, maxSeconds }: Backoff): number {
  if (failures <= freeFailures) return 0
  return Math.min(baseSeconds * 2 ** (failures - freeFailures - 1), maxSeconds)
}

/**
 * Counts an attempt as failed before anything is checked, so that simultaneous attempts cannot share a slot.
 * `succeeded` takes it back.
 * @throws Failure `too-many-attempts` while the account has to wait; such an attempt is not counted
 */
export async function countAttempt(node: Node, account: Account, of: AttemptsOf, rule: Backoff): Promise<void> {
  if (rule.maxSeconds === 0) return
  await account.write((t) => {
    const now = node.clock.now()
    const known = readTally(t, t.account, of)
    const tally: Tally = known === undefined || known.last + rule.windowSeconds < now ? { failures: 0, last: now } : known
    const wait = tally.last + delayAfter(tally.failures, rule) - now
    if (tally.failures > 0 && wait > 0) throw tooMany(wait)
    putTally(t, of, { failures: tally.failures + 1, last: now })
  })
}

/** Forgets the failed attempts of an account, after one that succeeded. */
export async function clearAttempts(account: Account, of: AttemptsOf): Promise<void> {
  if (readTally(account.db, account.prefix, of) === undefined) return
  await account.write((t) => putTally(t, of, undefined))
}

/** The refusal that tells when to try again. */
export function tooMany(seconds: number, message?: string): Failure {
  const retryAfterSeconds = Math.max(1, Math.ceil(seconds))
  return new Failure('too-many-attempts', message ?? `Wait ${retryAfterSeconds} seconds before trying again.`, {
    retryAfterSeconds,
  })
}
