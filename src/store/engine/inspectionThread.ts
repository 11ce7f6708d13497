/**
 * Entry of the thread that inspects the files of a store: its data is the task, its first message the result. Told to go on, it
 * reads the other tables without haste, notes in the ledger which were verified, and reports damage.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createTableReader, type LiveTable } from '../leveldb/inspect.js'
import { readLedger, writeLedger } from '../leveldb/tableLedger.js'
import { dbFolder, GO_ON, inspectStore, ledgerFile, type InspectionMessage, type InspectionTask } from './inspection.js'

/** Pause after reading a table, as a multiple of the time that it took. */
const PAUSE = 3
/** Number of tables after which the ledger is written, so that a stop loses little. */
const STEP = 500

const { store, limits } = workerData as InspectionTask
const send = (message: InspectionMessage): void => parentPort?.postMessage(message)

const inspection = await inspectStore(store, limits.before)
const { damage, read, unread, sound } = inspection
parentPort?.once('message', (message) => {
  if (message === GO_ON) void readOthers().finally(() => parentPort?.close())
})
send({ inspection })

async function readOthers(): Promise<void> {
  const folder = dbFolder(store)
  const path = ledgerFile(store)
  const former = readLedger(path)
  const areLive = new Set(sound.map(({ mark }) => mark))
  const verified = new Set([...former.sound].filter((mark) => areLive.has(mark)))
  const damaged = new Set<string>()
  const longestAgo = inOrder(sound, former.sound)
  // The store is open, so that what was read before is sound.
  if (damage.length === 0) for (const { mark } of read) verified.add(mark)
  const reader = createTableReader(folder)
  let count = 0
  for (const table of [...unread, ...beginning(longestAgo, limits.again)]) {
    const begun = performance.now()
    const found = await reader(table)
    // LevelDB removes tables that it has merged.
    if (!existsSync(join(folder, table.file))) continue
    verified.delete(table.mark)
    if (found.length === 0) verified.add(table.mark)
    else {
      damaged.add(table.mark)
      send({ damage: found })
    }
    count += 1
    if (count % STEP === 0) await writeLedger(path, { sound: verified, damaged })
    await sleep((performance.now() - begun) * PAUSE)
  }
  await writeLedger(path, { sound: verified, damaged })
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
