/** The span of time that charts show, in addresses: `from` and `to` in seconds, or the name of a length until now. */

export const spanNames = ['day', 'week', 'month', 'year', 'all'] as const
export type SpanName = (typeof spanNames)[number]

export interface Span {
  /** Seconds; absent: from the first value. */
  from?: number
  /** Seconds; absent: to the last value. */
  to?: number
  name?: SpanName
}

const DAY = 86_400
/** The range of `Date`, in seconds. */
const MAX_TIME = 8.64e12
const LENGTHS: Readonly<Record<Exclude<SpanName, 'all'>, number>> = { day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY }

/** Reads the span in an address; all times by default. */
export function spanIn(query: URLSearchParams, now: number): Span {
  const [from, to] = [timeIn(query, 'from'), timeIn(query, 'to')]
  if (from !== undefined && to !== undefined && to > from) return { from, to }
  const name = spanNames.find((each) => each === query.get('span')) ?? 'all'
  return name === 'all' ? { name } : { from: now - LENGTHS[name], to: now, name }
}

function timeIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  const time = text === null || text === '' ? Number.NaN : Number(text)
  return Math.abs(time) <= MAX_TIME ? time : undefined
}

/** Returns the span of the same length before or after one. */
export function movedBy(span: Span, by: 1 | -1): Required<Pick<Span, 'from' | 'to'>> | undefined {
  const { from, to } = span
  if (from === undefined || to === undefined) return undefined
  const length = to - from
  return { from: from + by * length, to: to + by * length }
}

/** Returns the parameters of an address that select a span. */
export function spanParameters({ from, to, name }: Span): Record<string, string> {
  if (name !== undefined) return { span: name }
  return from === undefined || to === undefined ? {} : { from: String(from), to: String(to) }
}
