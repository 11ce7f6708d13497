/** Schemas of stream parameters and results (docs/interface/streams.md), built from the table of their fields. */
import * as z from 'zod'
import { alterableStreamFields, streamFields } from '../../../store/model/streams/fields.js'
import { protectedFieldsOf, shapeOf } from '../../base/tableSchema.js'

export const NewStream = z.strictObject(shapeOf(streamFields, 'create', ['id', 'name', 'parentId', 'clientData', 'trashed']))

export const protectedFields = protectedFieldsOf(streamFields)

export const StreamUpdate = z.strictObject(shapeOf(streamFields, 'update', alterableStreamFields))

export const StreamView = z.object(shapeOf(streamFields, 'view', ['id', 'name', 'parentId', 'children']))

export const StreamDeletionView = z.object({
  id: z.string().describe('Id of the deleted stream.'),
  deleted: z.number().optional().describe('Time of the deletion, in seconds since 1970.'),
})
