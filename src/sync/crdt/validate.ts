/** Validation of received items, equal to that of local writes. */
import { isDeepStrictEqual } from 'node:util'
import { isNodeLocal } from '../../store/model/digestElement.js'
import { isReservedStream } from '../../store/model/cmc.js'
import { EVENT_ID, EVENT_TYPE, MAX_TAG_LENGTH, type Event } from '../../store/model/event.js'
import { isSeriesType, type SeriesType } from '../../store/model/eventTypes/series.js'
import { MAX_JSON_DEPTH, isTooDeep } from '../../store/model/jsonDepth.js'
import { isProfileId, protectedIn, type Profile } from '../../store/model/profile.js'
import { isAccountStreamId, isReservedId, MAX_ID_LENGTH, splitStorePrefix } from '../../store/model/slug.js'
import type { Stream } from '../../store/model/stream.js'
import type { Item } from '../../store/engine/changeRecorder.js'
import type { Fields } from './fields.js'

/** Rules for event types known to the node. */
export interface TypeRules {
  /** Returns the violation of a content as text; undefined when it is valid, or its type is unknown. */
  check(type: string, content: unknown): string | undefined
  /** Returns the content type of a `series:` event; undefined when the type of its points is unknown. */
  seriesType(type: string): SeriesType | undefined
}

/** Reason for which an item or entry is refused. */
export type RefusalReason =
  /** The bytes are not a valid or consistent change. */
  | 'damaged'
  /** The item violates the specification: its id, type, content or length. */
  | 'invalid'
  /** Outside the scope that the peer may write. */
  | 'out-of-scope'
  /** A unique value belongs to another item: a token, an alias. */
  | 'taken'
  /** Exceeds a limit of this node, for one item or the account's quota. */
  | 'too-large'

export interface Objection {
  reason: RefusalReason
  message: string
}

const STREAM_ID = /^[A-Za-z0-9:_.~-]+$/
/** Form of file ids, which nodes generate and which are parts of keys. */
const FILE_ID = /^[A-Za-z0-9_-]{1,256}$/

export const invalid = (message: string): Objection => ({ reason: 'invalid', message })

/** Returns the objection to an id of an exchanged item. */
export function idObjectionOf(kind: Item['kind'], id: string): Objection | undefined {
  if (id.length > MAX_ID_LENGTH) return invalid(`Its id has ${id.length} characters; the maximum is ${MAX_ID_LENGTH}. Create it with a shorter id.`)
  const isRight = kind === 'event' ? isEventId(id) : kind === 'stream' ? isExchangedStreamId(id) && !isReservedStream(id) : isProfileId(id)
  return isRight ? undefined : invalid(`Invalid ${kind} id.`)
}

const isEventId = (id: string): boolean =>
  EVENT_ID.test(id) && !isNodeLocal(`e${id}`) && splitStorePrefix(id).store === 'local'

/** Checks whether a stream with this id may exist on several nodes. */
const isExchangedStreamId = (id: string): boolean =>
  id.length <= MAX_ID_LENGTH && STREAM_ID.test(id) && !isReservedId(id) && !isAccountStreamId(id) && splitStorePrefix(id).store === 'local'

/** Returns the objection to fields of a document that cannot be read safely: JSON nested too deep. */
export function fieldsObjection(fields: Fields): Objection | undefined {
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value !== 'string' || !(key === 'body' || key.charAt(1) === ':')) continue
    if (isTooDeep(value)) return invalid(`A value is nested more than ${MAX_JSON_DEPTH} levels deep.`)
  }
  return undefined
}

/** Returns the objection to an invalid item. */
export function itemObjection(item: Item, types: TypeRules): Objection | undefined {
  switch (item.kind) {
    case 'event':
      return eventObjection(item.item, types)
    case 'stream':
      return streamObjection(item.item)
    case 'profile':
      return profileObjection(item.item)
  }
}

function eventObjection(event: Event, types: TypeRules): Objection | undefined {
  const { type, content, duration, tags, streamIds } = event
  if (!EVENT_TYPE.test(type)) return invalid('The event has no event type.')
  if (!streamIds.every(isExchangedStreamId)) return invalid('The event is in a stream that is not replicated.')
  if (typeof duration === 'number' && duration < 0) return invalid('The duration of the event is negative.')
  if (!tags.every((tag) => tag !== '' && tag.trim() === tag && tag.length <= MAX_TAG_LENGTH)) {
    return invalid('The event has a tag that is empty, too long, or surrounded by whitespace.')
  }
  for (const { id, size } of event.attachments ?? []) {
    if (!FILE_ID.test(id) || !Number.isSafeInteger(size) || size < 0) return invalid('The event has an attachment with an invalid id or size.')
  }
  if (isSeriesType(type)) return seriesObjection(type, content, types)
  const wrong = types.check(type, content)
  return wrong === undefined ? undefined : invalid(wrong)
}

function seriesObjection(type: string, content: unknown, types: TypeRules): Objection | undefined {
  const series = types.seriesType(type)
  if (series === undefined) return invalid(`Unknown event type "${type}".`)
  return isDeepStrictEqual(content, series) ? undefined : invalid('The content of the event does not match its series type.')
}

function streamObjection({ name, parentId }: Stream): Objection | undefined {
  if (name === '') return invalid('The stream has no name.')
  return parentId === null || isExchangedStreamId(parentId) ? undefined : invalid('The stream is below one that is not replicated.')
}

/** Returns the objection to the keys of a profile set. */
export function profileObjection({ id, keys }: Pick<Profile, 'id' | 'keys'>): Objection | undefined {
  const [key] = id === 'private' ? protectedIn(keys) : []
  return key === undefined ? undefined : invalid(`The key "${key}" cannot be set in a profile set.`)
}
