/** Parses the filter and the position in the address of Activity. */
import { kinds, type Kind } from './actions.js'
import type { Filter, Position } from './records.js'

/** Fields of the filter, as typed. */
export interface FilterInput {
  access: string
  kind: string
  from: string
  to: string
  /** True to show reading by these pages too. */
  own: boolean
}

const MAX_ID = 200
const DAY_SECONDS = 86_400
const MAX_SKIP = 100_000

/** Returns the fields of the filter in an address. */
export const filterInputOf = (query: URLSearchParams): FilterInput => ({
  access: (query.get('access') ?? '').slice(0, MAX_ID),
  kind: (query.get('kind') ?? '').slice(0, MAX_ID),
  from: (query.get('from') ?? '').slice(0, MAX_ID),
  to: (query.get('to') ?? '').slice(0, MAX_ID),
  own: query.has('own'),
})

/** Returns the parameters of an address for a filter. */
export function filterParameters({ access, kind, from, to, own }: FilterInput): Record<string, string> {
  const fields = Object.entries({ access, kind, from, to }).filter(([, value]) => value !== '')
  return { ...Object.fromEntries(fields), ...(own ? { own: '1' } : {}) }
}

const isKind = (text: string): text is Kind => (kinds as readonly string[]).includes(text)

/** Returns a filter, or undefined for malformed dates. `pagesAccess` is the access of the pages. */
export function filterOf({ access, kind, from, to, own }: FilterInput, timeZone: string, pagesAccess: string): Filter | undefined {
  const begin = from === '' ? undefined : startOfDay(from, timeZone)
  const end = to === '' ? undefined : startOfDay(to, timeZone, 1)
  if (Number.isNaN(begin) || Number.isNaN(end)) return undefined
  // Stream ids do not contain these characters.
  const named = /^[\w-]+$/.test(access) ? access : undefined
  return {
    ...(named === undefined ? {} : { access: named }),
    ...(isKind(kind) ? { kind } : {}),
    ...(begin === undefined ? {} : { from: begin }),
    ...(end === undefined ? {} : { to: end - 0.001 }),
    ...(own || named === pagesAccess ? {} : { hidden: pagesAccess }),
  }
}

/** Returns the position in an address; undefined for the first page. */
export function positionOf(query: URLSearchParams): Position | undefined {
  const until = Number(query.get('until') ?? Number.NaN)
  const skip = Number(query.get('skip') ?? 0)
  return Number.isFinite(until) && Number.isSafeInteger(skip) && skip >= 0 && skip <= MAX_SKIP ? { until, skip } : undefined
}

/** Returns the begin of a day (`2026-11-30`), or of the one `days` later, in a time zone; NaN for malformed days. In seconds. */
function startOfDay(text: string, timeZone: string, days = 0): number {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return Number.NaN
  const utc = Date.parse(`${text}T00:00:00Z`) / 1000 + days * DAY_SECONDS
  if (Number.isNaN(utc)) return utc
  // The offset may change on that day, so it is applied twice.
  const once = utc - offsetAt(utc, timeZone)
  return utc - offsetAt(once, timeZone)
}

/** Returns the offset of a time zone from UTC at a time, in seconds. */
function offsetAt(time: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  const parts = Object.fromEntries(format.formatToParts(time * 1000).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - time
}
