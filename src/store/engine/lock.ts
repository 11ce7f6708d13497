/**
 * Who holds the store: one process at a time. LevelDB's own lock decides; this file beside it names the holder for
 * messages, and tells a store in use from a damaged one before the files are inspected.
 */
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processExists } from './processExists.js'

/** Thrown when another process holds the store. */
export class StoreLocked extends Error {
  constructor(
    readonly folder: string,
    readonly pid: number | undefined,
  ) {
    super(
      pid === undefined
        ? `Another process holds the store in ${folder}.`
        : `Process ${pid} holds the store in ${folder}.`,
    )
  }
}

/** Thrown when root would write in the store of another account, whose node could not open it any more. */
export class StoreForeign extends Error {
  constructor(
    readonly folder: string,
    readonly uid: number,
  ) {
    super(`The store in ${folder} belongs to another account, whose node cannot open what root makes in it.`)
  }
}

/** Refuses root a store of another account. @throws StoreForeign */
export function assertOwnStore(folder: string): void {
  if (process.geteuid?.() !== 0) return
  const uid = statSync(folder, { throwIfNoEntry: false })?.uid ?? 0
  if (uid !== 0) throw new StoreForeign(folder, uid)
}

const ownerFile = (folder: string): string => join(folder, 'owner')

export function writeLockHolder(folder: string): void {
  writeFileSync(ownerFile(folder), `${process.pid}\n`, { mode: 0o600 })
}

export function clearLockHolder(folder: string): void {
  rmSync(ownerFile(folder), { force: true })
}

/** The process named as holder, whether or not it still lives. */
export function readLockHolder(folder: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(ownerFile(folder), 'utf8'), 10)
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

/** The other process that holds the store now, as far as this system tells. */
export function lockHolder(folder: string): number | undefined {
  const pid = readLockHolder(folder)
  if (pid === undefined || pid === process.pid) return undefined
  if (!processExists(pid)) return undefined
  try {
    // Process numbers come again after a crash: on Linux, what the process holds open is the proof.
    const db = join(realpathSync(folder), 'db')
    const open = readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith(db)
      } catch {
        return false
      }
    })
    return open ? pid : undefined
  } catch {
    return pid
  }
}

const NAMING_MS = 500
const LOOK_EVERY_MS = 20

/** Who holds a store that is held: between taking the lock and writing its name, a process needs a moment. */
export async function namedLockHolder(folder: string): Promise<number | undefined> {
  for (let waited = 0; waited < NAMING_MS; waited += LOOK_EVERY_MS) {
    const pid = lockHolder(folder)
    if (pid !== undefined) return pid
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  return undefined
}
