/**
 * Verification of the tables that a start did not read before it opened the store: without haste, while the node runs. The ledger
 * notes which were verified.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Damage } from '../leveldb/damage.js'
import { createTableReader, type Inspection, type LiveTable } from '../leveldb/inspect.js'
import { readLedger, writeLedger } from '../leveldb/tableLedger.js'

/** Pause after reading a table, as a multiple of the time that it took. */
const PAUSE = 3
/** Number of tables after which the ledger is written, so that a stop loses little. */
const STEP = 500

interface OtherTables {
  /** Folder of the database, and file of the ledger. */
  folder: string
  ledger: string
  /** Result of the inspection before the store was opened. */
  known: Inspection
  /** Bytes of tables that are read although they were verified: those verified longest ago. */
  againBytes: number
  signal?: AbortSignal
}

/** Notes the tables that an inspection without damage has read, and forgets those that are gone. */
export async function noteVerified(ledger: string, { damage, read, sound }: Inspection): Promise<void> {
  const areLive = new Set(sound.map(({ mark }) => mark))
  const former = [...readLedger(ledger).sound].filter((mark) => areLive.has(mark))
  // Damage may have been repaired since: then it is unknown which tables are sound.
  const now = damage.length === 0 ? read.map(({ mark }) => mark) : []
  await tryToWrite(ledger, new Set([...former, ...now]))
}

/** Reads the tables that an inspection did not; calls `report` with the damage of each. */
export async function verifyOtherTables({ folder, ledger, known, againBytes, signal }: OtherTables, report: (damage: readonly Damage[]) => void): Promise<void> {
  const verified = new Set(readLedger(ledger).sound)
  const damaged = new Set<string>()
  // Ends early when it is aborted.
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {})
  const reader = createTableReader(folder)
  let count = 0
  for (const table of [...known.unread, ...beginning(inOrder(known.sound, verified), againBytes)]) {
    if (signal?.aborted === true) break
    const begun = performance.now()
    const found = await reader(table)
    // LevelDB removes tables that it has merged.
    if (!existsSync(join(folder, table.file))) continue
    verified.delete(table.mark)
    const isSound = found.length === 0
    const marks = isSound ? verified : damaged
    marks.add(table.mark)
    count += 1
    // Damage at once: a thread may be stopped at any time, and the next start must read that table first.
    if (!isSound || count % STEP === 0) await tryToWrite(ledger, verified, damaged)
    if (!isSound) report(found)
    await pause((performance.now() - begun) * PAUSE)
  }
  await tryToWrite(ledger, verified, damaged)
}

/** Writes the ledger. On a full disk, the next start reads the tables again. */
const tryToWrite = (ledger: string, sound: ReadonlySet<string>, damaged: ReadonlySet<string> = new Set()): Promise<void> =>
  writeLedger(ledger, { sound, damaged }).catch(() => {})

/** Sorts tables by the place of their mark in a ledger. */
function inOrder(tables: readonly LiveTable[], marks: ReadonlySet<string>): LiveTable[] {
  const byMark = new Map(tables.map((table) => [table.mark, table]))
  return [...marks].flatMap((mark) => byMark.get(mark) ?? [])
}

/** Returns the first tables, of at most `bytes` bytes. */
function beginning(tables: readonly LiveTable[], bytes: number): LiveTable[] {
  let sum = 0
  return tables.filter(({ size }) => (sum += size) <= bytes)
}
