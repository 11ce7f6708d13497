/**
 * Failure catalogue: the error ids of calls with default messages (docs/interface/conventions.md#errors). The server maps ids to
 * statuses (status.ts).
 */
export const failures = {
  INVALID_DATA: 'These data cannot be used.',
  INVALID_EMAIL: 'This is not an e-mail address.',
  UNKNOWN_EMAIL: 'This e-mail address is not known.',
  'api-unavailable': 'This operation is not available for these data.',
  'consent-check-unavailable': 'The consent could not be checked; try again.',
  'core-not-pre-registered': 'The platform does not expect a core with this id.',
  'corrupted-data': 'Stored data are damaged.',
  'cross-core-registration-failed': 'The account could not be created on its core.',
  'delegation-already-exists': 'A relationship with this delegate already exists.',
  'delegation-creation-failed': 'The account could not be created; all changes were undone.',
  'delegation-delegate-mismatch': 'This is not the delegate of the relationship.',
  'delegation-delivery-failed': 'The other account could not be reached; nothing was changed.',
  'delegation-genuine-login-required': 'This needs a login by the owner of the account.',
  'delegation-invalid-keep-list': 'The keep list must contain only consent grants of this relationship.',
  'delegation-invite-expired': 'The invitation has expired.',
  'delegation-mirror-not-stale': 'The relationship has not ended; only stale relationships can be dismissed.',
  'delegation-not-active': 'The relationship is not active.',
  'delegation-not-found': 'There is no such relationship.',
  'delegation-self-not-allowed': 'An account cannot be its own delegate.',
  'delegation-unknown-core': 'The core of this account is unknown.',
  'delegation-unknown-username': 'There is no account with this name.',
  'delegation-username-taken': 'An account with this name already exists.',
  forbidden: 'You do not have the permission to do this.',
  'invalid-access-token': 'Cannot find access from token.',
  'invalid-body': 'The body must be an object with the texts coreId and token.',
  'invalid-consent-grant': 'The grant does not match the request.',
  'invalid-credentials': 'The given username/password pair is invalid.',
  'invalid-event-type': 'The event type is not known.',
  'invalid-item-id': 'This id is reserved.',
  'invalid-method': 'There is no method with this name.',
  'invalid-operation': 'This cannot be done in the current state.',
  'invalid-parameters': 'A parameter has an invalid value.',
  'invalid-parameters-format': 'The parameters do not have the expected format.',
  'invalid-request': 'A parameter has an invalid value.',
  'invalid-request-structure': 'The request does not have the expected structure.',
  'invalid-step-up': 'The password or code is wrong.',
  'invitationToken-invalid': 'The invitation token is invalid.',
  'item-already-exists': 'An item with the same identity already exists.',
  'mfa-method-inactive': 'The second factor of this account is not offered by this node.',
  'missing-header': 'A required header is missing.',
  'payload-too-large': 'The request is larger than this node accepts.',
  'platform-unavailable': 'The registry of the platform does not answer; try again.',
  'read-only': 'The node is read-only after a disk error; restart it once the disk is fixed.',
  'removed-method': 'This method has been removed.',
  'renewal-failed': 'The certificate was not renewed.',
  'reservation-refused': 'These values cannot be reserved.',
  'stale-resource': 'The resource was changed in the meantime.',
  'storage-full': 'The disk is full; nothing was changed.',
  'token-coreid-mismatch': 'The join token is for another core.',
  'token-invalid': 'The join token is invalid.',
  'too-many-attempts': 'Wait before trying again.',
  'too-many-requests': 'Too many requests are pending.',
  'too-many-results': 'The result is too large for this kind of call; request less, or use HTTP GET.',
  'unavailable-method': 'This method is not available on this node.',
  'unexpected-error': 'Something unexpected happened on the node.',
  'unknown-access-key': 'This access request is unknown or has expired.',
  'unknown-referenced-resource': 'A referenced item does not exist.',
  'unknown-resource': 'The resource was not found.',
  'unknown-user': 'This user is not known.',
  'unsupported-content-type': 'This content type is not supported here.',
  'user-account-relocated': 'This account has moved.',
  'user-intervention-required': 'The account is over its limits.',
  'wrong-core': 'This account is on another core.',
} as const

export type FailureId = keyof typeof failures

/**
 * One item of `data` of an `invalid-parameters-format` failure (docs/interface/conventions.md#validation-items). `path` is a JSON
 * pointer after `#/`; for a missing property it names the containing object and ends with `/`.
 */
export interface ValidationItem {
  code: string
  message: string
  path: string
  param?: string
  params?: unknown[]
}

/** An error of the catalogue. Thrown by rules and methods, converted to a response by the server. */
export class Failure extends Error {
  constructor(
    readonly id: FailureId,
    message?: string,
    readonly data?: unknown,
    /**
     * Distinguishes cases of one id with different statuses: absent or refused token, incomplete or missing response,
     * too early or expired, answered elsewhere.
     */
    readonly variant?: 'absent' | 'refused' | 'incomplete' | 'too-early' | 'elsewhere',
  ) {
    super(message ?? failures[id])
    this.name = 'Failure'
  }

  /** Returns the `error` object of a response. */
  toJSON(): { id: FailureId; message: string; data?: unknown } {
    return this.data === undefined
      ? { id: this.id, message: this.message }
      : { id: this.id, message: this.message, data: this.data }
  }
}

/** Converts an error from another program; unknown ids become `unexpected-error`. */
export function describeFailure({ id, message, data }: { id?: unknown; message?: unknown; data?: unknown }): Failure {
  const known = typeof id === 'string' && Object.hasOwn(failures, id) ? (id as FailureId) : 'unexpected-error'
  return new Failure(known, typeof message === 'string' ? message : String(id ?? 'The node gave no reason.'), data)
}

/** The `error` object of a response with its own form. */
interface OwnError {
  id: FailureId
  message: string
  data?: unknown
}

/** A failure whose HTTP response has members beside `error`, or a different error object. */
export class FormedFailure extends Failure {
  readonly members: Readonly<Record<string, unknown>>

  constructor(id: FailureId, message: string, form: (error: OwnError) => Record<string, unknown>, data?: unknown, variant?: Failure['variant']) {
    super(id, message, data, variant)
    this.members = form(this.toJSON())
  }
}

/** Creates an `invalid-parameters-format` failure with its validation items. */
export function invalidFormat(items: ValidationItem[], message?: string): Failure {
  return new Failure('invalid-parameters-format', message ?? items[0]?.message, items)
}
