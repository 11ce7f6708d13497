/** What clients send of streams, and what they get (data supplement 4). */
import * as z from 'zod'
import type { ClientData } from '../../store/model/event.js'

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
/** Client data of a stream or an access. Taken as it is: a copy by zod would lose a key named __proto__. */
export const clientData = z
  .custom<ClientData>(isObject, { error: 'Expected an object.', params: { code: 'INVALID_TYPE' } })
  .meta({ type: 'object' })

export const NewStream = z.strictObject({
  id: z.string().min(1).optional(),
  name: z.string().min(1),
  parentId: z.string().min(1).nullish(),
  clientData: clientData.nullish(),
  trashed: z.boolean().nullish(),
  children: z.array(z.unknown()).nullish(),
  childrenHidden: z.boolean().nullish(),
  created: z.unknown().optional(),
  createdBy: z.unknown().optional(),
  modified: z.unknown().optional(),
  modifiedBy: z.unknown().optional(),
})

export const protectedFields = ['id', 'children', 'created', 'createdBy', 'modified', 'modifiedBy'] as const

export const StreamUpdate = z.strictObject({
  name: z.string().min(1).optional(),
  parentId: z.string().min(1).nullish(),
  clientData: clientData.nullish(),
  trashed: z.boolean().nullish(),
  childrenHidden: z.boolean().nullish(),
  id: z.unknown().optional(),
  children: z.unknown().optional(),
  created: z.unknown().optional(),
  createdBy: z.unknown().optional(),
  modified: z.unknown().optional(),
  modifiedBy: z.unknown().optional(),
})

export const StreamView = z.object({
  id: z.string(),
  name: z.string(),
  parentId: z.string().nullable(),
  children: z.array(z.record(z.string(), z.unknown())),
  clientData: clientData.optional(),
  trashed: z.boolean().optional(),
  childrenHidden: z.boolean().optional(),
  created: z.number(),
  createdBy: z.string(),
  modified: z.number(),
  modifiedBy: z.string(),
})

export const StreamDeletionView = z.object({ id: z.string(), deleted: z.number().optional() })
