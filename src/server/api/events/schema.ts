/** Schemas of events in requests and answers (docs/interface/events.md), built from the table of their fields. */
import * as z from 'zod'
import { alterableEventFields, eventFields, type EventField } from '../../../store/model/events/fields.js'
import { fieldsWith } from '../../../store/model/fieldTable.js'
import { isJsonObject } from '../../../store/model/json.js'
import { protectedFieldsOf, shapeOf } from '../../base/tableSchema.js'

const table: Readonly<Record<string, EventField>> = eventFields

/** Members of an event that are stored without being interpreted. */
export const eventFreeForm = {
  values: fieldsWith(table, ({ freeForm }) => freeForm === 'value'),
  maps: fieldsWith(table, ({ freeForm }) => freeForm === 'map'),
}

/** Descriptors of uploads; only the parser of multipart bodies creates them. */
const files = z.unknown().optional()

export const NewEvent = z.strictObject({ ...shapeOf(eventFields, 'create', ['id', 'type', 'streamIds', 'streamId', 'tags']), files })

export type NewEventInput = z.output<typeof NewEvent>

/** Checks of the common values of a new event. */
const plain = new Map(Object.entries(table).flatMap(([name, { isPlain }]) => (isPlain === undefined ? [] : [[name, isPlain] as const])))

/**
 * Checks whether parameters are a new event in the common form, which `NewEvent` accepts unchanged; see `isPlain` of methods.
 * Saves the time of zod, 2.5 µs in a loop; test/property/newEvent.test.ts compares it with the schema.
 */
export function isPlainNewEvent(input: unknown): input is NewEventInput {
  if (!isJsonObject(input)) return false
  for (const name of Object.keys(input)) {
    if (plain.get(name)?.(input[name]) !== true) return false
  }
  return Object.hasOwn(input, 'type')
}

/** Fields that updates may contain but not change. */
export const protectedFields = protectedFieldsOf(eventFields, ['id', 'attachments', 'integrity'])

export const EventUpdate = z.strictObject({
  ...shapeOf(eventFields, 'update', ['type', 'streamIds', 'streamId', 'tags', ...alterableEventFields, ...protectedFields]),
  files,
})

export type EventUpdateInput = z.output<typeof EventUpdate>

/** An event in answers, for the documentation. */
export const EventView = z.object(shapeOf(eventFields, 'view'))

export const DeletionView = z.object({
  id: z.string().describe('Id of the deleted event.'),
  deleted: z.number().optional().describe('Time of the deletion, in seconds since 1970.'),
  integrity: z.string().optional().describe('Hash of the event; where integrity is on.'),
})
