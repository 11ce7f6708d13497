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

export interface LaterLimits {
  /** Bytes of tables that are read although they were verified: those verified longest ago. */
  again: number
  /** Time in milliseconds before the first is read, so that the first calls do not wait. */
  delayMs: number
}

interface OtherTables {
  /** Folder of the database, and file of the ledger. */
  folder: string
  ledger: string
  /** Result of the inspection before the store was opened. */
  inspection: Inspection
  limits: LaterLimits
  signal?: AbortSignal
}

/** Reads the tables; calls `report` with the damage of each. */
export async function verifyOtherTables({ folder, ledger, inspection, limits, signal }: OtherTables, report: (damage: readonly Damage[]) => void): Promise<void> {
  const { damage, read, unread, sound } = inspection
  const longestAgo = inOrder(sound, readLedger(ledger).sound)
  const verified = new Set(longestAgo.map(({ mark }) => mark))
  const damaged = new Set<string>()
  // If it has damage that was repaired, it does not say which tables are sound.
  if (damage.length === 0) for (const { mark } of read) verified.add(mark)
  // On a full disk, the next start reads the tables again.
  const write = (): Promise<void> => writeLedger(ledger, { sound: verified, damaged }).catch(() => {})
  // Ends early when it is aborted.
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {})
  if (read.length > 0) await write()
  await pause(limits.delayMs)
  const reader = createTableReader(folder)
  let count = 0
  for (const table of [...unread, ...beginning(longestAgo, limits.again)]) {
    if (signal?.aborted === true) break
    const begun = performance.now()
    const found = await reader(table)
    // LevelDB removes tables that it has merged.
    if (!existsSync(join(folder, table.file))) continue
    verified.delete(table.mark)
    if (found.length === 0) verified.add(table.mark)
    else {
      damaged.add(table.mark)
      report(found)
    }
    count += 1
    if (count % STEP === 0) await write()
    await pause((performance.now() - begun) * PAUSE)
  }
  await write()
}

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
