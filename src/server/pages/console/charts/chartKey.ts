/** Names of charts in addresses: a numeric field of events of a type in a stream, or of the points of a series. */

export type ChartKey = EventsKey | SeriesKey

export interface EventsKey {
  kind: 'events'
  streamId: string
  type: string
  /** Member of the content; empty for the content itself. */
  field: string
}

export interface SeriesKey {
  kind: 'series'
  eventId: string
  field: string
}

/** Maximum number of charts on a page. */
export const MAX_CHARTS = 12
const MAX_KEY = 1500

/** Returns the text of a key: its parts, separated by `|`. */
export function keyText(key: ChartKey): string {
  const parts = key.kind === 'events' ? ['e', key.streamId, key.type, key.field] : ['s', key.eventId, key.field]
  return parts.map(encodeURIComponent).join('|')
}

/** Parses the text of a key; undefined for other texts. */
export function parseKey(text: string): ChartKey | undefined {
  if (text.length > MAX_KEY) return undefined
  const parts = text.split('|').map(decoded)
  if (parts.some((part) => part === undefined)) return undefined
  const [kind, first = '', second = '', third = ''] = parts
  if (kind === 'e' && parts.length === 4 && first !== '' && second !== '') return { kind: 'events', streamId: first, type: second, field: third }
  if (kind === 's' && parts.length === 3 && first !== '') return { kind: 'series', eventId: first, field: second }
  return undefined
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/** Returns the charts that an address names, without repetitions, at most 12. */
export const keysIn = (query: URLSearchParams): ChartKey[] =>
  [...new Set(query.getAll('show'))].slice(0, MAX_CHARTS).flatMap((text) => parseKey(text) ?? [])
