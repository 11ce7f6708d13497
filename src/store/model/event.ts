/** Events: typed, time-stamped records in one or more streams (docs/interface/events.md). */

/** Seconds since the Unix epoch, with fraction; negative before 1970. */
export type Seconds = number

/** Format of ids that a client may choose (docs/interface/conventions.md#ids-and-times). */
export const EVENT_ID = /^(c[a-z0-9-]{24}|[a-z][a-z0-9]{23}|:[a-z_][a-zA-Z0-9_-]*:[A-Za-z0-9-]{1,256})$/

/** `<class>/<format>`, with prefix `series:` for a series. */
export const EVENT_TYPE = /^(series:)?[a-z0-9-]+\/[a-z0-9-]+$/

/** Maximum length of a tag in characters. */
export const MAX_TAG_LENGTH = 500

/** Form of the media types of attachments: safe in a header, without control characters. */
export const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\t\x20-\x7e]*)?$/

export type ClientData = Record<string, unknown>

export interface Attachment {
  id: string
  fileName: string
  type: string
  size: number
  integrity?: string
}

/** An event as stored and returned, without members that depend on the reader (attachment read tokens). */
export interface Event {
  id: string
  streamIds: string[]
  type: string
  time: Seconds
  /** Absent: a point in time. `null`: a running period. Never 0. */
  duration?: number | null
  content?: unknown
  tags: string[]
  description?: string
  attachments?: Attachment[]
  clientData?: ClientData
  /** Present only when true. */
  trashed?: true
  created: Seconds
  createdBy: string
  modified: Seconds
  modifiedBy: string
  integrity?: string
}

/** An earlier state of an event. */
export interface EventVersion {
  event: Event
  /** True when only node stamps followed on the same state: the API omits this version. */
  isStamped: boolean
}

/** An event or its tombstone. */
export type EventRemains = Pick<Event, 'id'> & Partial<Event> & { deleted?: Seconds }

/** Tombstone of a deleted event; `versioning.deletionMode` determines the fields that remain. */
export interface EventDeletion extends Partial<Event> {
  id: string
  deleted: Seconds
  integrity?: string
}
