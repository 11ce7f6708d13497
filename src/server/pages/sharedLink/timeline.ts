/** Reads the events that a shared link opens, page by page. */
import type { Attachment } from '../../../store/model/event.js'
import { get } from '../../api/events/get.js'
import { readAsOwner } from '../session.js'
import type { TimePosition } from '../timePosition.js'
import type { SharedVisit } from './views.js'

export interface SharedEvent {
  id: string
  streamIds: readonly string[]
  type: string
  /** Time in seconds. */
  time: number
  /** Duration in seconds; null for an event in progress. */
  duration?: number | null
  content?: unknown
  description?: string
  attachments?: readonly Attachment[]
}

interface EventPage {
  /** Events in progress; on the first page only. */
  running: SharedEvent[]
  events: SharedEvent[]
  next?: TimePosition
}

const PAGE_EVENTS = 50
/** Time before all events, in seconds. */
const BEGIN = -1e12
/** Time ranges contain events in progress if they cover this many seconds before now. */
const PRESENT_SECONDS = 5

/** Reads a page of events, of a stream and those below it, or of all streams of the link. */
export async function readEvents(visit: SharedVisit, stream: string | undefined, position: TimePosition | undefined): Promise<EventPage> {
  const filter = stream === undefined ? {} : { streams: [stream] }
  const range = position === undefined ? {} : { fromTime: BEGIN, toTime: position.until, skip: position.skip }
  const { events } = (await readAsOwner(visit, visit.session, get, { ...filter, ...range, limit: PAGE_EVENTS + 1 })) as { events: SharedEvent[] }
  const shown = events.slice(0, PAGE_EVENTS)
  const running = position === undefined ? await readRunning(visit, filter) : []
  const page = { running, events: shown.filter(({ duration }) => duration !== null) }
  const last = shown.at(-1)
  return events.length <= PAGE_EVENTS || last === undefined ? page : { ...page, next: positionAfter(visit, shown, last.time, position) }
}

async function readRunning(visit: SharedVisit, filter: object): Promise<SharedEvent[]> {
  const { events } = (await readAsOwner(visit, visit.session, get, { ...filter, running: true, limit: PAGE_EVENTS })) as { events: SharedEvent[] }
  return events
}

function positionAfter({ node }: SharedVisit, shown: readonly SharedEvent[], until: number, before: TimePosition | undefined): TimePosition {
  // The next range leaves out events in progress once it ends in the past, so they are not skipped.
  const hasRunning = until >= node.clock.now() - PRESENT_SECONDS
  const count = shown.filter(({ time, duration }) => time === until && (hasRunning || duration !== null)).length
  return { until, skip: before?.until === until ? before.skip + count : count }
}
