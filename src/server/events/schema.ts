/** What clients send of events, and what they get (data supplement 2.1, 2.5, 2.6). */
import * as z from 'zod'
import { EVENT_ID, EVENT_TYPE, type ClientData } from '../../store/model/event.js'
import { MAX_ID_LENGTH } from '../../store/model/slug.js'
import { MAX_ITEMS } from '../../store/model/inputBounds.js'

const eventType = z.string().regex(EVENT_TYPE)
const eventId = z.string().max(MAX_ID_LENGTH).regex(EVENT_ID)
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
// Taken as it is: a copy by zod would lose a key named __proto__.
const clientData = z
  .custom<ClientData>(isObject, { error: 'Expected an object.', params: { code: 'INVALID_TYPE' } })
  .meta({ type: 'object' })

/** Fields that updates may set. */
const alterable = {
  streamIds: z.array(z.string()).min(1).optional(),
  streamId: z.string().optional(),
  tags: z.array(z.string()).nullish(),
  time: z.number().optional(),
  duration: z.number().min(0).nullish(),
  content: z.unknown().optional(),
  description: z.string().nullish(),
  clientData: clientData.nullish(),
  trashed: z.boolean().nullish(),
}

/** Members of an event that are stored without being interpreted. */
export const eventFreeForm = { values: ['content'], maps: ['clientData'] } as const

/** Descriptors of uploads; only the node's own reading of multipart bodies makes them. */
const files = z.unknown().optional()

export const NewEvent = z.strictObject({
  id: eventId.optional(),
  type: eventType,
  ...alterable,
  // Sent along by clients that copy events; the node sets its own.
  created: z.unknown().optional(),
  createdBy: z.unknown().optional(),
  modified: z.unknown().optional(),
  modifiedBy: z.unknown().optional(),
  integrity: z.unknown().optional(),
  files,
})

export type NewEventInput = z.output<typeof NewEvent>

/**
 * Whether parameters are a new event of the common form, which `NewEvent` accepts as it is; see `isPlain` of methods.
 * It saves what zod takes, 2.5 µs in a loop; test/property/newEvent.test.ts holds it to the schema.
 */
export function isPlainNewEvent(asked: unknown): asked is NewEventInput {
  if (typeof asked !== 'object' || asked === null || Array.isArray(asked)) return false
  let isTyped = false
  for (const [key, value] of Object.entries(asked) as [string, unknown][]) {
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

/** Fields that clients may name in an update but not set. */
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
  type: eventType.optional(),
  ...alterable,
  id: z.unknown().optional(),
  attachments: z.unknown().optional(),
  integrity: z.unknown().optional(),
  created: z.unknown().optional(),
  createdBy: z.unknown().optional(),
  modified: z.unknown().optional(),
  modifiedBy: z.unknown().optional(),
  files,
})

export type EventUpdateInput = z.output<typeof EventUpdate>

/** An event as answered, for documents. */
export const EventView = z.object({
  id: z.string(),
  streamIds: z.array(z.string()),
  streamId: z.string().describe('Deprecated: the first of streamIds.'),
  type: z.string(),
  time: z.number(),
  duration: z.number().nullable().optional(),
  content: z.unknown().optional(),
  tags: z.array(z.string()).describe('Deprecated.'),
  description: z.string().optional(),
  attachments: z.array(z.record(z.string(), z.unknown())).optional(),
  clientData: clientData.optional(),
  trashed: z.boolean().optional(),
  created: z.number(),
  createdBy: z.string(),
  modified: z.number(),
  modifiedBy: z.string(),
  integrity: z.string().optional(),
})

export const DeletionView = z.object({
  id: z.string(),
  deleted: z.number().optional(),
  integrity: z.string().optional(),
})
