/** Parses item lines by schemas of the field tables; the store does not validate again. */
import * as z from 'zod'
import { isInternalStream, isReservedForNode } from '../../store/model/cmc.js'
import type { Attachment, Event, EventDeletion, EventRemains } from '../../store/model/event.js'
import { eventFields } from '../../store/model/events/fields.js'
import { algorithmIn, eventIntegrity } from '../../store/model/integrity.js'
import type { Profile } from '../../store/model/profile.js'
import { profileFields } from '../../store/model/profiles/fields.js'
import { isDotSegment } from '../../store/model/slug.js'
import type { Stream } from '../../store/model/stream.js'
import { canonicalStream, streamFields } from '../../store/model/streams/fields.js'
import { idObjectionOf, itemObjection, type TypeRules } from '../../sync/crdt/validate.js'
import { shapeOf } from '../base/tableSchema.js'

const EventLine = z.strictObject(shapeOf(eventFields, 'line'))
const { id, integrity, ...kept } = EventLine.shape
// Members in the order in which deletions are stored.
const RemainsLine = z.strictObject({ id, ...z.object(kept).partial().shape, deleted: z.number().optional(), integrity })

const StreamLine = z.strictObject(shapeOf(streamFields, 'line'))

const ProfileLine = z.strictObject(shapeOf(profileFields, 'line'))

export const StreamDeletionLine = z.strictObject({ id, deleted: z.number() })

/** Returns why an id cannot be imported: clients cannot choose it, and nodes do not generate it. */
function reservedIdObjection(id: string): { message: string } | undefined {
  if (isDotSegment(id)) return { message: 'The id is a dot segment, which URLs cannot contain.' }
  return isReservedForNode(id) && !isInternalStream(id) ? { message: 'The id is reserved.' } : undefined
}

/** A parsed item, or the reason for refusing it. */
export type ParsedItem<T> = { item: T } | { refused: string }

/** Returns the first issue of a schema error as text. */
export function objectionOf(error: z.core.$ZodError): string {
  const [issue] = error.issues
  const at = issue?.path.join('.') ?? ''
  return `${at === '' ? '' : `${at}: `}${issue?.message ?? 'Invalid format.'}`
}

/** Parses a value by a schema. */
export function readAs<T>(schema: z.ZodType<T>, value: unknown): ParsedItem<T> {
  const { success, data, error } = schema.safeParse(value)
  return success ? { item: data } : { refused: objectionOf(error) }
}

interface ReadEvent {
  event: Event
  /** SHA-256 of attached files, by file id. */
  digests: ReadonlyMap<string, string>
}

/** Parses an event of `events.ndjson`; does not check that its streams and files exist. */
export function readEvent(value: unknown, types: TypeRules): ParsedItem<ReadEvent> {
  const read = readAs(EventLine, value)
  if ('refused' in read) return read
  const { streamId: _, attachments, ...rest } = read.item
  const digests = new Map<string, string>()
  const files = attachments?.map(({ sha256, ...file }) => {
    if (sha256 !== undefined) digests.set(file.id, sha256)
    return defined(file) as Attachment
  })
  const event = eventOf({ ...rest, ...(files === undefined || files.length === 0 ? {} : { attachments: files }) })
  const objection = idObjectionOf('event', event.id) ?? reservedIdObjection(event.id) ?? itemObjection({ kind: 'event', item: event }, types)
  const fault = objection?.message ?? integrityFault(event)
  return fault === undefined ? { item: { event, digests } } : { refused: fault }
}

/** Parses the event of an account field, whose id is that of its stream; does not check its value. */
export function readFieldEvent(value: unknown): ParsedItem<Event> {
  const read = readAs(EventLine, value)
  if ('refused' in read) return read
  const { streamId: _, attachments: _files, ...rest } = read.item
  const event = eventOf(rest)
  const fault = integrityFault(event)
  return fault === undefined ? { item: event } : { refused: fault }
}

type Fields = Omit<z.output<typeof EventLine>, 'attachments' | 'streamId'> & { attachments?: Attachment[] }

/** Drops members without information: a duration of 0, a content of null. */
function eventOf({ duration, content, ...rest }: Fields): Event {
  const event = {
    ...rest,
    ...(duration === undefined || duration === 0 ? {} : { duration }),
    ...(content === undefined || content === null ? {} : { content }),
  }
  return defined(event) as Event
}

/** Drops undefined members. */
const defined = <T extends object>(value: T): object =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

/** Parses an earlier version of an event, or its retained part. */
export function readRemains(value: unknown): ParsedItem<EventRemains> {
  const read = readAs(RemainsLine, value)
  if ('refused' in read) return read
  const { streamId: _, attachments, ...rest } = read.item
  const files = attachments?.map(({ sha256: _digest, ...file }) => defined(file) as Attachment)
  const remains = defined({ ...rest, attachments: files }) as EventRemains
  const fault = integrityFault(remains)
  return fault === undefined ? { item: remains } : { refused: fault }
}

/** Parses the retained part of a deleted event. */
export function readDeletion(value: unknown): ParsedItem<EventDeletion> {
  const read = readRemains(value)
  if ('refused' in read) return read
  const { deleted } = read.item
  const refused = deleted === undefined ? 'The deletion has no time.' : idObjectionOf('event', read.item.id)?.message
  return refused === undefined ? { item: read.item as EventDeletion } : { refused }
}

function integrityFault(remains: EventRemains): string | undefined {
  if (remains.integrity === undefined) return undefined
  const algorithm = algorithmIn('EVENT', remains.integrity)
  if (algorithm === undefined) return 'Unknown integrity algorithm.'
  return eventIntegrity(remains, algorithm) === remains.integrity ? undefined : 'Integrity mismatch.'
}

/** Parses a stream; does not check its place in the tree. */
export function readStream(value: unknown, types: TypeRules): ParsedItem<Stream> {
  const read = readAs(StreamLine, value)
  if ('refused' in read) return read
  const stream = canonicalStream(read.item as Stream)
  const objection = idObjectionOf('stream', stream.id) ?? reservedIdObjection(stream.id) ?? itemObjection({ kind: 'stream', item: stream }, types)
  return objection === undefined ? { item: stream } : { refused: objection.message }
}

/** Parses a profile set. */
export function readProfile(value: unknown, types: TypeRules): ParsedItem<Profile> {
  const read = readAs(ProfileLine, value)
  if ('refused' in read) return read
  const objection = idObjectionOf('profile', read.item.id) ?? itemObjection({ kind: 'profile', item: read.item }, types)
  return objection === undefined ? read : { refused: objection.message }
}
