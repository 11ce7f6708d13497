/**
 * Inspection of the files of a store before it is opened: damage is reported before anything is written to them. It takes a second
 * per gigabyte, so for a large store, a start begins it in a thread while the program is loaded (`beginInspection`). A ledger names
 * the tables that were verified before; of the others, the newest are read before the store is opened, and the rest afterwards
 * (otherTables.ts). So the time of a start does not depend on the size of the store, and each table is read at least once.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Damage } from '../leveldb/damage.js'
import { inspectFiles, type Inspection } from '../leveldb/inspect.js'
import { readLedger } from '../leveldb/tableLedger.js'
import { lockHolder } from './lock.js'
import { noteVerified, verifyOtherTables } from './otherTables.js'
import { threadProgram } from './threadProgram.js'

/** Bytes of files from which a thread pays, which needs 6 MB. */
const LARGE = 64 * 1024 * 1024

interface InspectionLimits {
  /** Bytes of new tables that are read before the store is opened. The others are read afterwards. */
  newBytes: number
  /** Bytes of the tables verified longest ago, which are then read again. */
  againBytes: number
  /** Time after the opening in milliseconds, for the first calls. */
  delayMs: number
}

const LIMITS: InspectionLimits = { newBytes: 512 * 1024 * 1024, againBytes: 128 * 1024 * 1024, delayMs: 15_000 }

/** Inspection in progress. */
export interface EarlyInspection {
  /** List of the files when it began. */
  listed: string
  /** Waits for the result, undefined when the thread failed; until then the thread does not keep the process running. */
  finish(): Promise<Inspection | undefined>
  /** Verifies the other tables once the store is open; `report` is called with damage as it is found. Resolves when it has ended. */
  verifyOthers(report: (damage: readonly Damage[]) => void): Promise<void>
  /** Ends the verification. */
  stop(): Promise<void>
}

/** Task of a thread, for the store in a folder: to inspect it, or to verify the tables that the inspection `known` did not read. */
export type InspectionTask = { store: string; newBytes: number } | { store: string; known: Inspection; againBytes: number }

/** Returns the folder of the database of a store. */
export const dbFolder = (store: string): string => join(store, 'db')

/** Returns the file of the ledger of a store. */
export const ledgerFile = (store: string): string => join(store, 'verified')

/** Begins to inspect the files of a store: a large one in a thread. Undefined for one that is absent or in use. */
export function beginInspection(store: string, { newBytes, againBytes, delayMs } = LIMITS): EarlyInspection | undefined {
  const files = filesOf(store)
  if (files.length === 0 || lockHolder(store) !== undefined) return undefined
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const program = bytes < LARGE ? undefined : threadProgram('inspectionWorker.js')
  const listed = textOf(files)
  let found: Inspection | undefined
  const inspecting = program === undefined ? undefined : startThread(program, { store, newBytes }, ({ inspection }) => (found = inspection))
  let result: Promise<Inspection | undefined> | undefined
  const stopping = new AbortController()
  let verifying: Promise<void> | undefined

  async function verify(report: (damage: readonly Damage[]) => void): Promise<void> {
    const { signal } = stopping
    const known = await result
    if (known === undefined) return
    await noteVerified(ledgerFile(store), known)
    await sleep(delayMs, undefined, { signal, ref: false })
    if (program === undefined) return verifyOtherTables({ folder: dbFolder(store), ledger: ledgerFile(store), known, againBytes, signal }, report)
    const thread = startThread(program, { store, known, againBytes }, ({ damage }) => {
      if (damage !== undefined) report(damage)
    })
    signal.addEventListener('abort', () => void thread.worker.terminate())
    await thread.ended
  }

  return {
    listed,
    finish: () => (result ??= inspecting === undefined ? inspectStore(store, newBytes) : endOf(inspecting).then(() => found)),
    verifyOthers(report) {
      // Aborted, or unable to read a table, which the next start reports.
      return (verifying ??= verify(report).catch(() => {}))
    },
    async stop() {
      stopping.abort()
      await verifying
    },
  }
}

/**
 * Returns the damage in the files of a store, whose files are `listed`: as `early` found it, if the files are still the same.
 */
export async function findDamage(store: string, listed: string, early: EarlyInspection | undefined): Promise<Damage[]> {
  const known = await early?.finish()
  const isCurrent = known !== undefined && early?.listed === listed
  const { damage } = isCurrent ? known : await inspectStore(store, LIMITS.newBytes)
  return damage
}

/** Inspects the files of a store; reads new tables up to `budgetBytes`. */
export function inspectStore(store: string, budgetBytes: number): Promise<Inspection> {
  return inspectFiles(dbFolder(store), { tables: { budgetBytes, ledger: readLedger(ledgerFile(store)) } })
}

interface StoredFile {
  name: string
  size: number
  mtimeMs: number
}

/**
 * Returns the files of a store's database, without LevelDB's LOCK and LOG. Synchronous: a thousand files take 5 ms, and ten times as
 * long through the threads of the system.
 */
function filesOf(store: string): StoredFile[] {
  const folder = dbFolder(store)
  return namesIn(folder).filter((name) => !name.startsWith('LO')).map((name) => ({ name, ...statOf(join(folder, name)) }))
}

const textOf = (files: readonly StoredFile[]): string => files.map(({ name, size, mtimeMs }) => `${name} ${size} ${mtimeMs}`).sort().join('\n')

/** Lists the files of a store's database with sizes and times, as a text for comparison. */
export const listFiles = (store: string): string => textOf(filesOf(store))

// A folder or file that cannot be read is reported when it is opened.
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function statOf(path: string): { size: number; mtimeMs: number } {
  try {
    const { size, mtimeMs } = statSync(path)
    return { size, mtimeMs }
  } catch {
    return { size: -1, mtimeMs: 0 }
  }
}

/** Message of a thread: the result of the inspection, or damage in other tables. */
export interface InspectionMessage {
  inspection?: Inspection
  damage?: readonly Damage[]
}

interface Thread {
  worker: Worker
  /** Resolves when it has ended. */
  ended: Promise<void>
}

/** Starts a thread, which does not keep the process running. */
function startThread(program: URL, workerData: InspectionTask, receive: (message: InspectionMessage) => void): Thread {
  const worker = new Worker(program, { workerData, env: {}, execArgv: [] })
  worker.unref()
  worker.on('message', receive)
  const ended = new Promise<void>((resolve) => {
    // A failed thread ends as well.
    worker.on('error', () => {})
    worker.once('exit', () => resolve())
  })
  return { worker, ended }
}

/** Waits for the end of a thread, which keeps the process running until then. */
function endOf({ worker, ended }: Thread): Promise<void> {
  worker.ref()
  return ended
}
