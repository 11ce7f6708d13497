/**
 * Fields of events: one row per field, in the order of answers and export lines. Everything that lists fields derives from this
 * table: schemas (`server/api/events/schema.ts`), records (`eventRecord.ts`), CRDT documents (`sync/crdt/fields.ts`), integrity,
 * exports and imports (`server/accountTransfer/shapes.ts`), history, options of commands. A new optional text needs a row here,
 * and a member of `Event`.
 */
import type * as z from 'zod'
import { EVENT_ID, EVENT_TYPE, MEDIA_TYPE, type Event } from '../event.js'
import { clientDataSchema, documentRows, fieldsWith, idLine, inOrder, mapLine, namesOf, sent, tracking, type DocumentField, type FieldsAs, type Zod } from '../fieldTable.js'
import { MAX_ITEMS } from '../inputBounds.js'
import { MAX_ID_LENGTH } from '../slug.js'

/** Row of the table. */
export interface EventField extends DocumentField {
  /**
   * Place in the stored record. `frame`: set by `eventRecord.ts`, which reads it without parsing; a new field is never part of
   * it. `optional`: after the tags, in the order of the table.
   */
  record: 'frame' | 'optional'
  /** True when the integrity hash covers the field. */
  isHashed: boolean
  /** Accepts common values of a creation, all of which the schema accepts unchanged; see `isPlainNewEvent`. */
  isPlain?: (value: unknown) => boolean
  /** Stored without being interpreted: as one value, or as a map of values. */
  freeForm?: 'value' | 'map'
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => Number.isFinite(value)
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.length <= MAX_ITEMS && value.every(isText)

const areDifferent = (texts: readonly string[]): boolean => new Set(texts).size === texts.length
const textsLine = (zod: Zod, maxLength: number): z.ZodArray<z.ZodString> =>
  zod.array(zod.string().max(maxLength)).max(1000).refine(areDifferent, { error: 'Duplicate entry.' })
const integrityLine = (zod: Zod): z.ZodOptional<z.ZodString> => zod.string().min(1).max(300).optional()

/** Schema of an attachment in an export line; `sha256` names the file with its bytes. */
const attachmentLine = (zod: Zod) =>
  zod.strictObject({
    id: idLine(zod),
    fileName: zod.string().max(2000),
    type: zod.string().max(500).refine((type) => MEDIA_TYPE.test(type), { error: 'Invalid media type.' }),
    size: zod.int().min(0),
    integrity: integrityLine(zod),
    sha256: zod.string().regex(/^[0-9a-f]{64}$/).optional(),
  })

const typeSchema = (zod: Zod): z.ZodString => zod.string().regex(EVENT_TYPE)
const TYPE = 'Event type, such as mass/kg.'

/** Returns the row of an optional text for people. `input` describes it for requests, `view` for answers. */
const textForPeople = (input: string, view: string) =>
  ({
    ...sent((zod) => zod.string().nullish().describe(input)),
    view: (zod: Zod) => zod.string().optional().describe(view),
    line: (zod: Zod) => zod.string().optional(),
    isPlain: isText,
    document: { as: 'optionalText' },
    record: 'optional',
    isHashed: true,
  }) as const

const tracked = { record: 'frame', isHashed: true } as const

export const eventFields = {
  id: {
    create: (zod) => zod.string().max(MAX_ID_LENGTH).regex(EVENT_ID).optional().describe('Id of the event; default: a random one.'),
    update: 'protected',
    view: (zod) => zod.string().describe('Id of the event.'),
    line: idLine,
    isPlain: (value) => typeof value === 'string' && value.length <= MAX_ID_LENGTH && EVENT_ID.test(value),
    document: { as: 'none' },
    record: 'frame',
    isHashed: true,
  },
  streamIds: {
    ...sent((zod) => zod.array(zod.string()).min(1).optional().describe('Streams of the event, at least one.')),
    view: (zod) => zod.array(zod.string()).describe('Streams of the event.'),
    line: (zod) => textsLine(zod, MAX_ID_LENGTH).refine((ids) => ids.length > 0, { error: 'An event needs at least one stream.' }),
    isPlain: (value) => isTexts(value) && value.length > 0,
    document: { as: 'streamIds', prefix: 's:' },
    record: 'frame',
    isHashed: true,
  },
  /** The first of `streamIds`, in records, answers and requests. */
  streamId: {
    ...sent((zod) => zod.string().optional().describe('Deprecated: the one stream, in place of streamIds.')),
    view: (zod) => zod.string().describe('Deprecated: the first of streamIds.'),
    line: (zod) => zod.string().optional(),
    document: { as: 'none' },
    record: 'frame',
    isHashed: false,
  },
  type: {
    create: (zod) => typeSchema(zod).describe(TYPE),
    update: (zod) => typeSchema(zod).optional().describe(TYPE),
    view: (zod) => zod.string().describe(TYPE),
    line: (zod) => zod.string().max(500),
    isPlain: (value) => typeof value === 'string' && EVENT_TYPE.test(value),
    document: { as: 'body' },
    record: 'frame',
    isHashed: true,
  },
  time: {
    ...sent((zod) => zod.number().optional().describe('Time of the event, in seconds since 1970; default for new events: now.')),
    view: (zod) => zod.number().describe('Time of the event, in seconds since 1970.'),
    line: (zod) => zod.number(),
    isPlain: isNumber,
    document: { as: 'number' },
    record: 'frame',
    isHashed: true,
  },
  duration: {
    ...sent((zod) => zod.number().min(0).nullish().describe('Duration in seconds; null: in progress. Default: none.')),
    view: (zod) => zod.number().nullable().optional().describe('Duration in seconds; null: in progress.'),
    line: (zod) => zod.number().min(0).nullable().optional(),
    isPlain: (value) => typeof value === 'number' && value >= 0 && value < Infinity,
    document: { as: 'duration' },
    record: 'frame',
    isHashed: true,
  },
  content: {
    ...sent((zod) => zod.unknown().optional().describe('Content, in the form that the type requires.')),
    view: (zod) => zod.unknown().optional().describe('Content, in the form that the type requires.'),
    line: (zod) => zod.unknown().optional(),
    isPlain: () => true,
    document: { as: 'body' },
    record: 'frame',
    isHashed: true,
    freeForm: 'value',
  },
  tags: {
    ...sent((zod) => zod.array(zod.string()).nullish().describe('Deprecated: tags.')),
    view: (zod) => zod.array(zod.string()).describe('Deprecated.'),
    line: (zod) => textsLine(zod, 1000),
    isPlain: isTexts,
    document: { as: 'texts', prefix: 't:' },
    record: 'frame',
    isHashed: false,
  },
  description: textForPeople('Text for people; null removes it.', 'Text for people.'),
  attachments: {
    update: 'protected',
    view: (zod) =>
      zod
        .array(zod.record(zod.string(), zod.unknown()))
        .optional()
        .describe('Attached files: id, fileName, type, size in bytes, readToken and, where integrity is on, integrity.'),
    line: (zod) =>
      zod.array(attachmentLine(zod)).max(1000).refine((files) => areDifferent(files.map((file) => file.id)), { error: 'Duplicate file id.' }).optional(),
    document: { as: 'files', prefix: 'a:' },
    record: 'frame',
    isHashed: true,
  },
  clientData: {
    ...sent((zod) => clientDataSchema(zod).nullish().describe('Client data by key; in an update, a key with null is removed.')),
    view: (zod) => clientDataSchema(zod).optional().describe('Client data by key.'),
    line: (zod) => mapLine(zod).optional(),
    document: { as: 'map', prefix: 'c:' },
    record: 'optional',
    isHashed: true,
    freeForm: 'map',
  },
  trashed: {
    ...sent((zod) => zod.boolean().nullish().describe('true moves the event to the trash, false restores it.')),
    view: (zod) => zod.boolean().optional().describe('true while the event is in the trash.'),
    line: (zod) => zod.literal(true).optional(),
    isPlain: (value) => typeof value === 'boolean',
    document: { as: 'flag' },
    record: 'frame',
    isHashed: true,
  },
  created: { ...tracking.created, ...tracked },
  createdBy: { ...tracking.createdBy, ...tracked },
  modified: { ...tracking.modified, ...tracked },
  modifiedBy: { ...tracking.modifiedBy, ...tracked },
  integrity: {
    create: 'ignored',
    update: 'protected',
    view: (zod) => zod.string().optional().describe('Hash of the event; where integrity is on.'),
    line: integrityLine,
    document: { as: 'none' },
    record: 'frame',
    isHashed: false,
  },
} satisfies Record<keyof Event | 'streamId', EventField>

type Table = typeof eventFields

/** Optional texts of events, which clients set. */
export type EventText = FieldsAs<Table, 'optionalText'>
/** Fields of events that clients update. */
export type AlterableEventField = { [K in keyof Table]: Table[K]['update'] extends 'protected' ? never : K }[Exclude<keyof Table, 'streamId'>]

const table: Readonly<Record<keyof Table, EventField>> = eventFields

/** Names of all fields; answers and requests also have `streamId`. */
export const eventFieldNames = namesOf(table).filter((name) => name !== 'streamId')

export const eventTexts: readonly EventText[] = fieldsWith(table, ({ document }) => document.as === 'optionalText')

/** Fields that clients update, in the order in which their changes are shown. */
export const alterableEventFields: readonly AlterableEventField[] = inOrder(
  fieldsWith(table, ({ update }, name) => typeof update === 'function' && name !== 'streamId'),
  ['streamIds', 'type', 'time', 'duration', 'content', ...eventTexts],
)

/** Members of records after the tags, in their order. */
export const optionalInEventRecords: readonly { name: Exclude<keyof Event, 'id'>; isMap: boolean }[] = namesOf(table).flatMap((name) => {
  const { record, document } = table[name]
  return record === 'optional' && name !== 'streamId' && name !== 'id' ? [{ name, isMap: document.as === 'map' }] : []
})

/** Names of the members that the integrity hash leaves out. */
export const unhashedInEvents: ReadonlySet<string> = new Set(fieldsWith(table, ({ isHashed }) => !isHashed))

/** Fields of the document of an event. */
export const eventDocument = documentRows(eventFields, ['type', 'streamIds', 'time', 'duration', 'description'])
