/** Streams: the tree of categories that events belong to (docs/interface/streams.md#fields). */
import type { ClientData, Seconds } from './event.js'

/** A stored stream: flat, with children linked through `parentId`. */
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

/** A stream as returned by `streams.get`. */
export interface StreamView extends Stream {
  children: StreamView[]
}

export interface StreamDeletion {
  id: string
  deleted: Seconds
}
