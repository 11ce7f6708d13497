/** Head of a series: its properties known without reading points. Also decodes the keys of segments. */
import { accountKeys, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import type { RecordReader } from '../engine/recordReader.js'

/** Key of an unmerged segment. */
export type FreshPlace = ReturnType<typeof freshPlace>

/** The head of a series; there is none before the first point. */
export interface Head {
  /** Sequence of the journal entry of the first write; separates the series from earlier ones of the same holder. */
  epoch: number
  /** Number of unmerged segments. */
  fresh: number
  /** Points in unmerged segments, duplicates included. */
  points: number
  /** Number of merged segments, and of points in them. Absent in a series started before these were counted. */
  merged?: { segments: number; points: number }
  /** Lower bound of the numbers of unmerged segments. */
  oldest: number
  /** Number of the next unmerged segment. */
  next: number
  /** The largest deltaTime stored. */
  last: number
  /** Time of the latest stamp, in microseconds. */
  stamp: number
  /** Names of the fields, in order of appearance. */
  fields: string[]
}

/** Returns the head of a holder's series, if it has points. */
export function headOf(reader: RecordReader, account: string, event: string): Head | undefined {
  const text = reader.get(accountKeys.series(account, event))
  return text === undefined ? undefined : (JSON.parse(text) as Head)
}

/** Returns the head of a series after a change of merged segments; negative numbers for removed ones. */
export const withMerged = (head: Head, segments: number, points: number): Head =>
  head.merged === undefined ? head : { ...head, merged: { segments: head.merged.segments + segments, points: head.merged.points + points } }

export const headToText = (head: Head): string => JSON.stringify(head)

/** Position of a stored segment, from its key. */
export interface SegmentKey {
  key: string
  from: number
  to: number
  /** Number of its points. */
  count: number
}

/** Decodes the key of a merged segment; `prefix` is that of the series. */
export const mergedPlace = (key: string, prefix: string): SegmentKey => ({
  key,
  to: orderedToNumber(key, prefix.length),
  from: orderedToNumber(key, prefix.length + ORDERED_LENGTH),
  count: Number.parseInt(key.slice(prefix.length + 2 * ORDERED_LENGTH), 36),
})

/** Decodes the key of an unmerged segment, with its number. */
export const freshPlace = (key: string, prefix: string): SegmentKey & { number: number } => ({
  key,
  number: orderedToNumber(key, prefix.length),
  from: orderedToNumber(key, prefix.length + ORDERED_LENGTH),
  to: orderedToNumber(key, prefix.length + 2 * ORDERED_LENGTH),
  count: Number.parseInt(key.slice(prefix.length + 3 * ORDERED_LENGTH), 36),
})
