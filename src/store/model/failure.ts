/**
 * The failure catalogue: every way a call can be refused, by id (specification, "Errors").
 * The model names failures; what status one has on a wire is the door's business (server/http/status.ts).
 */
export const failures = {
  INVALID_DATA: 'These data cannot be used.',
  INVALID_EMAIL: 'This is not an e-mail address.',
  UNKNOWN_EMAIL: 'This e-mail address is not known.',
  'api-unavailable': 'This operation is not available for these data.',
  'consent-check-unavailable': 'Whether the consent fits could not be checked; try again.',
  'corrupted-data': 'Stored data are damaged.',
  'delegation-already-exists': 'There is a relationship with this delegate already.',
  'delegation-creation-failed': 'The account could not be made; nothing is left of it.',
  'delegation-delegate-mismatch': 'This is not the delegate of the relationship.',
  'delegation-delivery-failed': 'The other account could not be reached; nothing was changed.',
  'delegation-genuine-login-required': 'This needs a login by the owner of the account.',
  'delegation-invalid-keep-list': 'What is to be kept is no list of consent grants of this relationship.',
  'delegation-invite-expired': 'The invitation is over.',
  'delegation-mirror-not-stale': 'The relationship has not ended; only what is stale can be dismissed.',
  'delegation-not-active': 'The relationship is not active.',
  'delegation-not-found': 'There is no such relationship.',
  'delegation-self-not-allowed': 'An account cannot be its own delegate.',
  'delegation-unknown-core': 'It is not known where this account is served.',
  'delegation-unknown-username': 'There is no account of this name.',
  'delegation-username-taken': 'An account of this name exists already.',
  forbidden: 'You do not have the permission to do this.',
  'invalid-access-token': 'Cannot find access from token.',
  'invalid-consent-grant': 'What was granted is not what was asked for.',
  'invalid-credentials': 'The given username/password pair is invalid.',
  'invalid-event-type': 'The event type is not known.',
  'invalid-item-id': 'This id is reserved.',
  'invalid-method': 'There is no method of this name.',
  'invalid-operation': 'This cannot be done in the present state.',
  'invalid-parameters': 'A parameter has an invalid value.',
  'invalid-parameters-format': 'The parameters do not have the expected format.',
  'invalid-request': 'A parameter has an invalid value.',
  'invalid-request-structure': 'The request is not formed as expected.',
  'invalid-step-up': 'The password or code is wrong.',
  'invitationToken-invalid': 'The invitation token is invalid.',
  'item-already-exists': 'An item with the same identity already exists.',
  'mfa-method-inactive': 'The second factor of this account is not offered by this node.',
  'missing-header': 'A required header is missing.',
  'payload-too-large': 'The request is larger than this node accepts.',
  'read-only': 'The node has turned read-only after a disk error; restart it once the disk is sound.',
  'removed-method': 'This method has been removed.',
  'renewal-failed': 'The certificate was not renewed.',
  'reservation-refused': 'These values cannot be reserved.',
  'stale-resource': 'The resource was changed in the meantime.',
  'storage-full': 'The disk is full; nothing was changed.',
  'too-many-attempts': 'Wait before trying again.',
  'too-many-requests': 'Too many requests are pending.',
  'too-many-results': 'The result is too large for this kind of call; ask for less, or over HTTP GET.',
  'unavailable-method': 'This method is not available on this node.',
  'unexpected-error': 'Something unexpected happened on the node.',
  'unknown-access-key': 'This access request is not known, or its time is over.',
  'unknown-referenced-resource': 'A referenced item does not exist.',
  'unknown-resource': 'Nothing is found here.',
  'unknown-user': 'This user is not known.',
  'unsupported-content-type': 'This content type is not usable here.',
  'user-account-relocated': 'This account has moved.',
  'user-intervention-required': 'The account is over its limits.',
  'wrong-core': 'This account lives on another core.',
} as const

export type FailureId = keyof typeof failures

/**
 * One item of `data` of an `invalid-parameters-format` failure (data supplement 1.9).
 * `path` is a JSON pointer behind `#/`; for a missing property it names the containing object and ends with `/`.
 */
export interface ValidationItem {
  code: string
  message: string
  path: string
  param?: string
  params?: unknown[]
}

/** A refusal of the catalogue. Thrown by rules and methods, turned into an answer by the doors. */
export class Failure extends Error {
  constructor(
    readonly id: FailureId,
    message?: string,
    readonly data?: unknown,
    /**
     * Tells apart the cases of one id that have different statuses: an absent token from a refused one, an answer that
     * lacks something from none, and what is refused because it has not happened from what has ended.
     */
    readonly variant?: 'absent' | 'refused' | 'incomplete' | 'too-early',
  ) {
    super(message ?? failures[id])
    this.name = 'Failure'
  }

  /** The `error` object of an answer. */
  toJSON(): { id: FailureId; message: string; data?: unknown } {
    return this.data === undefined
      ? { id: this.id, message: this.message }
      : { id: this.id, message: this.message, data: this.data }
  }
}

/** A failure as another program told it; `unexpected-error` for one that this program does not know. */
export function describeFailure({ id, message, data }: { id?: unknown; message?: unknown; data?: unknown }): Failure {
  const known = typeof id === 'string' && Object.hasOwn(failures, id) ? (id as FailureId) : 'unexpected-error'
  return new Failure(known, typeof message === 'string' ? message : String(id ?? 'The node gave no reason.'), data)
}

/** The `error` object of an answer that has a form of its own. */
export interface OwnError {
  id: FailureId
  message: string
  data?: unknown
}

/** A refusal whose answer over HTTP has members beside `error`, or another error than the failure that it is. */
export class FormedFailure extends Failure {
  readonly members: Readonly<Record<string, unknown>>

  constructor(id: FailureId, message: string, form: (error: OwnError) => Record<string, unknown>, data?: unknown) {
    super(id, message, data)
    this.members = form(this.toJSON())
  }
}

/** `invalid-parameters-format` with its validation items. */
export function invalidFormat(items: ValidationItem[], message?: string): Failure {
  return new Failure('invalid-parameters-format', message ?? items[0]?.message, items)
}
