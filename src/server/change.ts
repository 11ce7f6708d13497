/**
 * Changing an account for a call: handlers write through this file, so that what belongs to every change of a call is
 * in one place.
 */
import type { Transaction } from '../store/account.js'
import { refuseWithdrawn } from './guard/authenticate.js'
import type { Call } from './method.js'

/** Runs `work` as a transaction of the call's account; resolves with its result once that is on disk. */
export function change<T>(call: Call, work: (t: Transaction) => T): Promise<T> {
  return call.account.write((t) => {
    refuseWithdrawn(call, t)
    return work(t)
  })
}

/** Runs `work` while no other writer of the account does; it changes through the `write` that it is given. */
export function changeAlone<T>(
  call: Call,
  work: (write: <R>(step: (t: Transaction) => R) => Promise<R>) => Promise<T>,
): Promise<T> {
  return call.account.exclusively((write) => {
    refuseWithdrawn(call, call.account.db)
    return work(write)
  })
}
