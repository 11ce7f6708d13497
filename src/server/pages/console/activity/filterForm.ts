/** Parses the filter in the address of Activity. */
import { dayBounds } from '../../times.js'
import { kinds, type Kind } from './actions.js'
import type { Filter } from './records.js'

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
  const begin = dayBounds(from, timeZone)?.from
  const end = dayBounds(to, timeZone)?.to
  if ((from !== '' && begin === undefined) || (to !== '' && end === undefined)) return undefined
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
