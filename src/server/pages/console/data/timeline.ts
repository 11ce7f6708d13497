/**
 * Reads pages of the timeline. A page begins at a position (time and id), not after a number of events, so later pages cost as much
 * as the first one. `events.get` reads in order of time, from the position on; the other filters apply here, until the page is full
 * or its share of work is done. The result then names the position at which the next page continues.
 */
import type { Event } from '../../../../store/model/event.js'
import { recordId, recordIsRunning, recordIsTrashed, recordTime, recordType } from '../../../../store/model/eventRecord.js'
import { peopleStreamsQuery } from '../../../../store/model/peopleStreams.js'
import { typeFilter } from '../../../api/events/filterInput.js'
import { get } from '../../../api/events/get.js'
import { RawList } from '../../../call/results.js'
import type { OwnVisit } from '../../page.js'
import { callAsOwner } from '../../session.js'
import { typeName, valueText } from '../../events/eventValue.js'
import type { Filters, Position } from './filters.js'

/** Events of a page. */
const PAGE_SIZE = 50
/** Maximum number of events that a page reads; a search continues on the next one. */
const MAX_READ = 20_000
/** Time in milliseconds after which a page stops reading, once it has read `MIN_READ` events. */
const MAX_READ_MS = 50
const MIN_READ = 1000
/** Maximum length of a record whose whole content is searched for text. */
const MAX_SEARCHED = 20_000

export interface TimelinePage {
  /** Newest first. */
  events: Event[]
  /** Position from which older events continue; absent at the end. */
  older?: Position
  /** Position from which newer events continue; absent at the begin. */
  newer?: Position
  /** True if the page stopped before it was full: more events may match. */
  isPartial: boolean
}

interface Walk {
  events: Event[]
  /** Position of the last event that was accepted or refused; absent at the end of the list. */
  reached?: Position
  isPartial: boolean
}

/** Compares positions in the order of the store: by time, then by id. */
const comparePositions = (a: Position, b: Position): number => a.time - b.time || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/**
 * Reads the page at the position of the filters.
 * @throws Failure of events.get
 */
export async function readTimeline(visit: OwnVisit, filters: Filters): Promise<TimelinePage> {
  const { before, after, ...rest } = filters
  const { events, reached, isPartial } = await walk(visit, filters, after !== undefined)
  const onward = reached === undefined ? {} : { [after === undefined ? 'older' : 'newer']: reached }
  if (after === undefined) {
    const newest = events[0] ?? before
    return { events, isPartial, ...onward, ...(before === undefined || newest === undefined ? {} : { newer: positionOf(newest) }) }
  }
  // Fewer events are newer than a page has: this is the first page.
  if (reached === undefined && events.length < PAGE_SIZE) return readTimeline(visit, rest)
  events.reverse()
  return { events, isPartial, ...onward, older: positionOf(events.at(-1) ?? after) }
}

const positionOf = ({ time, id }: Position): Position => ({ time, id })

/** Reads events in one direction from the position of the filters until a page is full. */
async function walk(visit: OwnVisit, filters: Filters, isAscending: boolean): Promise<Walk> {
  const acceptedEvent = filterOf(visit, filters)
  const started = performance.now()
  const events: Event[] = []
  let read = 0
  for await (const records of await recordsOf(visit, filters, isAscending)) {
    for (const record of records) {
      const position = recordPosition(record)
      if (!isInRange(position, filters)) continue
      const event = acceptedEvent(record)
      if (event !== undefined && events.length === PAGE_SIZE) return { events, reached: positionOf(events.at(-1) ?? event), isPartial: false }
      if (event !== undefined) events.push(event)
      read += 1
      const isOver = read >= MAX_READ || (read >= MIN_READ && performance.now() - started > MAX_READ_MS)
      if (isOver) return { events, reached: position, isPartial: events.length < PAGE_SIZE }
    }
  }
  return { events, isPartial: false }
}

