/**
 * Areas whose streams, items and types the generic methods leave alone (consent supplement 5.7, 6.5, 6.6): one table of
 * what belongs to each, and of what those who try are refused with.
 */
import type { Transaction } from '../../store/engine/account.js'
import { accountKeys } from '../../store/engine/keys.js'
import { inheritedMarker, isDelegationStream, isDelegationType } from '../../store/model/delegation.js'
import { Failure, type FailureId } from '../../store/model/failure.js'
import { isSecretsStream, SECRET_TYPE } from '../../store/model/sharedSecret.js'
import { findSharedSecret } from '../../store/accesses/sharedSecrets.js'
import type { Call } from '../method.js'

/** A refusal whose name is in `error.data.id`. */
interface Refusal {
  failure: FailureId
  id: string
  message: string
}

interface Area {
  ownsStream(id: string): boolean
  ownsType(type: string): boolean
  /** An event in a stream of the area: made there, or moved in. */
  stream: { create: Refusal; update: Refusal }
  /** An event of a type of the area. */
  type: Refusal
  /** A stream of the area that is made, changed or deleted, or one below it. */
  structure: Refusal
}

const refusal = (failure: FailureId, id: string, message: string): Refusal => ({ failure, id, message })

const SECRET_STREAM = 'Shared secrets are made by sharedSecrets.create alone.'
const secretType = refusal('forbidden', 'shared-secret-reserved-type', SECRET_STREAM)
const delegated = refusal('invalid-operation', 'delegation-reserved-stream', 'Delegations are made by their own methods alone.')

const areas: readonly Area[] = [
  {
    ownsStream: isSecretsStream,
    ownsType: (type) => type === SECRET_TYPE,
    stream: { create: refusal('forbidden', 'shared-secret-reserved-stream', SECRET_STREAM), update: secretType },
    type: secretType,
    structure: refusal('invalid-operation', 'shared-secret-reserved-stream', 'The streams of shared secrets are kept by the node.'),
  },
  {
    ownsStream: isDelegationStream,
    ownsType: isDelegationType,
    stream: { create: delegated, update: delegated },
    type: delegated,
    structure: delegated,
  },
]

const secretImmutable = refusal('forbidden', 'shared-secret-immutable', 'A shared secret does not change.')
const managed = refusal('invalid-operation', 'delegation-managed-resource', 'This is kept by a delegation; end that instead.')
const requiresOwner = refusal(
  'invalid-operation',
  'delegation-grant-requires-owner',
  'Consent is given by the owner of the account, not by a delegate.',
)

/** Types by which an account gives consent, which a delegate cannot. */
const consentTypes = new Set(['consent/request-cmc', 'consent/scope-update-cmc', 'consent/accept-cmc'])

const thrown = ({ failure, id, message }: Refusal): Failure => new Failure(failure, message, { id })

/** What an event is asked to be. */
interface Asked {
  streamIds?: readonly string[] | undefined
  streamId?: string | undefined
  type?: string | undefined
}

/**
 * Refuses an event that would belong to a reserved area, and consent by a delegate. Streams are asked before types, and
 * both before anything else of the event; `id` is that of the item that is changed.
 */
export function assertNotReserved(call: Call, action: 'create' | 'update', input: Asked, id?: string): void {
  const found = reserved(action, input)
  if (found !== undefined) {
    if (id !== undefined) assertNotSecret(call, call.account.db, id)
    throw thrown(found)
  }
  const { type = '' } = input
  if (consentTypes.has(type) && inheritedMarker(call.caller.access) !== undefined) throw thrown(requiresOwner)
}

function reserved(action: 'create' | 'update', { streamIds = [], streamId, type }: Asked): Refusal | undefined {
  for (const { ownsStream, stream } of areas) {
    if (streamIds.some(ownsStream) || (streamId !== undefined && ownsStream(streamId))) return stream[action]
  }
  return type === undefined ? undefined : areas.find(({ ownsType }) => ownsType(type))?.type
}

/** Refuses to make, change or delete streams of a reserved area, by their ids and those of their parents. */
export function assertNoReservedStreams(ids: readonly (string | null | undefined)[]): void {
  for (const { ownsStream, structure } of areas) {
    if (ids.some((id) => typeof id === 'string' && ownsStream(id))) throw thrown(structure)
  }
}

type Reader = { get(key: string): string | undefined }

/** Refuses to change what is a secret and not an event. */
export function assertNotSecret({ node, account }: Call, reader: Reader, id: string): void {
  if (findSharedSecret(reader, node.store.seal, account.prefix, id) !== undefined) throw thrown(secretImmutable)
}

/** Refuses to change or delete what is a relationship of a delegation and not an event. */
export function assertNotRelationship(t: Transaction, id: string): void {
  const keys = [accountKeys.delegate(t.account, id), accountKeys.controlled(t.account, id)]
  if (keys.some((key) => t.get(key) !== undefined)) throw thrown(managed)
}
