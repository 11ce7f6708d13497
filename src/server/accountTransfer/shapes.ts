/** Schemas of item lines; the store does not validate again. */
import * as z from 'zod'
import { isInternalStream, isReservedForNode } from '../../store/model/cmc.js'
import type { Attachment, ClientData, Event, EventDeletion, EventRemains } from '../../store/model/event.js'
import { algorithmIn, eventIntegrity } from '../../store/model/integrity.js'
import type { Profile } from '../../store/model/profile.js'
import { isDotSegment, MAX_ID_LENGTH } from '../../store/model/slug.js'
import { canonicalStream, type Stream } from '../../store/model/stream.js'
import { idObjectionOf, itemObjection, type TypeRules } from '../../sync/crdt/validate.js'
import { mediaType } from '../uploads.js'

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
// Not copied: a copy by zod would lose a key named __proto__.
export const Members = z.custom<ClientData>(isObject, { error: 'Expected an object.' })

/** Id of the author of a change. */
const author = z.string().min(1).max(300)
const tracking = { created: z.number(), createdBy: author, modified: z.number(), modifiedBy: author }
const id = z.string().min(1).max(MAX_ID_LENGTH)
const areDifferent = (texts: readonly string[]): boolean => new Set(texts).size === texts.length
const texts = (max: number, maxLength = 1000): z.ZodType<string[]> =>
  z.array(z.string().max(maxLength)).max(max).refine(areDifferent, { error: 'Duplicate entry.' })
const integrity = z.string().min(1).max(300).optional()

const AttachmentLine = z.strictObject({
  id,
  fileName: z.string().max(2000),
  type: z.string().max(500).refine((type) => mediaType(type) === type, { error: 'Invalid media type.' }),
  size: z.int().min(0),
  integrity,
  sha256: z.string().regex(/^[0-9a-f]{64}$/).optional(),
})

const eventFields = {
  streamIds: texts(1000, MAX_ID_LENGTH).refine((ids) => ids.length > 0, { error: 'An event needs at least one stream.' }),
  // Deprecated, replaced by streamIds.
  streamId: z.string().optional(),
  type: z.string().max(500),
  time: z.number(),
  duration: z.number().min(0).nullable().optional(),
  content: z.unknown().optional(),
  tags: texts(1000),
  description: z.string().optional(),
  attachments: z.array(AttachmentLine).max(1000).refine((files) => areDifferent(files.map((file) => file.id)), { error: 'Duplicate file id.' }).optional(),
  clientData: Members.optional(),
  trashed: z.literal(true).optional(),
  ...tracking,
  integrity,
}

const EventLine = z.strictObject({ id, ...eventFields })
// Members in the order in which deletions are stored.
const RemainsLine = z.strictObject({ id, ...z.object(eventFields).partial().omit({ integrity: true }).shape, deleted: z.number().optional(), integrity })

const StreamLine = z.strictObject({
  id,
  name: z.string().min(1),
  parentId: z.string().nullable(),
  clientData: Members.optional(),
  trashed: z.literal(true).optional(),
  childrenHidden: z.boolean().optional(),
  ...tracking,
})

const ProfileLine = z.strictObject({ id: z.string().max(10_000), keys: Members, modified: z.number() })

export const StreamDeletionLine = z.strictObject({ id, deleted: z.number() })

/** Returns why an id cannot be imported: clients cannot choose it, and nodes do not generate it. */
function refuseReservedId(id: string): { message: string } | undefined {
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

export interface ReadEvent {
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
  const objection = idObjectionOf('event', event.id) ?? refuseReservedId(event.id) ?? itemObjection({ kind: 'event', item: event }, types)
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
  const objection = idObjectionOf('stream', stream.id) ?? refuseReservedId(stream.id) ?? itemObjection({ kind: 'stream', item: stream }, types)
  return objection === undefined ? { item: stream } : { refused: objection.message }
}

/** Parses a profile set. */
export function readProfile(value: unknown, types: TypeRules): ParsedItem<Profile> {
  const read = readAs(ProfileLine, value)
  if ('refused' in read) return read
  const objection = idObjectionOf('profile', read.item.id) ?? itemObjection({ kind: 'profile', item: read.item }, types)
  return objection === undefined ? read : { refused: objection.message }
}
