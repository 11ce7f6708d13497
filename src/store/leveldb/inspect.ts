/**
 * Files of LevelDB, read without the library. LevelDB drops what it cannot read and opens the rest, so `inspectFiles` verifies
 * the files of a folder before it is opened. The high-water mark (highWater.ts) reveals what no file shows: a log truncated
 * between two records.
 *
 * manifest.ts lists the live files, logFile.ts reads logs and batches, tableFile.ts tables, encodings.ts their numbers and
 * checksums. damage.ts has the findings (`Damage`). A repair reads entries by the same code. filesOnDisk.ts syncs folders and
 * converts disk errors.
 */
import { statSync } from 'node:fs'
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Damage } from './damage.js'
import { readLog } from './logFile.js'
import { type LiveFiles, manifestName, readManifest } from './manifest.js'
import { verifyTable } from './tableFile.js'
import { tableMark, type TableLedger } from './tableLedger.js'

const LANES = 4
/** Minimum length of a batch in a log: its sequence (8 bytes) and count (4). LevelDB drops shorter ones. */
const SMALLEST_BATCH = 12

interface InspectOptions {
  /**
   * Tables to read: `all`, or of those that are not sound according to `ledger` the damaged ones, then the newest ones up to
   * `budgetBytes`. Presence and size of every live table are verified in any case.
   */
  tables: 'all' | { budgetBytes: number; ledger?: TableLedger }
}

/** A table of the database with its size according to the MANIFEST, and its mark (tableLedger.ts). */
export interface LiveTable {
  file: string
  size: number
  mark: string
}

export interface Inspection {
  /** All findings, by file; files are named within the folder. */
  damage: Damage[]
  /** True when a log or the MANIFEST ends inside a record, as after an ordinary crash. Not damage. */
  unfinishedTail: boolean
  /** Bytes read and verified. */
  bytes: number
  /** Tables that were read. */
  read: LiveTable[]
  /** Tables that were not read: those that the ledger does not know, newest first, and the sound ones. */
  unread: LiveTable[]
  sound: LiveTable[]
}

/**
 * Inspects the live files of the LevelDB in `folder`: CURRENT, the MANIFEST it names, the logs from the MANIFEST's log
 * number on, the tables it lists. No process may have the database open. Never writes. A read error of the disk is
 * damage; rejects only for file-system errors that say nothing about the content, such as a missing permission.
 */
export async function inspectFiles(folder: string, options: InspectOptions): Promise<Inspection> {
  const found: Inspection = { damage: [], unfinishedTail: false, bytes: 0, read: [], unread: [], sound: [] }
  const names = await namesIn(folder, found)
  const live = names === undefined ? undefined : await inspectManifest(folder, found)
  if (names === undefined || live === undefined) return found
  await inspectLogs(folder, names, live, found)
  await inspectTables(folder, names, live, options.tables, found)
  found.damage.sort((a, b) => (a.file === b.file ? (a.offset ?? -1) - (b.offset ?? -1) : a.file < b.file ? -1 : 1))
  return found
}

async function namesIn(folder: string, found: Inspection): Promise<Set<string> | undefined> {
  const names = await damageOr(found, '.', () => readdir(folder))
  return names === undefined ? undefined : new Set(names)
}

async function inspectManifest(folder: string, found: Inspection): Promise<LiveFiles | undefined> {
  const current = await content(folder, 'CURRENT', found)
  if (current === undefined) return undefined
  const name = manifestName(current)
  if (name === undefined) {
    found.damage.push({ file: 'CURRENT', what: current.length === 0 ? 'is empty' : 'does not name a MANIFEST' })
    return undefined
  }
  const bytes = await content(folder, name, found)
  if (bytes === undefined) return undefined
  const manifest = readManifest(name, bytes)
  found.damage.push(...manifest.damage)
  found.unfinishedTail ||= manifest.unfinishedTail
  return manifest.live
}

