/**
 * Inspection of the files of a store before it is opened: damage is reported before anything is written to them. It takes a second
 * per gigabyte, so a start begins it in a thread while the program is loaded (`beginInspection`).
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Damage } from '../leveldb/damage.js'
import { inspectFiles, type Inspection, type InspectOptions } from '../leveldb/inspect.js'
import { lockHolder } from './lock.js'
import { threadProgram } from './threadProgram.js'

/** Bytes of table files verified before opening; `store check` verifies all. */
const BEFORE_OPENING: InspectOptions = { tables: { budgetBytes: 1024 * 1024 * 1024 } }

/** Bytes of files from which a thread pays. */
const LARGE = 64 * 1024 * 1024

/** Inspection in progress. */
export interface EarlyInspection {
  /** List of the files when it began. */
  listed: string
  /** Waits for the result, undefined when the thread failed; until then the thread does not keep the process running. */
  finish(): Promise<Inspection | undefined>
}

/** Task of the thread. */
export interface InspectionTask {
  /** Folder of the database. */
  folder: string
  options: InspectOptions
}

/** Returns the folder of the database of a store. */
export const dbFolder = (store: string): string => join(store, 'db')

/**
 * Begins to inspect the files of a store in a thread; undefined for a small one, and one in use, which are inspected when they are
 * opened.
 */
export function beginInspection(store: string): EarlyInspection | undefined {
  const program = threadProgram('inspectionWorker.js')
  if (program === undefined || lockHolder(store) !== undefined || bytesIn(dbFolder(store)) < LARGE) return undefined
  return { listed: listFiles(store), finish: inThread(program, { folder: dbFolder(store), options: BEFORE_OPENING }) }
}

/** Returns the damage in the files of a store: as `early` found it, if the files are still the same. */
export async function findDamage(store: string, early: EarlyInspection | undefined): Promise<Damage[]> {
  const known = await early?.finish()
  const isCurrent = known !== undefined && early?.listed === listFiles(store)
  const { damage } = isCurrent ? known : await inspectFiles(dbFolder(store), BEFORE_OPENING)
  return damage
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

/** Starts the thread; returns the function that waits for its result. */
function inThread(program: URL, workerData: InspectionTask): EarlyInspection['finish'] {
  const worker = new Worker(program, { workerData, env: {}, execArgv: [] })
  const result = new Promise<Inspection | undefined>((resolve) => {
    worker.once('message', resolve)
    for (const end of ['error', 'exit']) worker.once(end, () => resolve(undefined))
  })
  worker.unref()
  return () => {
    worker.ref()
    return result
  }
}
