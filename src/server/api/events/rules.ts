/**
 * Rules shared by all methods that create or change events (docs/interface/events.md#creation, docs/interface/events.md#updates),
 * and the table of reserved areas: streams, items and types that the generic methods cannot change
 * (docs/interface/shared-secrets.md#events, docs/interface/delegations.md#delegate-tokens,
 * docs/interface/delegations.md#reserved-items).
 */
import { isInternalStream, isReservedForNode } from '../../../store/model/cmc.js'
import { MAX_TAG_LENGTH } from '../../../store/model/event.js'
import { Failure, invalidFormat, type FailureId } from '../../../store/model/failure.js'
import { mayCreateEvent } from '../../../store/model/permission.js'
import { ACCOUNT_ROOT } from '../../../store/model/systemStreams.js'
import { splitStorePrefix } from '../../../store/model/slug.js'
import type { Call } from '../../call/method.js'
import type { Transaction } from '../../../store/engine/account.js'
import { accountKeys } from '../../../store/engine/keys.js'
import { inheritedMarker, isDelegationStream, isDelegationType } from '../../../store/model/delegation.js'
import { isSecretsStream, SECRET_TYPE } from '../../../store/model/sharedSecret.js'
import { findSharedSecret } from '../../../store/accesses/sharedSecrets.js'
import type { RecordReader } from '../../../store/engine/recordReader.js'

/**
 * Returns the distinct stream ids of an input; undefined when none are given. Accepts streamId as the first of streamIds, as in
 * answers, so that events can be sent back.
 * @throws Failure `invalid-operation` for a streamId that is not the first of streamIds
 */
export function streamIdsOf(input: {
  streamIds?: string[] | undefined
  streamId?: string | undefined
}): string[] | undefined {
  const { streamIds, streamId } = input
  if (streamIds !== undefined && streamId !== undefined && streamIds[0] !== streamId) {
    throw new Failure('invalid-operation', 'Pass either streamIds or streamId, or the first of streamIds as streamId.', { streamIds, streamId })
  }
  if (streamIds === undefined) return streamId === undefined ? undefined : [streamId]
  if (streamIds.length < 2) return streamIds
  return [...new Set(streamIds)]
}

/** Throws Failure `unknown-resource` for an event in an internal stream. */
export function assertNotInternal(id: string, streamIds: readonly string[]): void {
  if (streamIds.some(isInternalStream)) throw new Failure('unknown-resource', `Unknown event "${id}".`)
}

/** Throws for streams that do not exist, are trashed, or belong to different stores. */
export function assertStreamsUsable(call: Call, streamIds: readonly string[]): void {
  const { tree } = call.account
  const { systemStreams } = call.node
  const unknown = streamIds.filter(
    (id) => !tree.has(id) && id !== ACCOUNT_ROOT && systemStreams.byStream(id) === undefined,
  )
  if (unknown.length > 0) {
    throw new Failure('unknown-referenced-resource', `Unknown stream: ${unknown.join(', ')}`, { streamIds: unknown })
  }
  const ofAccount = streamIds.filter((id) => systemStreams.owns(id))
  if (ofAccount.length > 0 && ofAccount.length < streamIds.length) {
    throw new Failure('invalid-request-structure', 'The streams of one event must all belong to one store.')
  }
  if (ofAccount.length === 0 && streamIds.some((id) => !tree.isVisible(id))) {
    throw new Failure('invalid-operation', 'A stream of the event is in the trash.', { trashedReference: 'streamIds' })
  }
}

/**
 * Throws for ids of another store, which only account fields have (docs/interface/conventions.md#stores-and-id-prefixes), and for
 * reserved ids of the local store.
 */
export function assertOwnIdForm(id: string): void {
  if (splitStorePrefix(id).store === 'local' && isReservedForNode(id)) {
    throw new Failure('invalid-item-id', `The id "${id}" is reserved.`, { id })
  }
  if (splitStorePrefix(id).store === 'local') return
  throw new Failure('invalid-request-structure', 'An event and its streams must belong to one store.', { id })
}

/** Throws Failure `forbidden` unless the caller may create the event: in all of its streams, or by one of its tags. */
export function assertMayCreate(call: Call, streamIds: readonly string[], tags: readonly string[] = []): void {
  const { scope } = call.caller
  if (scope.personal) return
  if (!mayCreateEvent(scope, { streamIds, tags: () => tags }, call.account.tree)) throw new Failure('forbidden')
}

/** Throws for content that does not match a known type. */
export function assertContent(call: Call, type: string, content: unknown): void {
  const items = call.node.eventTypes.check(type, content)
  if (items !== undefined) throw invalidFormat(items)
}

/**
 * Returns the content of a new series event: the format of its points (docs/interface/series.md#holder-event). Content sent by
 * the client is ignored, since copies of events contain that of the original.
 */
export function seriesContent(call: Call, type: string): unknown {
  const series = call.node.eventTypes.seriesType(type)
  if (series === undefined) throw new Failure('invalid-event-type', `Unknown event type "${type}".`, { type })
  return series
}

/** Normalises tags: trimmed, without empty and duplicate ones, since copies of an event merge them as a set. */
export function cleanTags(tags: readonly string[] | null | undefined): string[] {
  if (tags === null || tags === undefined || tags.length === 0) return []
  const clean = tags.map((tag) => tag.trim()).filter((tag) => tag !== '')
  const long = clean.findIndex((tag) => tag.length > MAX_TAG_LENGTH)
  if (long >= 0) {
    throw invalidFormat([
      {
        code: 'MAX_LENGTH',
        message: `A tag has at most ${MAX_TAG_LENGTH} characters.`,
        path: `#/tags/${long}`,
        params: [MAX_TAG_LENGTH],
      },
    ])
  }
  return [...new Set(clean)]
}

/** Throws for upload descriptors in a batch or a message; over plain HTTP they have no effect. */
export function assertFilesAllowed(call: Call, files: unknown): void {
  const { transport } = call.origin
  if (files === undefined || (transport !== 'batch' && transport !== 'socket')) return
  throw invalidFormat([
    { code: 'OBJECT_ADDITIONAL_PROPERTIES', message: 'Unexpected property "files".', path: '#/', params: ['files'] },
  ])
}

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

/** Throws for changes of an item that is a secret, not an event. */
export function assertNotSecret({ node, account }: Call, reader: RecordReader, id: string): void {
  if (findSharedSecret(reader, node.store.seal, account.prefix, id) !== undefined) throw thrown(secretImmutable)
}

/** Throws for changes or deletions of an item that is a delegation, not an event. */
export function assertNotRelationship(t: Transaction, id: string): void {
  const keys = [accountKeys.delegate(t.account, id), accountKeys.controlled(t.account, id)]
  if (keys.some((key) => t.get(key) !== undefined)) throw thrown(managed)
}
