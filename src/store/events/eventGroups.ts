/** Groups of events in a summary: by stream, type and numeric field of the content. */
import { recordGroupText, recordStreamIds, recordType } from '../model/eventRecord.js'
import { coversStream, matchesOne, type ResolvedQuery } from '../model/streamsQuery.js'
import { eachValue } from './eventValues.js'

/** A stream with a type of events; without stream for events that match by their tags only. */
export interface EventKind {
  streamId?: string
  type: string
}

export interface EventGroup {
  kind: EventKind
  /** Index of the kind. */
  kindIndex: number
  /** Name of the member of the content; '' for the content itself. */
  field: string
}

/** Returns the streams under which an event is summarised, given all its streams. */
type StreamsOf = (streamIds: readonly string[]) => readonly (string | undefined)[]

/** Receives a value of an event: the index of its group, and whether it is the first of the event and of the event in its kind. */
export type VisitRow = (group: number, value: number, isFirst: boolean, isFirstOfKind: boolean) => void

export interface EventGroups {
  readonly groups: readonly EventGroup[]
  readonly kinds: readonly EventKind[]
  /** Calls `visit` with the values of a record. @throws TooManyGroups */
  rowsOf(record: string, visit: VisitRow): void
}

/** Error of a summary with too many groups. */
export class TooManyGroups extends Error {
  constructor() {
    super(`The events have more than ${MAX_GROUPS} groups.`)
    this.name = 'TooManyGroups'
  }
}

/** Maximum number of groups of a summary. */
const MAX_GROUPS = 10_000
/** Maximum number of remembered combinations of streams and types. */
const MAX_REMEMBERED = 20_000

/** Creates the groups of a summary, which grow with the records. */
export function createEventGroups(streamsOf: StreamsOf): EventGroups {
  const groups: EventGroup[] = []
  const kinds: EventKind[] = []
  const places = new Map<string, number>()
  /** Groups of each kind, by field. */
  const fields: Map<string, number>[] = []
  /** Indexes of kinds, by the part of a record that determines them. */
  const known = new Map<string, readonly number[]>()

  function kindOf(streamId: string | undefined, type: string): number {
    // Ids and types contain no newline.
    const key = `${streamId ?? ''}\n${type}`
    let place = places.get(key)
    if (place === undefined) {
      if (kinds.length === MAX_GROUPS) throw new TooManyGroups()
      place = kinds.push({ ...(streamId === undefined ? {} : { streamId }), type }) - 1
      places.set(key, place)
      fields.push(new Map())
    }
    return place
  }

  function kindsOf(record: string): readonly number[] {
    const text = recordGroupText(record)
    let found = known.get(text)
    if (found === undefined) {
      const type = recordType(record)
      found = streamsOf(recordStreamIds(record)).map((streamId) => kindOf(streamId, type))
      if (known.size >= MAX_REMEMBERED) known.clear()
      known.set(text, found)
    }
    return found
  }

  function groupOf(kindIndex: number, field: string): number {
    let group = fields[kindIndex]?.get(field)
    const kind = kinds[kindIndex]
    if (group === undefined && kind !== undefined) {
      if (groups.length === MAX_GROUPS) throw new TooManyGroups()
      group = groups.push({ kind, kindIndex, field }) - 1
      fields[kindIndex]?.set(field, group)
    }
    return group ?? 0
  }

  return {
    groups,
    kinds,
    rowsOf(record, visit) {
      const found = kindsOf(record)
      const [first] = found
      if (first === undefined) return
      let isFirst = true
      let isFirstField = true
      eachValue(record, kinds[first]?.type ?? '', (field, value) => {
        for (const kind of found) {
          visit(groupOf(kind, field), value, isFirst, isFirstField)
          isFirst = false
        }
        isFirstField = false
      })
    },
  }
}

/**
 * Creates the function that selects the streams of events for a resolved query. With `named`, the streams that the query names
 * with what each covers, these are the named ones that cover a stream of the event; otherwise the first stream that matches.
 */
export function streamsBy(query: ResolvedQuery, named: readonly NamedStream[] = []): StreamsOf {
  const byStreams = query.filter(({ tagged }) => tagged === undefined)
  return (streamIds) => {
    const matching = byStreams.filter((one) => matchesOne(one, streamIds))
    const covered = streamIds.filter((id) => matching.some((one) => coversStream(one, id)))
    if (named.length === 0) return [covered[0]]
    const found = new Set<string>()
    for (const { id, covers } of named) if (!found.has(id) && covered.some((one) => coversStream(covers, one))) found.add(id)
    return found.size === 0 ? [covered[0]] : [...found]
  }
}

/** A stream that a query names, with the part of the query that it stands for. */
export interface NamedStream {
  id: string
  covers: ResolvedQuery[number]
}
