/** Taking a second factor away: by its owner, by a recovery code, by the operator. */
import { putFailureCounter } from '../../store/accounts/rateLimitCounters.js'
import { putEnrolment, readEnrolment } from '../../store/accounts/mfa.js'
import type { Transaction } from '../../store/engine/account.js'

/**
 * Stages the end of the account's factor, and of the count of wrong codes. Logins that wait for it end with it, since
 * they are of that factor. Answers whether there was one.
 */
export function removeEnrolment(t: Transaction): boolean {
  const wasThere = readEnrolment(t, t.account) !== undefined
  putEnrolment(t, undefined)
  putFailureCounter(t, 'mfa', undefined)
  return wasThere
}
