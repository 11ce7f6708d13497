/**
 * Validation rules shared by all methods that create or change events (docs/interface/events.md#creation,
 * docs/interface/events.md#updates).
 */
import { isInternalStream, isReservedForNode } from '../../../store/model/cmc.js'
import { MAX_TAG_LENGTH } from '../../../store/model/event.js'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import { mayCreateEvent } from '../../../store/model/permission.js'
import { ACCOUNT_ROOT } from '../../../store/model/systemStreams.js'
import { splitStorePrefix } from '../../../store/model/slug.js'
import type { Call } from '../../call/method.js'

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
