/** Exit codes of commands, stable for scripts, and the error that carries one. */
import type { FailureId } from '../../store/model/failure.js'
import type { Names } from './nameKind.js'

/** All exit codes: number, error id under `--json`, and meaning. */
export const exitCodes = [
  { code: 0, id: 'ok', meaning: 'ok' },
  { code: 1, id: 'failed', meaning: 'failed' },
  { code: 2, id: 'wrong-usage', meaning: 'wrong usage' },
  { code: 3, id: 'partial', meaning: 'partially done' },
  { code: 4, id: 'not-allowed', meaning: 'not allowed' },
  { code: 5, id: 'not-found', meaning: 'not found' },
  { code: 6, id: 'conflict', meaning: 'conflict' },
  { code: 7, id: 'node-not-reachable', meaning: 'node not reachable' },
  { code: 8, id: 'waiting', meaning: 'not completed in time' },
  { code: 10, id: 'no-store', meaning: 'no store here' },
  { code: 11, id: 'store-locked', meaning: 'store locked' },
  { code: 12, id: 'wrong-passphrase', meaning: 'wrong passphrase' },
  { code: 13, id: 'damage-found', meaning: 'damage found' },
  { code: 69, id: 'platform-unavailable', meaning: 'registry of the platform not reachable' },
  { code: 75, id: 'temporary', meaning: 'temporary (disk full)' },
  { code: 130, id: 'cancelled', meaning: 'cancelled' },
] as const

export type ExitCode = (typeof exitCodes)[number]['code']

/** Exit code for each failure of a method. Exhaustive, so that a new failure does not compile without one. */
export const exitByFailure: Record<FailureId, ExitCode> = {
  INVALID_DATA: 1,
  INVALID_EMAIL: 1,
  UNKNOWN_EMAIL: 5,
  'api-unavailable': 1,
  'consent-check-unavailable': 75,
  'core-not-pre-registered': 5,
  'corrupted-data': 13,
  'cross-core-registration-failed': 1,
  'delegation-already-exists': 6,
  'delegation-creation-failed': 1,
  'delegation-delegate-mismatch': 4,
  'delegation-delivery-failed': 75,
  'delegation-genuine-login-required': 4,
  'delegation-invalid-keep-list': 1,
  'delegation-invite-expired': 6,
  'delegation-mirror-not-stale': 6,
  'delegation-not-active': 6,
  'delegation-not-found': 5,
  'delegation-self-not-allowed': 1,
  'delegation-unknown-core': 5,
  'delegation-unknown-username': 5,
  'delegation-username-taken': 6,
  forbidden: 4,
  'invalid-access-token': 4,
  'invalid-body': 1,
  'invalid-consent-grant': 1,
  'invalid-credentials': 4,
  'invalid-event-type': 1,
  'invalid-item-id': 1,
  'invalid-method': 5,
  'invalid-operation': 1,
  'invalid-parameters': 1,
  'invalid-parameters-format': 1,
  'invalid-request': 1,
  'invalid-request-structure': 1,
  'invalid-step-up': 4,
  'invitationToken-invalid': 1,
  'item-already-exists': 6,
  'mfa-method-inactive': 4,
  'missing-header': 1,
  'payload-too-large': 1,
  'platform-unavailable': 69,
  'read-only': 1,
  'removed-method': 1,
  'renewal-failed': 1,
  'reservation-refused': 1,
  'stale-resource': 6,
  'storage-full': 75,
  'token-coreid-mismatch': 4,
  'token-invalid': 4,
  'too-many-attempts': 1,
  'too-many-requests': 1,
  'too-many-results': 1,
  'unavailable-method': 1,
  'unexpected-error': 1,
  'unknown-access-key': 5,
  'unknown-referenced-resource': 5,
  'unknown-resource': 5,
  'unknown-user': 5,
  'unsupported-content-type': 1,
  'user-account-relocated': 1,
  'user-intervention-required': 1,
  'wrong-core': 1,
}

/** Next step: a sentence, or a purpose and the words of a command. The command is printed with the options that select the same node. */
export type Hint = string | readonly [what: string, ...words: string[]]

/** Formats a hint. `commandFor` builds a command line from words, ready to paste. */
export function hintText(hint: Hint, commandFor: (...words: string[]) => string): string {
  if (typeof hint === 'string') return hint
  const [what, ...words] = hint
  return `${what}: ${commandFor(...words)}`
}

/** A typed name that does not exist, with the kind of object that it should name. */
interface UnknownName {
  kind: Names
  word: string
}

/** Error that ends a command: what happened, the next step, and the exit code. */
export class CommandError extends Error {
  readonly exit: ExitCode
  readonly hint?: Hint
  readonly data?: unknown
  /** The name that does not exist, for a suggestion of existing ones. */
  readonly unknown?: UnknownName
  /** The option with which the same command line works: `--yes`. */
  readonly missingOption?: string
  readonly #id: string | undefined

  constructor(message: string, details: { id?: FailureId; exit?: ExitCode; hint?: Hint; data?: unknown; cause?: unknown; unknown?: UnknownName; missingOption?: string } = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.name = 'CommandError'
    this.exit = details.exit ?? 1
    this.#id = details.id
    if (details.hint !== undefined) this.hint = details.hint
    if (details.data !== undefined) this.data = details.data
    if (details.missingOption !== undefined) this.missingOption = details.missingOption
    if (details.unknown !== undefined) this.unknown = details.unknown
  }

  /** Error id under `--json`: that of the failure, else of the exit code. */
  get id(): string {
    return this.#id ?? exitName(this.exit)
  }
}

/** Returns the error id under `--json` for an exit code. */
export function exitName(exit: ExitCode): string {
  return exitCodes.find((each) => each.code === exit)?.id ?? 'failed'
}

/** Creates an invalid-usage error: exit 2. */
export function usageError(message: string, hint?: Hint): CommandError {
  return new CommandError(message, { exit: 2, ...(hint === undefined ? {} : { hint }) })
}
