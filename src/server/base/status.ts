/** HTTP status codes of all failures; a failure without one does not compile. */
import type { Failure, FailureId } from '../../store/model/failure.js'
import { PassedFailure } from './passedFailure.js'

export const statusOfId: Record<FailureId, number> = {
  INVALID_DATA: 400,
  INVALID_EMAIL: 400,
  UNKNOWN_EMAIL: 404,
  'api-unavailable': 501,
  'consent-check-unavailable': 503,
  'core-not-pre-registered': 404,
  'corrupted-data': 422,
  'cross-core-registration-failed': 502,
  'delegation-already-exists': 409,
  'delegation-creation-failed': 502,
  'delegation-delegate-mismatch': 403,
  'delegation-delivery-failed': 503,
  'delegation-genuine-login-required': 403,
  'delegation-invalid-keep-list': 400,
  'delegation-invite-expired': 410,
  'delegation-mirror-not-stale': 409,
  'delegation-not-active': 410,
  'delegation-not-found': 404,
  'delegation-self-not-allowed': 400,
  'delegation-unknown-core': 400,
  'delegation-unknown-username': 404,
  'delegation-username-taken': 409,
  forbidden: 403,
  'invalid-access-token': 401,
  'invalid-body': 400,
  'invalid-consent-grant': 400,
  'invalid-credentials': 401,
  'invalid-event-type': 400,
  'invalid-item-id': 400,
  'invalid-method': 404,
  'invalid-operation': 400,
  'invalid-parameters': 400,
  'invalid-parameters-format': 400,
  'invalid-request': 400,
  'invalid-request-structure': 400,
  'invalid-step-up': 403,
  'invitationToken-invalid': 400,
  'item-already-exists': 409,
  'mfa-method-inactive': 403,
  'missing-header': 400,
  'payload-too-large': 413,
  'platform-unavailable': 503,
  'read-only': 503,
  'removed-method': 410,
  'renewal-failed': 400,
  'reservation-refused': 400,
  'stale-resource': 409,
  'storage-full': 507,
  'token-coreid-mismatch': 401,
  'token-invalid': 401,
  'too-many-attempts': 429,
  'too-many-requests': 429,
  'too-many-results': 413,
  'unavailable-method': 451,
  'unexpected-error': 500,
  'unknown-access-key': 400,
  'unknown-referenced-resource': 400,
  'unknown-resource': 404,
  'unknown-user': 404,
  'unsupported-content-type': 415,
  'user-account-relocated': 301,
  'user-intervention-required': 402,
  'wrong-core': 421,
}

/**
 * Returns the HTTP status of a failure. An invalid token is 403, a missing one 401
 * (docs/interface/conventions.md#authentication), also for series.
 */
export function statusOf(failure: Failure): number {
  if (failure instanceof PassedFailure) return failure.status
  if (failure.id === 'invalid-access-token' && failure.variant === 'refused') return 403
  if (failure.id === 'missing-header' && failure.variant === 'absent') return 401
  // No username, an incomplete answer, and an end before the start (docs/interface/delegations.md#tokens).
  if (failure.id === 'delegation-unknown-username' && failure.variant === 'absent') return 400
  if (failure.id === 'delegation-delivery-failed' && failure.variant === 'incomplete') return 502
  if (failure.id === 'delegation-not-active' && failure.variant === 'too-early') return 409
  // The same route of another core answers (docs/interface/registration.md#look-ups).
  if (failure.id === 'wrong-core' && failure.variant === 'elsewhere') return 307
  return statusOfId[failure.id]
}