async function inspectLogs(folder: string, names: Set<string>, live: LiveFiles, found: Inspection): Promise<void> {
  const logs = new Map<number, string>()
  for (const name of names) {
    const number = Number(/^(\d+)\.log$/.exec(name)?.[1] ?? 0)
    if (number > 0 && (number >= live.logNumber || number === live.previousLogNumber)) logs.set(number, name)
  }
  // LevelDB creates a log before the MANIFEST names it, and removes it only after the MANIFEST names a later one.
  for (const number of [live.logNumber, live.previousLogNumber]) {
    if (number > 0 && !logs.has(number)) found.damage.push({ file: fileName(number, 'log'), what: 'is missing' })
  }
  let unfinished: Damage | undefined
  for (const [, file] of [...logs].sort(([a], [b]) => a - b)) {
    const bytes = await content(folder, file, found)
    if (bytes === undefined) continue
    if (unfinished !== undefined && bytes.length > 0) {
      // A log is started when the previous one is complete; an incomplete one was truncated later.
      found.damage.push(unfinished)
      unfinished = undefined
    }
    for (const part of readLog(bytes)) {
      const place = { file, offset: part.offset }
      if (part.kind === 'damage') {
        found.damage.push({ ...place, what: part.what })
      } else if (part.kind === 'unfinished') {
        unfinished = { ...place, what: 'ends inside a record, and a later log follows' }
      } else if (part.record.length < SMALLEST_BATCH) {
        found.damage.push({ ...place, what: 'has a record that is not a batch' })
      }
    }
  }
  found.unfinishedTail ||= unfinished !== undefined
}

async function inspectTables(
  folder: string,
  names: Set<string>,
  live: LiveFiles,
  tables: InspectOptions['tables'],
  found: Inspection,
): Promise<void> {
  const ledger = tables === 'all' ? undefined : tables.ledger
  let budget = tables === 'all' ? Infinity : tables.budgetBytes
  const newestFirst = [...live.tables].sort(([a], [b]) => b - a)
  for (const [number, size] of newestFirst) {
    const modern = fileName(number, 'ldb')
    const former = fileName(number, 'sst')
    const file = names.has(modern) || !names.has(former) ? modern : former
    // Synchronous: thousands of files take ten times as long through the threads of the system.
    const stats = await damageOr(found, file, () => statSync(join(folder, file)))
    if (stats === undefined) continue
    if (stats.size !== size) {
      found.damage.push({ file, what: `has ${stats.size} bytes in place of ${size}` })
      continue
    }
    const table = { file, size, mark: tableMark(file, stats) }
    if (ledger?.sound.has(table.mark) === true) {
      found.sound.push(table)
      continue
    }
    const isDamaged = ledger?.damaged.has(table.mark) === true
    if (!isDamaged) budget -= size
    if (isDamaged || budget >= 0) found.read.push(table)
    else found.unread.push(table)
  }
  // The parallel readers share one iterator.
  const next = found.read.values()
  const slot = async (): Promise<void> => {
    const reader = createTableReader(folder)
    for (const table of next) {
      found.damage.push(...(await reader(table)))
      found.bytes += table.size
    }
  }
  await Promise.all(Array.from({ length: LANES }, slot))
}

/**
 * Returns a function that reads and verifies a table, and returns its damage. Tables are read into one buffer, since allocation
 * costs more than reading.
 */
export function createTableReader(folder: string): (table: LiveTable) => Promise<Damage[]> {
  let buffer = Buffer.alloc(0)
  return async ({ file, size }) => {
    const found = { damage: new Array<Damage>() }
    await damageOr(found, file, async () => {
      const handle = await open(join(folder, file), 'r')
      try {
        if (buffer.length < size) buffer = Buffer.allocUnsafeSlow(size)
        const bytes = buffer.subarray(0, size)
        const { bytesRead } = await handle.read(bytes, 0, size, 0)
        if (bytesRead === size) found.damage.push(...verifyTable(file, bytes))
        else found.damage.push({ file, what: 'cannot be read to its end' })
      } finally {
        await handle.close()
      }
    })
    return found.damage
  }
}

async function content(folder: string, file: string, found: Inspection): Promise<Buffer | undefined> {
  const bytes = await damageOr(found, file, () => readFile(join(folder, file)))
  found.bytes += bytes?.length ?? 0
  return bytes
}

/** Returns the result of `read`; records a finding about `file` and returns undefined when the file is missing or unreadable. */
async function damageOr<T>(found: Pick<Inspection, 'damage'>, file: string, read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') found.damage.push({ file, what: 'is missing' })
    else if (code === 'EIO' || code === 'EBADMSG' || code === 'EUCLEAN' || code === 'ENODATA') {
      found.damage.push({ file, what: `cannot be read (${code})` })
    } else throw error
    return undefined
  }
}

function fileName(number: number, suffix: string): string {
  return `${String(number).padStart(6, '0')}.${suffix}`
}
