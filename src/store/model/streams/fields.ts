/**
 * Fields of streams: one row per field, in the order of records, answers and export lines. Schemas, records, CRDT documents,
 * checks, exports and imports derive from this table; see `events/fields.ts`.
 */
import { clientDataSchema, documentRows, idLine, mapLine, namesOf, tracking, type DocumentField } from '../fieldTable.js'
import type { Stream } from '../stream.js'

export const streamFields = {
  id: {
    create: (zod) => zod.string().min(1).optional().describe('Id of the stream; default: a random one.'),
    update: 'protected',
    view: (zod) => zod.string().describe('Id of the stream.'),
    line: idLine,
    document: { as: 'none' },
  },
  name: {
    create: (zod) => zod.string().min(1).describe('Name, unique among its siblings.'),
    update: (zod) => zod.string().min(1).optional().describe('Name, unique among its siblings.'),
    view: (zod) => zod.string().describe('Name.'),
    line: (zod) => zod.string().min(1),
    document: { as: 'text' },
  },
  parentId: {
    create: (zod) => zod.string().min(1).nullish().describe('Id of the parent stream; null or none: at the top.'),
    update: (zod) => zod.string().min(1).nullish().describe('Id of the new parent stream; null: at the top.'),
    view: (zod) => zod.string().nullable().describe('Id of the parent stream; null at the top.'),
    line: (zod) => zod.string().nullable(),
    document: { as: 'streamId' },
  },
  /** The streams below it, in answers and requests. */
  children: {
    create: (zod) => zod.array(zod.unknown()).nullish().meta({ description: 'Set by the node; a given list is ignored.', readOnly: true }),
    update: 'protected',
    view: (zod) => zod.array(zod.record(zod.string(), zod.unknown())).describe('Streams below it, in the same form.'),
    document: { as: 'none' },
  },
  clientData: {
    create: (zod) => clientDataSchema(zod).nullish().describe('Client data by key.'),
    update: (zod) => clientDataSchema(zod).nullish().describe('Client data: keys to set; a key with null is removed.'),
    view: (zod) => clientDataSchema(zod).optional().describe('Client data by key.'),
    line: (zod) => mapLine(zod).optional(),
    document: { as: 'map', prefix: 'c:' },
  },
  trashed: {
    create: (zod) => zod.boolean().nullish().describe('true puts the stream into the trash; default false.'),
    update: (zod) => zod.boolean().nullish().describe('true puts the stream into the trash, false takes it out.'),
    view: (zod) => zod.boolean().optional().describe('true while the stream is in the trash.'),
    line: (zod) => zod.literal(true).optional(),
    document: { as: 'flag' },
  },
  childrenHidden: {
    create: (zod) => zod.boolean().nullish().describe('true: apps should not show the streams below it; default false.'),
    update: (zod) => zod.boolean().nullish().describe('true: apps should not show the streams below it.'),
    view: (zod) => zod.boolean().optional().describe('true: apps should not show the streams below it.'),
    line: (zod) => zod.boolean().optional(),
    document: { as: 'optionalBoolean' },
  },
  ...tracking,
} satisfies Record<keyof Stream | 'children', DocumentField>

/** Names of all stored fields, in the order of records. */
export const streamFieldNames = namesOf(streamFields).filter((name) => name !== 'children')

/** Fields that updates may set, in the order of the table. */
export const alterableStreamFields = namesOf(streamFields).filter((name) => typeof streamFields[name].update === 'function')

/** Fields of the document of a stream. */
export const streamDocument = documentRows(streamFields, ['name', 'parentId', 'childrenHidden'])

/** Orders the members of a stream identically on every replica: stream records are compared as texts. */
export function canonicalStream(stream: Stream): Stream {
  const members: Partial<Record<keyof Stream, unknown>> = {}
  for (const name of streamFieldNames) if (stream[name] !== undefined) members[name] = stream[name]
  return members as Stream
}
