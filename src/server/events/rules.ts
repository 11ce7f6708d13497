/** What holds for the content of every event, however it is created or changed (data supplement 2.5, 2.6). */
import { isInternalStream, isReservedForNode } from '../../store/model/cmc.js'
import { MAX_TAG_LENGTH } from '../../store/model/event.js'
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { mayCreateEvent } from '../../store/model/permission.js'
import { ACCOUNT_ROOT } from '../../store/model/systemStreams.js'
import { splitStorePrefix } from '../../store/model/slug.js'
import type { Call } from '../method.js'

/**
 * The stream ids asked for, without repetition; undefined when none are given. Answers name the first of streamIds as
 * streamId too, so what was read can be sent back.
 * @throws Failure `invalid-operation` for a streamId beside streamIds that is not the first of them
 */
export function streamIdsOf(input: {
  streamIds?: string[] | undefined
  streamId?: string | undefined
}): string[] | undefined {
  const { streamIds, streamId } = input
  if (streamIds !== undefined && streamId !== undefined && streamIds[0] !== streamId) {
    throw new Failure('invalid-operation', 'Give either streamIds or streamId, or the first of streamIds as streamId.', { streamIds, streamId })
  }
  if (streamIds === undefined) return streamId === undefined ? undefined : [streamId]
  if (streamIds.length < 2) return streamIds
  return [...new Set(streamIds)]
}

/** Hides an event that is in a stream which the node keeps for itself. */
export function assertNotInternal(id: string, streamIds: readonly string[]): void {
  if (streamIds.some(isInternalStream)) throw new Failure('unknown-resource', `Unknown event "${id}".`)
}

/** Refuses streams that do not exist, lie in the trash, or belong to different stores. */
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
 * Refuses an id of another store for an ordinary event: an account field has the id of its stream (1.13); and one in the
 * node's own part of the local store.
 */
export function assertOwnIdForm(id: string): void {
  if (splitStorePrefix(id).store === 'local' && isReservedForNode(id)) {
    throw new Failure('invalid-item-id', `The id "${id}" is reserved.`, { id })
  }
  if (splitStorePrefix(id).store === 'local') return
  throw new Failure('invalid-request-structure', 'An event and its streams must belong to one store.', { id })
}

/** Refuses unless the caller may create such an event: in every one of its streams, or by a tag of it. */
export function assertMayCreate(call: Call, streamIds: readonly string[], tags: readonly string[] = []): void {
  const { scope } = call.caller
  if (scope.personal) return
  if (!mayCreateEvent(scope, { streamIds, tags: () => tags }, call.account.tree)) throw new Failure('forbidden')
}

/** Refuses content that does not fit a known type. */
export function assertContent(call: Call, type: string, content: unknown): void {
  const items = call.node.eventTypes.check(type, content)
  if (items !== undefined) throw invalidFormat(items)
}

/**
 * The content of a new series' holder event: what its points look like (data supplement 10.1). Content that comes along
 * is left aside, since copies of events bring that of the original.
 */
export function seriesContent(call: Call, type: string): unknown {
  const series = call.node.eventTypes.seriesType(type)
  if (series === undefined) throw new Failure('invalid-event-type', `Unknown event type "${type}".`, { type })
  return series
}

/** Tags as they are kept: trimmed, empty ones dropped, each once, since copies of an event merge them as a set. */
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

/** Descriptors of uploads cannot be smuggled in by a batch or a message; over plain HTTP they mean nothing. */
export function assertFilesAllowed(call: Call, files: unknown): void {
  const { transport } = call.origin
  if (files === undefined || (transport !== 'batch' && transport !== 'socket')) return
  throw invalidFormat([
    { code: 'OBJECT_ADDITIONAL_PROPERTIES', message: 'Unexpected property "files".', path: '#/', params: ['files'] },
  ])
}
