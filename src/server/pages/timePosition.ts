/** Positions in lists of events or records by time, the latest first, as parameters of an address. */

/** Those at `until`, in seconds, and before, without the first `skip`. */
export interface TimePosition {
  until: number
  skip: number
}

/** Maximum number of events of one time that are skipped. */
const MAX_SKIP = 100_000

/** Reads the position in an address; undefined for the first page, and for malformed ones. */
export function timePositionIn(query: URLSearchParams): TimePosition | undefined {
  const text = query.get('until')
  if (text === null || text === '') return undefined
  const [until, skip] = [Number(text), Number(query.get('skip') ?? 0)]
  return Number.isFinite(until) && Number.isSafeInteger(skip) && skip >= 0 && skip <= MAX_SKIP ? { until, skip } : undefined
}

export const timePositionParameters = ({ until, skip }: TimePosition): Record<string, string> => ({ until: String(until), skip: String(skip) })
