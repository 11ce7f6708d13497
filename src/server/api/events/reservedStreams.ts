/**
 * Reserved areas whose streams, items and types the generic methods cannot change (docs/interface/shared-secrets.md#events,
 * docs/interface/delegations.md#delegate-tokens, docs/interface/delegations.md#reserved-items): one table of their contents and
 * of the resulting failures.
 */
import type { Transaction } from '../../../store/engine/account.js'
import { accountKeys } from '../../../store/engine/keys.js'
import { inheritedMarker, isDelegationStream, isDelegationType } from '../../../store/model/delegation.js'
import { Failure, type FailureId } from '../../../store/model/failure.js'
import { isSecretsStream, SECRET_TYPE } from '../../../store/model/sharedSecret.js'
import { findSharedSecret } from '../../../store/accesses/sharedSecrets.js'
import type { Call } from '../../call/method.js'

/** A failure with its name in `error.data.id`. */
interface Refusal {
  failure: FailureId
  id: string
  message: string
}

interface Area {
  ownsStream(id: string): boolean
  ownsType(type: string): boolean
  /** An event created in, or moved to, a stream of the area. */
  stream: { create: Refusal; update: Refusal }
  /** An event with a type of the area. */
  type: Refusal
  /** A stream of the area, or below it, that is created, changed or deleted. */
  structure: Refusal
}

const refusal = (failure: FailureId, id: string, message: string): Refusal => ({ failure, id, message })

const SECRET_STREAM = 'Shared secrets can only be created by sharedSecrets.create.'
const secretType = refusal('forbidden', 'shared-secret-reserved-type', SECRET_STREAM)
const delegated = refusal('invalid-operation', 'delegation-reserved-stream', 'Delegations can only be changed by the delegation methods.')

const areas: readonly Area[] = [
  {
    ownsStream: isSecretsStream,
    ownsType: (type) => type === SECRET_TYPE,
    stream: { create: refusal('forbidden', 'shared-secret-reserved-stream', SECRET_STREAM), update: secretType },
    type: secretType,
    structure: refusal('invalid-operation', 'shared-secret-reserved-stream', 'The streams of shared secrets are managed by the node.'),
  },
  {
    ownsStream: isDelegationStream,
    ownsType: isDelegationType,
    stream: { create: delegated, update: delegated },
    type: delegated,
    structure: delegated,
  },
]

const secretImmutable = refusal('forbidden', 'shared-secret-immutable', 'A shared secret cannot be changed.')
const managed = refusal('invalid-operation', 'delegation-managed-resource', 'This is managed by a delegation; end the delegation instead.')
const requiresOwner = refusal(
  'invalid-operation',
  'delegation-grant-requires-owner',
  'Only the owner of the account can give consent, not a delegate.',
)

/** Types of consent events that a delegate must not create. */
const consentTypes = new Set(['consent/request-cmc', 'consent/scope-update-cmc', 'consent/accept-cmc'])

const thrown = ({ failure, id, message }: Refusal): Failure => new Failure(failure, message, { id })

/** Members of an event input that reserved areas depend on. */
interface ReservedInput {
  streamIds?: readonly string[] | undefined
  streamId?: string | undefined
  type?: string | undefined
}

/**
 * Throws for an event of a reserved area, and for consent by a delegate. Checks streams before types, and both before other
 * members; `id` is that of the changed item.
 */
export function assertNotReserved(call: Call, action: 'create' | 'update', input: ReservedInput, id?: string): void {
  const found = reserved(action, input)
  if (found !== undefined) {
    if (id !== undefined) assertNotSecret(call, call.account.db, id)
    throw thrown(found)
  }
  const { type = '' } = input
  if (consentTypes.has(type) && inheritedMarker(call.caller.access) !== undefined) throw thrown(requiresOwner)
}

function reserved(action: 'create' | 'update', { streamIds = [], streamId, type }: ReservedInput): Refusal | undefined {
  for (const { ownsStream, stream } of areas) {
    if (streamIds.some(ownsStream) || (streamId !== undefined && ownsStream(streamId))) return stream[action]
  }
  return type === undefined ? undefined : areas.find(({ ownsType }) => ownsType(type))?.type
}

/** Throws when streams to create, change or delete, or their parents, belong to a reserved area. */
export function assertNoReservedStreams(ids: readonly (string | null | undefined)[]): void {
  for (const { ownsStream, structure } of areas) {
    if (ids.some((id) => typeof id === 'string' && ownsStream(id))) throw thrown(structure)
  }
}

type Reader = { get(key: string): string | undefined }

/** Throws for changes of an item that is a secret, not an event. */
export function assertNotSecret({ node, account }: Call, reader: Reader, id: string): void {
  if (findSharedSecret(reader, node.store.seal, account.prefix, id) !== undefined) throw thrown(secretImmutable)
}

/** Throws for changes or deletions of an item that is a delegation, not an event. */
export function assertNotRelationship(t: Transaction, id: string): void {
  const keys = [accountKeys.delegate(t.account, id), accountKeys.controlled(t.account, id)]
  if (keys.some((key) => t.get(key) !== undefined)) throw thrown(managed)
}
