/** Schemas of events in requests and answers (data supplement 2.1, 2.5, 2.6). */
import * as z from 'zod'
import { EVENT_ID, EVENT_TYPE, type ClientData } from '../../store/model/event.js'
import { MAX_ID_LENGTH } from '../../store/model/slug.js'
import { MAX_ITEMS } from '../../store/model/inputBounds.js'
import { ignoredMember, protectedMember } from '../base/readOnlyMembers.js'

const eventType = z.string().regex(EVENT_TYPE)
const eventId = z.string().max(MAX_ID_LENGTH).regex(EVENT_ID)
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
// Passed through unchanged: zod's copy would lose a key named __proto__.
const clientData = z
  .custom<ClientData>(isObject, { error: 'Expected an object.', params: { code: 'INVALID_TYPE' } })
  .meta({ type: 'object' })

/** Fields that updates may set. */
const alterable = {
  streamIds: z.array(z.string()).min(1).optional().describe('Streams of the event, at least one.'),
  streamId: z.string().optional().describe('Deprecated: the one stream, in place of streamIds.'),
  tags: z.array(z.string()).nullish().describe('Deprecated: tags.'),
  time: z.number().optional().describe('Time of the event, in seconds since 1970; default for new events: now.'),
  duration: z.number().min(0).nullish().describe('Duration in seconds; null: in progress. Default: none.'),
  content: z.unknown().optional().describe('Content, in the form that the type requires.'),
  description: z.string().nullish().describe('Text for people; null removes it.'),
  clientData: clientData.nullish().describe('Client data by key; in an update, a key with null is removed.'),
  trashed: z.boolean().nullish().describe('true moves the event to the trash, false restores it.'),
}

/** Members of an event that are stored without being interpreted. */
export const eventFreeForm = { values: ['content'], maps: ['clientData'] } as const

/** Descriptors of uploads; only the parser of multipart bodies creates them. */
const files = z.unknown().optional()

export const NewEvent = z.strictObject({
  id: eventId.optional().describe('Id of the event; default: a random one.'),
  type: eventType.describe('Event type, such as mass/kg.'),
  ...alterable,
  // Sent by clients that copy events; the node sets its own.
  created: ignoredMember,
  createdBy: ignoredMember,
  modified: ignoredMember,
  modifiedBy: ignoredMember,
  integrity: ignoredMember,
  files,
})

export type NewEventInput = z.output<typeof NewEvent>

/**
 * Checks whether parameters are a new event in the common form, which `NewEvent` accepts unchanged; see `isPlain` of methods.
 * Saves the time of zod, 2.5 µs in a loop; test/property/newEvent.test.ts compares it with the schema.
 */
export function isPlainNewEvent(input: unknown): input is NewEventInput {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false
  let isTyped = false
  for (const [key, value] of Object.entries(input) as [string, unknown][]) {
    switch (key) {
      case 'type':
        isTyped = typeof value === 'string' && EVENT_TYPE.test(value)
        if (!isTyped) return false
        break
      case 'streamIds':
        if (!isTexts(value) || value.length === 0) return false
        break
      case 'time':
        if (!Number.isFinite(value)) return false
        break
      case 'duration':
        if (typeof value !== 'number' || !(value >= 0 && value < Infinity)) return false
        break
      case 'tags':
        if (!isTexts(value)) return false
        break
      case 'description':
        if (typeof value !== 'string') return false
        break
      case 'content':
        break
      default:
        return false
    }
  }
  return isTyped
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= MAX_ITEMS && value.every((item) => typeof item === 'string')
}

/** Fields that updates may contain but not change. */
export const protectedFields = [
  'id',
  'attachments',
  'integrity',
  'created',
  'createdBy',
  'modified',
  'modifiedBy',
] as const

export const EventUpdate = z.strictObject({
  type: eventType.optional().describe('Event type, such as mass/kg.'),
  ...alterable,
  id: protectedMember,
  attachments: protectedMember,
  integrity: protectedMember,
  created: protectedMember,
  createdBy: protectedMember,
  modified: protectedMember,
  modifiedBy: protectedMember,
  files,
})

export type EventUpdateInput = z.output<typeof EventUpdate>

/** An event in answers, for the documentation. */
export const EventView = z.object({
  id: z.string().describe('Id of the event.'),
  streamIds: z.array(z.string()).describe('Streams of the event.'),
  streamId: z.string().describe('Deprecated: the first of streamIds.'),
  type: z.string().describe('Event type, such as mass/kg.'),
  time: z.number().describe('Time of the event, in seconds since 1970.'),
  duration: z.number().nullable().optional().describe('Duration in seconds; null: in progress.'),
  content: z.unknown().optional().describe('Content, in the form that the type requires.'),
  tags: z.array(z.string()).describe('Deprecated.'),
  description: z.string().optional().describe('Text for people.'),
  attachments: z.array(z.record(z.string(), z.unknown())).optional().describe('Attached files: id, fileName, type, size in bytes, readToken and, where integrity is on, integrity.'),
  clientData: clientData.optional().describe('Client data by key.'),
  trashed: z.boolean().optional().describe('true while the event is in the trash.'),
  created: z.number().describe('Creation time, in seconds since 1970.'),
  createdBy: z.string().describe('Id of the access that created it.'),
  modified: z.number().describe('Time of the last change, in seconds since 1970.'),
  modifiedBy: z.string().describe('Id of the access that last changed it.'),
  integrity: z.string().optional().describe('Hash of the event; where integrity is on.'),
})

export const DeletionView = z.object({
  id: z.string().describe('Id of the deleted event.'),
  deleted: z.number().optional().describe('Time of the deletion, in seconds since 1970.'),
  integrity: z.string().optional().describe('Hash of the event; where integrity is on.'),
})
