/** What the store knows of a series without reading its points, and where its segments are. */
import { accountKeys, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'

/** A segment that is not merged. */
export type FreshPlace = ReturnType<typeof freshPlace>

/** The head of a series; there is none before the first point. */
export interface Head {
  /** Sequence of the journal entry of its first write: sets it apart from former series of the same holder. */
  epoch: number
  /** How many segments are not merged yet. */
  fresh: number
  /** The points in them, each as often as it is there. */
  points: number
  /** The segments that are merged, and the points in them. Not known of a series that was begun before this was counted. */
  merged?: { segments: number; points: number }
  /** None of those that are not merged has a number below this one. */
  oldest: number
  /** The number of the next of them. */
  next: number
  /** The largest deltaTime stored. */
  last: number
  /** Time of the latest stamp, in microseconds. */
  stamp: number
  /** Names of the fields that occur, in the order in which they came. */
  fields: string[]
}

type Reader = { get(key: string): string | undefined }

/** The head of a holder's series, if it has points. */
export function headOf(reader: Reader, account: string, event: string): Head | undefined {
  const text = reader.get(accountKeys.series(account, event))
  return text === undefined ? undefined : (JSON.parse(text) as Head)
}

/** The head of a series that has gained merged segments, or lost some where numbers are negative. */
export const withMerged = (head: Head, segments: number, points: number): Head =>
  head.merged === undefined ? head : { ...head, merged: { segments: head.merged.segments + segments, points: head.merged.points + points } }

export const headToText = (head: Head): string => JSON.stringify(head)

/** A kept segment, as its key tells. */
export interface SegmentKey {
  key: string
  from: number
  to: number
  /** Points in it. */
  count: number
}

/** The place of a merged segment; `prefix` is that of the series. */
export const mergedPlace = (key: string, prefix: string): SegmentKey => ({
  key,
  to: orderedToNumber(key, prefix.length),
  from: orderedToNumber(key, prefix.length + ORDERED_LENGTH),
  count: Number.parseInt(key.slice(prefix.length + 2 * ORDERED_LENGTH), 36),
})

/** The place of a segment that is not merged, and its number. */
export const freshPlace = (key: string, prefix: string): SegmentKey & { number: number } => ({
  key,
  number: orderedToNumber(key, prefix.length),
  from: orderedToNumber(key, prefix.length + ORDERED_LENGTH),
  to: orderedToNumber(key, prefix.length + 2 * ORDERED_LENGTH),
  count: Number.parseInt(key.slice(prefix.length + 3 * ORDERED_LENGTH), 36),
})
