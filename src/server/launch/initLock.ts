/** Lock for creating a node: one process at a time, identified by a file that it holds open in the draft of the store. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { processExists, StoreLocked } from '../../store/engine/lock.js'

export interface InitLock {
  /** Removes the files of a dead process from the draft. */
  clear(): Promise<void>
  /** Releases the lock; `folder` is the current path of the draft. */
  release(folder: string): void
}

const claimName = 'maker'
const claimFile = (draft: string): string => join(draft, claimName)
/** The pid is written microseconds after the folder is created. */
const NAMING_MS = 50

/**
 * Creates the folder `draft` or takes over an abandoned one.
 * @throws StoreLocked when a running process uses it.
 */
export async function acquireInitLock(draft: string): Promise<InitLock> {
  const isNew = makeFolder(draft)
  if (!isNew) {
    if (readHolder(draft) === undefined) await new Promise((resolve) => setTimeout(resolve, NAMING_MS))
    const maker = readHolder(draft)
    if (maker !== undefined && isHeldBy(maker, claimFile(draft))) throw new StoreLocked(draft, maker)
  }
  let handle: number
  try {
    handle = openSync(claimFile(draft), 'w', 0o600)
  } catch (error) {
    // Its creator has moved it to its place in the meantime.
    if (!existsSync(draft)) return acquireInitLock(draft)
    throw error
  }
  writeSync(handle, `${process.pid}\n`)
  return {
    async clear() {
      const left = (await readdir(draft)).filter((name) => name !== claimName)
      for (const name of left) await rm(join(draft, name), { recursive: true, force: true })
    },
    release(folder) {
      closeSync(handle)
      rmSync(claimFile(folder), { force: true })
    },
  }
}

/** Creates the folder; returns false if it existed. */
function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function readHolder(draft: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(claimFile(draft), 'utf8'), 10)
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

/** Checks whether a process holds a file open; without /proc, whether it is running. */
function isHeldBy(pid: number, file: string): boolean {
  if (pid === process.pid || !processExists(pid)) return false
  const real = realpathSync(file)
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === real
      } catch {
        return false
      }
    })
  } catch {
    return true
  }
}
