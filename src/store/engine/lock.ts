/**
 * Lock of the store: one process at a time. LevelDB's own lock decides. The file `owner` beside it names the holder for
 * messages, and separates a store in use from a damaged one before its files are inspected.
 */
import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Error when another process holds the store. */
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

/** Error when root would write to the store of another account, whose node could then not open it. */
export class StoreForeign extends Error {
  constructor(
    readonly folder: string,
    readonly uid: number,
  ) {
    super(`The store in ${folder} belongs to another account. Files that root creates there would be unreadable for its node.`)
  }
}

/**
 * Refuses a store of another account when running as root.
 * @throws StoreForeign
 */
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

/** Returns the PID in the file, running or not. */
export function readLockHolder(folder: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(ownerFile(folder), 'utf8'), 10)
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

/** Returns the PID of another running process that holds the store, as far as the system shows; otherwise undefined. */
export function lockHolder(folder: string): number | undefined {
  const pid = readLockHolder(folder)
  if (pid === undefined || pid === process.pid) return undefined
  if (!processExists(pid)) return undefined
  try {
    // PIDs are reused after a crash: on Linux, the open files of the process are the proof.
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

const PID_WAIT_MS = 500
const POLL_MS = 20

/** Returns the holder of a locked store; waits up to half a second, as a process writes its PID only after taking the lock. */
export async function namedLockHolder(folder: string): Promise<number | undefined> {
  for (let waited = 0; waited < PID_WAIT_MS; waited += POLL_MS) {
    const pid = lockHolder(folder)
    if (pid !== undefined) return pid
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return undefined
}

/** Checks whether a process with a PID exists on this machine. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
