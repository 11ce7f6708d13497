/** Naive model of the content of an account. */
import {
  lineOf,
  isOpenByTag,
  mayWithEvent,
  mayWithStream,
  type EventAction,
  type Grant,
  type NaiveEvent,
  type Parents,
  type StreamAction,
} from '../support/oracles/naivePermissions.js'

export type State = 'default' | 'trashed' | 'all'

export interface ModelEvent {
  streamIds: string[]
  tags: string[]
  trashed: boolean
}

export interface Model {
  readonly streams: Map<string, { parentId: string | null; trashed: boolean }>
  readonly events: Map<string, ModelEvent>
  /** Ids of permanently deleted events. */
  readonly gone: Set<string>
  /** Returns the stream and its ancestors, nearest first. */
  line(id: string): string[]
  /** Tests whether neither the stream nor an ancestor is trashed. */
  isVisible(id: string): boolean
  mayStream(grant: Grant, action: StreamAction, id: string): boolean
  mayEvent(grant: Grant, action: EventAction, event: NaiveEvent): boolean
  /** Tests whether a tag makes an event readable, independent of its streams. */
  isReadByTag(grant: Grant, event: NaiveEvent): boolean
  /** Returns everything as JSON, for messages. */
  toText(): string
}

export function newModel(): Model {
  const streams: Model['streams'] = new Map()
  const events: Model['events'] = new Map()
  const parents: Parents = { get: (id) => streams.get(id)?.parentId }
  const line = (id: string): string[] => lineOf(id, parents)
  return {
    streams,
    events,
    gone: new Set(),
    line,
    isVisible: (id) => !line(id).some((one) => streams.get(one)?.trashed === true),
    mayStream: (grant, action, id) => mayWithStream(grant, action, id, parents),
    mayEvent: (grant, action, event) => mayWithEvent(grant, action, event, parents),
    isReadByTag: (grant, event) => isOpenByTag(grant, 'read', event, parents),
    toText: () => JSON.stringify({ streams: Object.fromEntries(streams), events: Object.fromEntries(events) }),
  }
}

/** Stream in a result of streams.get. */
export interface View {
  id: string
  parentId: string | null
  trashed?: boolean
  children: View[]
}

export const flattened = (views: readonly View[]): View[] => views.flatMap((view) => [view, ...flattened(view.children)])
