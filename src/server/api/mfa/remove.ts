/** Removal of a second factor: by its owner, by a recovery code, by the operator. */
import { putEnrolment, putFailureCounter, readEnrolment } from '../../../store/accounts/credentials.js'
import type { Transaction } from '../../../store/engine/account.js'

/**
 * Stages the removal of the account's factor and of its count of wrong codes. Pending logins end with their factor. Returns
 * whether there was one.
 */
export function removeEnrolment(t: Transaction): boolean {
  const wasThere = readEnrolment(t, t.account) !== undefined
  putEnrolment(t, undefined)
  putFailureCounter(t, 'mfa', undefined)
  return wasThere
}
