/** Windows of time in which changes of other nodes arrived, as stored (remoteArrivals.ts). */

/** Seconds of a window after its first change; an initial sync brings thousands of changes per second. */
export const SPAN_SECONDS = 0.1

/** A window in which changes arrived: its start, in seconds, and the range of journal entries that includes them all. */
export interface ArrivalWindow {
  time: number
  first: number
  last: number
}

/** Returns the window for entries `first` to `last`, which arrive at `time`: `latest` extended while it lasts, or a new one. */
export function arrivalWindow(latest: ArrivalWindow | undefined, time: number, first: number, last: number): ArrivalWindow {
  const goesOn = latest !== undefined && time >= latest.time && time - latest.time < SPAN_SECONDS
  return goesOn ? { ...latest, last } : { time, first, last }
}

export const arrivalWindowToText = ({ first, last }: ArrivalWindow): string => `${first.toString(36)}-${last.toString(36)}`

/** Decodes the journal entries of a window; undefined when the text is invalid. */
export function textToArrivalWindow(text: string): { first: number; last: number } | undefined {
  const parts = /^([0-9a-z]{1,11})-([0-9a-z]{1,11})$/.exec(text)
  if (parts === null) return undefined
  const [first, last] = [Number.parseInt(parts[1] ?? '', 36), Number.parseInt(parts[2] ?? '', 36)]
  return first >= 1 && first <= last && Number.isSafeInteger(last) ? { first, last } : undefined
}
