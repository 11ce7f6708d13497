/**
 * Writes to an account on behalf of a call. Handlers write through this file, which checks the access, applies quotas, and
 * records the call.
 */
import type { Transaction } from '../../store/engine/account.js'
import type { CallRecorder } from '../audit/auditEntry.js'
import { assertNotRevoked } from '../auth/authenticate.js'
import type { Call } from '../call/method.js'
import { counted, forgetMeasurement, limitsOf, measureFirst, assertWithinLimits } from './quota.js'

/** Runs `work` as a transaction of the call's account; resolves with its result after commit. */
export function writeAccount<T>(call: Call, work: (t: Transaction) => T): Promise<T> {
  return call.account.write((t) => {
    assertNotRevoked(call, t)
    return recorded(call.trail, t, work)
  })
}

/**
 * Like `writeAccount`, for changes that add to an account: records, files, accesses.
 * @throws Failure `user-intervention-required` over the limits of the account
 */
export function writeWithinQuota<T>(call: Call, work: (t: Transaction) => T): Promise<T> {
  const measuring = measureFirst(call)
  return measuring === undefined ? writeAccount(call, withinQuota(call, work)) : measuring.then(() => writeAccount(call, withinQuota(call, work)))
}

/**
 * Wraps work that adds to an account, for `writeAccount` or `writeExclusively`; call `measureFirst` before. Throws the failures
 * of `assertWithinLimits`.
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

/** Returns the write function of an update. Moving to or out of the trash adds nothing, so that no quota applies. */
export function updateWriter(input: object): typeof writeAccount {
  return Object.entries(input).every(([key, value]) => key === 'trashed' || value === undefined) ? writeAccount : writeWithinQuota
}

/** Runs `work` with exclusive write access to the account; it changes the account through the given `write`. */
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

/** Stages the audit record with the first write of the call, so that both are committed atomically. */
function recorded<T>(trail: CallRecorder | undefined, t: Transaction, step: (t: Transaction) => T): T {
  const result = step(t)
  trail?.stage(t)
  return result
}
