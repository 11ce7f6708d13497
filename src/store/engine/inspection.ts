/**
 * Inspection of the files of a store before it is opened: damage is reported before anything is written to them. It takes a second
 * per gigabyte, so for a large store, a start begins it in a thread while the program is loaded (`beginInspection`). A ledger names
 * the tables that were verified before; of the others, the newest are read before the store is opened, and the rest afterwards
 * (otherTables.ts). So the time of a start does not depend on the size of the store, and each table is read at least once.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Damage } from '../leveldb/damage.js'
import { inspectFiles, type Inspection } from '../leveldb/inspect.js'
import { readLedger } from '../leveldb/tableLedger.js'
import { lockHolder } from './lock.js'
import { verifyOtherTables, type LaterLimits } from './otherTables.js'
import { threadProgram } from './threadProgram.js'

/** Bytes of files from which a thread pays, which needs 6 MB. */
const LARGE = 64 * 1024 * 1024

export interface InspectionLimits extends LaterLimits {
  /** Bytes of new tables that are read before the store is opened. The others are read afterwards. */
  before: number
}

const LIMITS: InspectionLimits = { before: 512 * 1024 * 1024, again: 128 * 1024 * 1024, delayMs: 15_000 }

/** Inspection in progress. */
export interface EarlyInspection {
  /** List of the files when it began. */
  listed: string
  /** Waits for the result, undefined when the thread failed; until then the thread does not keep the process running. */
  finish(): Promise<Inspection | undefined>
  /** Verifies the other tables once the store is open; `report` is called with damage as it is found. */
  goOn(report: (damage: readonly Damage[]) => void): void
  /** Ends the thread, or the verification. */
  stop(): Promise<void>
}

/** Task of an inspection, also that of the thread. */
export interface InspectionTask {
  store: string
  limits: InspectionLimits
}

/** Returns the folder of the database of a store. */
export const dbFolder = (store: string): string => join(store, 'db')

/** Returns the file of the ledger of a store. */
export const ledgerFile = (store: string): string => join(store, 'verified')

/** Begins to inspect the files of a store: a large one in a thread. Undefined for one that is absent or in use. */
export function beginInspection(store: string, limits = LIMITS): EarlyInspection | undefined {
  const bytes = bytesIn(dbFolder(store))
  if (bytes === 0 || lockHolder(store) !== undefined) return undefined
  const program = bytes < LARGE ? undefined : threadProgram('inspectionWorker.js')
  const task = { store, limits }
  return { listed: listFiles(store), ...(program === undefined ? inProcess(task) : inThread(program, task)) }
}

/**
 * Returns the damage in the files of a store, whose files are `listed`: as `early` found it, if the files are still the same.
 */
export async function findDamage(store: string, listed: string, early: EarlyInspection | undefined): Promise<Damage[]> {
  const known = await early?.finish()
  const isCurrent = known !== undefined && early?.listed === listed
  const { damage } = isCurrent ? known : await inspectStore(store, LIMITS.before)
  return damage
}

/** Inspects the files of a store; reads new tables up to `budgetBytes`. */
export function inspectStore(store: string, budgetBytes: number): Promise<Inspection> {
  return inspectFiles(dbFolder(store), { tables: { budgetBytes, ledger: readLedger(ledgerFile(store)) } })
}

/**
 * Lists the files of a store's database with sizes and times, as a text for comparison; skips LevelDB's LOCK and LOG. Synchronous: a
 * thousand files take 5 ms, and ten times as long through the threads of the system.
 */
export function listFiles(store: string): string {
  const folder = dbFolder(store)
  const files = namesIn(folder).filter((name) => !name.startsWith('LO')).map((name) => {
    const { size, mtimeMs } = statOf(join(folder, name))
    return `${name} ${size} ${mtimeMs}`
  })
  return files.sort().join('\n')
}

const bytesIn = (folder: string): number => namesIn(folder).reduce((sum, name) => sum + statOf(join(folder, name)).size, 0)

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
    return statSync(path)
  } catch {
    return { size: -1, mtimeMs: 0 }
  }
}

/** Inspects in this thread when the result is needed. */
function inProcess({ store, limits }: InspectionTask): Omit<EarlyInspection, 'listed'> {
  const stopping = new AbortController()
  let result: Promise<Inspection> | undefined
  let verifying: Promise<void> | undefined
  const finish = (): Promise<Inspection> => (result ??= inspectStore(store, limits.before))
  return {
    finish,
    goOn(report) {
      const { signal } = stopping
      const verify = async (): Promise<void> => {
        await verifyOtherTables({ folder: dbFolder(store), ledger: ledgerFile(store), inspection: await finish(), limits, signal }, report)
      }
      // The next start reports tables that cannot be read.
      verifying ??= verify().catch(() => {})
    },
    async stop() {
      stopping.abort()
      await verifying
    },
  }
}

/** Message of the thread: first the result of the inspection, then the damage in other tables. */
export type InspectionMessage = { inspection: Inspection } | { damage: readonly Damage[] }

/** Message to the thread, to read the other tables. */
export const GO_ON = 'go on'

/** Starts the thread. */
function inThread(program: URL, workerData: InspectionTask): Omit<EarlyInspection, 'listed'> {
  const worker = new Worker(program, { workerData, env: {}, execArgv: [] })
  let report: Parameters<EarlyInspection['goOn']>[0] | undefined
  const result = new Promise<Inspection | undefined>((resolve) => {
    worker.on('message', (message: InspectionMessage) => {
      if ('inspection' in message) resolve(message.inspection)
      else report?.(message.damage)
    })
    for (const end of ['error', 'exit']) worker.once(end, () => resolve(undefined))
  })
  worker.unref()
  return {
    async finish() {
      worker.ref()
      try {
        return await result
      } finally {
        worker.unref()
      }
    },
    goOn(listener) {
      report = listener
      worker.postMessage(GO_ON)
    },
    async stop() {
      await worker.terminate()
    },
  }
}
