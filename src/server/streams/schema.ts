/** Schemas of stream parameters and results (data supplement 4). */
import * as z from 'zod'
import type { ClientData } from '../../store/model/event.js'
import { ignoredMember, protectedMember } from '../base/readOnlyMembers.js'

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
/** Client data of a stream or an access. Not copied: a copy by zod would lose a key named __proto__. */
export const clientData = z
  .custom<ClientData>(isObject, { error: 'Expected an object.', params: { code: 'INVALID_TYPE' } })
  .meta({ type: 'object' })

export const NewStream = z.strictObject({
  id: z.string().min(1).optional().describe('Id of the stream; default: a random one.'),
  name: z.string().min(1).describe('Name, unique among its siblings.'),
  parentId: z.string().min(1).nullish().describe('Id of the parent stream; null or none: at the top.'),
  clientData: clientData.nullish().describe('Client data by key.'),
  trashed: z.boolean().nullish().describe('true puts the stream into the trash; default false.'),
  children: z.array(z.unknown()).nullish().meta({ description: 'Set by the node; a given list is ignored.', readOnly: true }),
  childrenHidden: z.boolean().nullish().describe('true: apps should not show the streams below it; default false.'),
  created: ignoredMember,
  createdBy: ignoredMember,
  modified: ignoredMember,
  modifiedBy: ignoredMember,
})

export const protectedFields = ['id', 'children', 'created', 'createdBy', 'modified', 'modifiedBy'] as const

export const StreamUpdate = z.strictObject({
  name: z.string().min(1).optional().describe('Name, unique among its siblings.'),
  parentId: z.string().min(1).nullish().describe('Id of the new parent stream; null: at the top.'),
  clientData: clientData.nullish().describe('Client data: keys to set; a key with null is removed.'),
  trashed: z.boolean().nullish().describe('true puts the stream into the trash, false takes it out.'),
  childrenHidden: z.boolean().nullish().describe('true: apps should not show the streams below it.'),
  id: protectedMember,
  children: protectedMember,
  created: protectedMember,
  createdBy: protectedMember,
  modified: protectedMember,
  modifiedBy: protectedMember,
})

export const StreamView = z.object({
  id: z.string().describe('Id of the stream.'),
  name: z.string().describe('Name.'),
  parentId: z.string().nullable().describe('Id of the parent stream; null at the top.'),
  children: z.array(z.record(z.string(), z.unknown())).describe('Streams below it, in the same form.'),
  clientData: clientData.optional().describe('Client data by key.'),
  trashed: z.boolean().optional().describe('true while the stream is in the trash.'),
  childrenHidden: z.boolean().optional().describe('true: apps should not show the streams below it.'),
  created: z.number().describe('Creation time, in seconds since 1970.'),
  createdBy: z.string().describe('Id of the access that created it.'),
  modified: z.number().describe('Time of the last change, in seconds since 1970.'),
  modifiedBy: z.string().describe('Id of the access that last changed it.'),
})

export const StreamDeletionView = z.object({
  id: z.string().describe('Id of the deleted stream.'),
  deleted: z.number().optional().describe('Time of the deletion, in seconds since 1970.'),
})
