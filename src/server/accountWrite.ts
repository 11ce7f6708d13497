/**
 * Changing an account for a call: handlers write through this file, so that what belongs to every change of a call is
 * in one place.
 */
import type { Transaction } from '../store/engine/account.js'
import type { CallRecorder } from './audit/auditEntry.js'
import { assertNotRevoked } from './guard/authenticate.js'
import type { Call } from './method.js'
import { counted, forgetMeasurement, limitsOf, measureFirst, assertWithinLimits } from './quota.js'

/** Runs `work` as a transaction of the call's account; resolves with its result once that is on disk. */
export function writeAccount<T>(call: Call, work: (t: Transaction) => T): Promise<T> {
  return call.account.write((t) => {
    assertNotRevoked(call, t)
    return recorded(call.trail, t, work)
  })
}

/**
 * Like `change`, for what adds to an account: records, files, accesses.
 * @throws Failure `user-intervention-required` over the limits of the account
 */
export function writeWithinQuota<T>(call: Call, work: (t: Transaction) => T): Promise<T> {
  const measuring = measureFirst(call)
  return measuring === undefined ? writeAccount(call, withinQuota(call, work)) : measuring.then(() => writeAccount(call, withinQuota(call, work)))
}

/**
 * Work that adds to an account, as a step of `change` or `writeExclusively`; `measureFirst` comes before. Throws what `grow`
 * throws.
 */
export function withinQuota<T>(call: Call, work: (t: Transaction) => T): (t: Transaction) => T {
  const limits = limitsOf(call.node, call.user)
  if (limits === undefined || limits.dbDocuments === null) forgetMeasurement(call)
  if (limits === undefined) return work
  return (t) => {
    assertWithinLimits(call, t, limits)
    return work(limits.dbDocuments === null ? t : counted(call, t))
  }
}

/** How an update writes: one that only moves to the trash or back adds nothing. */
export function updateWriter(input: object): typeof writeAccount {
  return Object.entries(input).every(([key, value]) => key === 'trashed' || value === undefined) ? writeAccount : writeWithinQuota
}

/** Runs `work` while no other writer of the account does; it changes through the `write` that it is given. */
export function writeExclusively<T>(
  call: Call,
  work: (write: <R>(step: (t: Transaction) => R) => Promise<R>) => Promise<T>,
): Promise<T> {
  const { account, trail } = call
  return account.exclusively((write) => {
    assertNotRevoked(call, account.db)
    return work((step) => write((t) => recorded(trail, t, step)))
  })
}

/** The record of the call goes with its first write, so that no crash can part a change from it. */
function recorded<T>(trail: CallRecorder | undefined, t: Transaction, step: (t: Transaction) => T): T {
  const result = step(t)
  trail?.stage(t)
  return result
}