/** Reads the records from the position of the filters on, page by page. */
async function recordsOf(visit: OwnVisit, filters: Filters, isAscending: boolean): Promise<AsyncIterable<string[]>> {
  const { stream, state, start = -Number.MAX_VALUE, end = Number.MAX_VALUE, before, after } = filters
  const query = {
    streams: stream === undefined ? [peopleStreamsQuery] : [stream],
    // The method would read all events to find few trashed ones.
    state: state === 'default' ? 'default' : 'all',
    fromTime: Math.max(start, after?.time ?? start),
    toTime: Math.min(end, before?.time ?? end),
    sortAscending: isAscending,
  }
  const others = await pagesOf(visit, query)
  // Periods in progress match only times that include the present, so they are read on their own.
  return merged(withoutRunning(others), await pagesOf(visit, { ...query, running: true }), isAscending)
}

async function pagesOf(visit: OwnVisit, query: object): Promise<AsyncIterable<string[]>> {
  const { events } = await callAsOwner(visit, visit.session, get, query)
  if (!(events instanceof RawList)) throw new TypeError('events.get answers with a list')
  return events.pages
}

async function* withoutRunning(pages: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  for await (const page of pages) yield page.filter((record) => !recordIsRunning(record))
}

const recordPosition = (record: string): Position => ({ time: recordTime(record), id: recordId(record) })

/** Merges the records of a short sequence into the pages of a long one. Closes both when the consumer stops. */
async function* merged(long: AsyncIterable<string[]>, short: AsyncIterable<string[]>, isAscending: boolean): AsyncGenerator<string[]> {
  const compare = (a: string, b: string): number => comparePositions(recordPosition(a), recordPosition(b)) * (isAscending ? 1 : -1)
  const source = short[Symbol.asyncIterator]()
  let waiting: string[] = []
  /** Takes the records of the short sequence that precede a record. */
  const takeBefore = async (limit: string): Promise<string[]> => {
    const taken: string[] = []
    for (;;) {
      const place = waiting.findIndex((record) => compare(record, limit) > 0)
      taken.push(...waiting.splice(0, place === -1 ? waiting.length : place))
      if (place !== -1) return taken
      const next = await source.next()
      if (next.done === true) return taken
      waiting = [...next.value]
    }
  }
  try {
    for await (const page of long) {
      const last = page.at(-1)
      if (last === undefined) continue
      const taken = await takeBefore(last)
      yield taken.length === 0 ? page : [...page, ...taken].sort(compare)
    }
    yield waiting
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value
  } finally {
    await source.return?.()
  }
}

/** Leaves out events on other pages, and those of the day after the last one. */
function isInRange(position: Position, { end, before, after }: Filters): boolean {
  if (end !== undefined && position.time >= end) return false
  if (before !== undefined && comparePositions(position, before) >= 0) return false
  return after === undefined || comparePositions(position, after) > 0
}

/** Creates the function that returns the event of a record if the filters accept it; cheap checks come before it is parsed. */
function filterOf(visit: OwnVisit, { types, text, state }: Filters): (record: string) => Event | undefined {
  const isOfType = typeFilter(types)
  const terms = text.toLowerCase().split(/\s+/).filter((term) => term !== '')
  return (record) => {
    if (state === 'trashed' && !recordIsTrashed(record)) return undefined
    if (types.length > 0 && !isOfType(recordType(record))) return undefined
    const event = JSON.parse(record) as Event
    return terms.length === 0 || containsTerms(searchedText(event, visit), terms) ? event : undefined
  }
}

const containsTerms = (text: string, terms: readonly string[]): boolean => terms.every((term) => text.includes(term))

/** Returns the text of an event in which words are searched: its value, its texts, its type, and the names of its files. */
function searchedText(event: Event, visit: OwnVisit): string {
  const { type, description = '', tags, content, attachments = [] } = event
  const whole = typeof content === 'string' ? content : content !== null && typeof content === 'object' ? JSON.stringify(content) : ''
  const files = attachments.map(({ fileName }) => fileName)
  return [valueText(event, visit), type, typeName(type, visit), description, ...tags, ...files, whole.slice(0, MAX_SEARCHED)].join('\n').toLowerCase()
}
