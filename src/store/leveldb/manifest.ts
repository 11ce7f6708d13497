/** Live files of a LevelDB folder: CURRENT names a MANIFEST, and the MANIFEST is a log of version edits. */
import type { Damage } from './damage.js'
import { readLog } from './logFile.js'
import { type Cursor, Malformed, readSlice, readVarint } from './encodings.js'

/** The live files, by LevelDB's file numbers. */
export interface LiveFiles {
  /** Logs from this number on are live. 0 in a database that has never been written to. */
  logNumber: number
  /** An older live log, in former versions of LevelDB; 0 when there is none. */
  previousLogNumber: number
  /** Live tables: number → bytes. */
  tables: Map<number, number>
}

/** Content of a MANIFEST. `live` is absent exactly when there is damage. */
interface Manifest {
  live?: LiveFiles
  damage: Damage[]
  unfinishedTail: boolean
}

/** Returns the name of the MANIFEST in CURRENT; undefined when the content is invalid. */
export function manifestName(current: Uint8Array): string | undefined {
  return /^(MANIFEST-\d{6,})\n$/.exec(Buffer.from(current).toString('latin1'))?.[1]
}

/** Reads a MANIFEST; `file` is its name in findings. */
export function readManifest(file: string, bytes: Buffer): Manifest {
  const damage: Damage[] = []
  let unfinishedTail = false
  const state: State = { tables: new Map() }
  for (const part of readLog(bytes)) {
    if (part.kind === 'unfinished') unfinishedTail = true
    else if (part.kind === 'damage') damage.push({ file, offset: part.offset, what: part.what })
    else {
      try {
        applyEdit(state, part.record)
      } catch (error) {
        if (!(error instanceof Malformed)) throw error
        damage.push({ file, offset: part.offset, what: `has an invalid edit: ${error.message}` })
      }
    }
  }
  const { logNumber, nextFile, lastSequence } = state
  if (damage.length === 0 && (logNumber === undefined || nextFile === undefined || lastSequence === undefined)) {
    damage.push({ file, what: 'ends before it lists the live files' })
  }
  if (damage.length > 0 || logNumber === undefined) return { damage, unfinishedTail }
  const tables = new Map([...state.tables].map(([number, { size }]) => [number, size]))
  return { live: { logNumber, previousLogNumber: state.previousLogNumber ?? 0, tables }, damage, unfinishedTail }
}

interface State {
  logNumber?: number
  previousLogNumber?: number
  nextFile?: number
  lastSequence?: number
  tables: Map<number, { level: number; size: number }>
}

/** Applies the fields of an edit, by LevelDB's tags; a field does not contain its own length. */
function applyEdit(state: State, record: Uint8Array): void {
  const cursor: Cursor = { bytes: record, at: 0 }
  const removed: { level: number; number: number }[] = []
  const added: { level: number; number: number; size: number }[] = []
  while (cursor.at < record.length) {
    const tag = readVarint(cursor)
    if (tag === 1) readSlice(cursor) // name of the comparator
    else if (tag === 2) state.logNumber = readVarint(cursor)
    else if (tag === 3) state.nextFile = readVarint(cursor)
    else if (tag === 4) state.lastSequence = readVarint(cursor)
    else if (tag === 9) state.previousLogNumber = readVarint(cursor)
    else if (tag === 5) {
      readVarint(cursor) // level of a compaction pointer
      readSlice(cursor) // its key
    } else if (tag === 6) removed.push({ level: readVarint(cursor), number: readVarint(cursor) })
    else if (tag === 7) {
      added.push({ level: readVarint(cursor), number: readVarint(cursor), size: readVarint(cursor) })
      readSlice(cursor) // smallest key
      readSlice(cursor) // largest key
    } else throw new Malformed(`field ${tag} is unknown`)
  }
  // A table that moves to another level is removed and added within one edit.
  for (const { level, number } of removed) {
    if (state.tables.get(number)?.level === level) state.tables.delete(number)
  }
  for (const { level, number, size } of added) state.tables.set(number, { level, size })
}
