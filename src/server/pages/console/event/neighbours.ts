/** The entries before and after an event in its stream, by time. */
import type { Event } from '../../../../store/model/event.js'
import { Failure } from '../../../../store/model/failure.js'
import { get } from '../../../api/events/get.js'
import type { OwnVisit } from '../../page.js'
import { readAsOwner } from '../../session.js'

interface Neighbours {
  /** Ids of events. */
  older?: string
  newer?: string
}

/** Maximum number of events of one time, or of periods that last until the time of the event, that are read. */
const MAX_READ = 50
/** Times before and after all events, in seconds. */
const [BEGIN, END] = [-1e12, 1e12]

/** Finds the neighbours of an event in its first stream; a side is absent at the end of the stream, both if the stream was deleted meanwhile. */
export async function loadNeighbours(visit: OwnVisit, event: Event): Promise<Neighbours> {
  try {
    return await neighboursOf(visit, event)
  } catch (error) {
    if (error instanceof Failure) return {}
    throw error
  }
}

/** @throws Failure of events.get */
async function neighboursOf(visit: OwnVisit, { id, time, streamIds, trashed }: Event): Promise<Neighbours> {
  const read = async (params: object): Promise<ListedEvent[]> => {
    const filter = { streams: [`${streamIds[0] ?? ''}!`], state: trashed === true ? 'trashed' : 'default' }
    const { events } = (await readAsOwner(visit, visit.session, get, { ...filter, ...params })) as { events: ListedEvent[] }
    return events
  }
  // Two events suffice, unless several have the same time.
  const idAfterOwn = async (params: object, others: readonly ListedEvent[]): Promise<string | undefined> => {
    for (const limit of [2, MAX_READ]) {
      const found = idAfter(merged(await read({ ...params, limit }), others), id)
      if (found !== undefined) return found
    }
    return undefined
  }
  // Ranges that end in the past leave out events in progress.
  const running = (await read({ running: true, limit: MAX_READ })).filter((event) => event.time <= time)
  const older = await idAfterOwn({ fromTime: BEGIN, toTime: time }, running)
  const newer = await idAfterOwn({ fromTime: time, toTime: END, sortAscending: true }, [])
  return { ...(older === undefined ? {} : { older }), ...(newer === undefined ? {} : { newer }) }
}

/** Merges events, the latest first, with those of them that are in progress. */
function merged(events: readonly ListedEvent[], running: readonly ListedEvent[]): readonly ListedEvent[] {
  if (running.length === 0) return events
  const known = new Set(events.map((event) => event.id))
  return [...running.filter((event) => !known.has(event.id)), ...events].sort((a, b) => b.time - a.time)
}

type ListedEvent = Pick<Event, 'id' | 'time'>

/** Returns the id of the event that follows one in a list; undefined if the list does not contain that one. */
function idAfter(events: readonly ListedEvent[], id: string): string | undefined {
  const at = events.findIndex((event) => event.id === id)
  return at === -1 ? undefined : events[at + 1]?.id
}
