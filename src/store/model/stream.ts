/** Streams: the tree of categories that events belong to (specification, "Stream"). */
import type { ClientData, Seconds } from './event.js'

/** A stream as it is stored: flat, its children found through `parentId`. */
export interface Stream {
  id: string
  name: string
  parentId: string | null
  clientData?: ClientData
  /** Present only when true. */
  trashed?: true
  childrenHidden?: boolean
  created: Seconds
  createdBy: string
  modified: Seconds
  modifiedBy: string
}

/** A stream as `streams.get` answers it. */
export interface StreamView extends Stream {
  children: StreamView[]
}

export interface StreamDeletion {
  id: string
  deleted: Seconds
}

/** A stream with its members in the order in which every copy of it has them: records of streams are compared as texts. */
export const canonicalStream = (stream: Stream): Stream => ({
  id: stream.id,
  name: stream.name,
  parentId: stream.parentId,
  ...(stream.clientData === undefined ? {} : { clientData: stream.clientData }),
  ...(stream.trashed === undefined ? {} : { trashed: stream.trashed }),
  ...(stream.childrenHidden === undefined ? {} : { childrenHidden: stream.childrenHidden }),
  created: stream.created,
  createdBy: stream.createdBy,
  modified: stream.modified,
  modifiedBy: stream.modifiedBy,
})
