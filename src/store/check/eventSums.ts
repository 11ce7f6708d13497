/**
 * Compares the records of an account's events with their indexes and changes by sums, in one pass and without reading an entry
 * twice. A sum that is not zero says that something is wrong, not what: the account is then checked entry by entry.
 *
 * Why equal sums suffice: the key and value of an index entry follow from one record, so equal sets mean that none is missing,
 * wrong or stale. Each change names the previous one of its event, and the place of an event the latest one. If the changes
 * that are the previous one of another, and the latest ones, are together all changes, then the changes of each event are one
 * sequence from its initial change to its place.
 */
import type { DecodedEntry } from '../engine/journal.js'
import { ORDERED_LENGTH } from '../engine/keys.js'
import { ATTACHED_FILES } from '../model/systemStreams.js'
import { createSetSum, randomSeeds, type Seeds, type SetSum, type SumState } from './setSum.js'

export interface EventSums {
  /** Index entries and places that follow from records, less those found. */
  indexes: SetSum
  /** All changes, less those that another change follows, less the latest ones according to places. */
  sequences: SetSum
  /** Changes that follow another, less those of events with a document state, which are read one by one. */
  edits: SetSum
  /** Texts of records without integrity, less those of initial changes; edited events add and remove both. */
  contents: SetSum
}

const SUM_NAMES = ['indexes', 'sequences', 'edits', 'contents'] as const satisfies (keyof EventSums)[]

/** Creates empty sums, which can be added to others with the same seeds. */
export const createEventSums = (seeds: Seeds = randomSeeds()): EventSums => ({
  indexes: createSetSum(seeds),
  sequences: createSetSum(seeds),
  edits: createSetSum(seeds),
  contents: createSetSum(seeds),
})

/** States of all sums. */
export type SumStates = Record<keyof EventSums, SumState>

export const sumStates = ({ indexes, sequences, edits, contents }: EventSums): SumStates => ({
  indexes: indexes.state,
  sequences: sequences.state,
  edits: edits.state,
  contents: contents.state,
})

/** Adds the sums of another thread, which has the same seeds. */
export function addSums(sums: EventSums, states: SumStates): void {
  for (const name of SUM_NAMES) sums[name].addSum(states[name])
}

/** Checks whether all sums are zero. */
export const areZero = (sums: EventSums): boolean => SUM_NAMES.every((name) => sums[name].isZero)

/** Families whose entries each follow from one record: their names in counts, and the part of the value that follows. */
export const SUMMED: Readonly<Record<string, { counted: string; partOf(text: string): string | undefined }>> = {
  s: { counted: 'stream entries', partOf: (text) => text },
  r: { counted: 'period entries', partOf: (text) => text },
  m: { counted: 'modification entries', partOf: (text) => text },
  // A tombstone in place of the time follows from no record.
  i: { counted: 'places', partOf: (text) => (text.startsWith('{') ? undefined : text.slice(0, ORDERED_LENGTH)) },
}

const INTEGRITY = ',"integrity":"'

/** Returns a record in canonical form without its integrity, which follows from the rest. */
function withoutIntegrity(record: string): string {
  const at = record.lastIndexOf(INTEGRITY)
  // No member follows, and its text has no quotes; a match elsewhere is part of another member.
  return at >= 0 && record.indexOf('"', at + INTEGRITY.length) === record.length - 2 ? `${record.slice(0, at)}}` : record
}

/**
 * Adds the record of an event to the sum of contents. The event that has the sum of all file sizes follows from the references
 * to files, not from changes.
 */
export function addRecord({ contents }: EventSums, id: string, record: string): void {
  if (id !== ATTACHED_FILES) contents.add(id, withoutIntegrity(record))
}

/** Undoes `addRecord`, for an event whose record follows from more than its initial change. */
export function removeRecord({ contents }: EventSums, id: string, record: string): void {
  if (id !== ATTACHED_FILES) contents.remove(id, withoutIntegrity(record))
}

/** Returns the record that the initial change of an event determines; undefined if it does not. */
export type InitialRecord = (id: string, change: Uint8Array) => string | undefined

/** Adds the change of an event at position `at` of the journal. Without `initialRecord`, contents are not compared. */
export function addChange(sums: EventSums, at: number, { id, change, previous }: DecodedEntry, initialRecord?: InitialRecord): void {
  sums.sequences.add(id, positionText(at))
  if (previous !== undefined) {
    sums.sequences.remove(id, positionText(previous))
    sums.edits.add(id, positionText(at))
  } else if (initialRecord !== undefined && id !== ATTACHED_FILES) sums.contents.remove(id, initialRecord(id, change) ?? '')
}

/** Undoes for the changes of an edited event what `addChange` adds to the sums of edits and contents. */
export function removeChange({ edits, contents }: EventSums, at: number, { id, change, previous }: DecodedEntry, initialRecord?: InitialRecord): void {
  if (previous !== undefined) edits.remove(id, positionText(at))
  else if (initialRecord !== undefined && id !== ATTACHED_FILES) contents.add(id, initialRecord(id, change) ?? '')
}

/** Adds the place of an event: its time and the position of its latest change. */
export const addPlace = ({ sequences }: EventSums, id: string, place: string): void => sequences.remove(id, place.slice(ORDERED_LENGTH))

/** Returns a position as places have it. */
const positionText = (at: number): string => at.toString(36)
