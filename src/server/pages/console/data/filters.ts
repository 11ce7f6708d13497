/** Filters of the timeline and its position, as parameters of the address. */
import { linkTo } from '../../links.js'
import type { OwnVisit } from '../../page.js'
import { dayBounds } from '../../times.js'

export const DATA_PATH = '/data'
export const MAX_TEXT = 200
export const MAX_STREAM_ID = 1024
const MAX_EVENT_ID = 1024
const MAX_TYPES = 20
const TYPE = /^(series:)?[a-z0-9-]+\/(\*|[a-z0-9-]+)$/

export const states = ['default', 'trashed', 'all'] as const
export type State = (typeof states)[number]

/** A position in the order of the timeline: the time of an event in seconds, and its id. */
export interface Position {
  time: number
  id: string
}

/** The filters of the timeline as the reader gave them. */
export interface Filters {
  /** Id of the stream; absent for all streams. */
  stream?: string
  types: readonly string[]
  text: string
  /** First and last day: `2026-11-27`. */
  from: string
  to: string
  state: State
  /** Times in seconds that the days stand for: the first instant, and the end, which is excluded. */
  start?: number
  end?: number
  /** Only events after this position in the list, which are older. */
  before?: Position
  /** Only events before this position in the list, which are newer. */
  after?: Position
}

/** Parses the filters of an address; what is not valid is ignored. */
export function filtersOf({ query, timeZone }: Pick<OwnVisit, 'query' | 'timeZone'>): Filters {
  const value = (name: string): string => query.get(name) ?? ''
  const from = dayBounds(value('from'), timeZone)
  const to = dayBounds(value('to'), timeZone)
  const stream = value('stream')
  const before = positionOf(value('before'))
  const after = positionOf(value('after'))
  return {
    ...(stream === '' || stream.length > MAX_STREAM_ID ? {} : { stream }),
    types: [...new Set(value('type').split(','))].filter((type) => TYPE.test(type)).slice(0, MAX_TYPES),
    text: value('text').trim().slice(0, MAX_TEXT),
    from: from === undefined ? '' : value('from'),
    to: to === undefined ? '' : value('to'),
    state: states.find((state) => state === value('state')) ?? 'default',
    ...(from === undefined ? {} : { start: from.from }),
    ...(to === undefined ? {} : { end: to.to }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined || before !== undefined ? {} : { after }),
  }
}

function positionOf(text: string): Position | undefined {
  const [, number, id] = /^(-?\d[\d.e+-]{0,40})~(.*)$/s.exec(text) ?? []
  const time = Number(number)
  return id === undefined || id === '' || id.length > MAX_EVENT_ID || !Number.isFinite(time) ? undefined : { time, id }
}

export const positionText = ({ time, id }: Position): string => `${time}~${id}`

/** Checks whether filters other than the stream select events. */
export const isFiltered = ({ types, text, from, to, state }: Filters): boolean =>
  types.length > 0 || text !== '' || from !== '' || to !== '' || state !== 'default'

/** Returns the parameters of the filters without a position. */
function filterParameters({ stream, types, text, from, to, state }: Filters): Record<string, string> {
  const all = { stream: stream ?? '', type: types.join(','), text, from, to, state: state === 'default' ? '' : state }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

/** Returns the address of the timeline with filters, and with a position. */
export const timelineLink = (visit: OwnVisit, filters: Filters, position: Readonly<Record<string, string>> = {}): string =>
  linkTo(visit, DATA_PATH, { ...filterParameters(filters), ...position })

/** Returns the address of a stream in the section. */
export const streamLink = (visit: OwnVisit, stream: string | null): string => linkTo(visit, DATA_PATH, stream === null ? {} : { stream })
