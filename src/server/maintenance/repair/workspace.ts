/**
 * Workspace of a repair, and the swap of the finished store with the damaged one, which is renamed and kept. A crash before the
 * first rename leaves the damaged store; one between the two renames leaves a finished store, which the next repair swaps in.
 */
import { existsSync } from 'node:fs'
import { open, readFile, rename, rm, writeFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { clearLockHolder, lockHolder, assertOwnStore, StoreLocked, writeLockHolder } from '../../../store/engine/lock.js'
import { syncFolder } from '../../../store/leveldb/filesOnDisk.js'
import { acquireInitLock, type InitLock } from '../../launch/initLock.js'
import type { HomePlaces } from '../../launch/init.js'

/** Marker file of a finished store. */
interface Ready {
  /** New name, in the home, of the damaged store's folder. */
  kept: string
  /** Start time of the repair, in seconds. */
  begun: number
  report: unknown
}

export interface RepairWorkspace {
  /** Folder of the new store. */
  readonly draft: string
  /** Folder for temporary files, below the draft. */
  readonly scratch: string
  /** Swaps the new store in; returns the folder of the damaged one. */
  swapIn(ready: Ready): Promise<string>
  /** Ends the repair and removes a store that was not swapped in. */
  close(): Promise<void>
}

/** Folder, in the home, of a store under repair. */
const REPAIRED = 'store.mended'
const READY = 'ready'

const draftOf = (home: string): string => join(home, REPAIRED)

/** Returns the marker of a finished store that an interrupted repair left; undefined when there is none. */
export async function readyIn({ home, store }: Pick<HomePlaces, 'home' | 'store'>): Promise<Ready | undefined> {
  if (existsSync(store)) return undefined
  const text = await readFile(join(home, REPAIRED, READY), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Ready)
}

/**
 * Swaps in the store of an interrupted repair.
 * @throws StoreLocked while another process does so
 */
export async function finishSwap({ home, store }: HomePlaces): Promise<void> {
  const draft = draftOf(home)
  const claim = await acquireInitLock(draft)
  try {
    await rename(draft, store)
    await syncFolder(home)
  } finally {
    claim.release(existsSync(store) ? store : draft)
  }
  await rm(join(store, READY), { force: true })
}

/**
 * Begins a repair; locks the home and the store until it ends.
 * @throws StoreForeign, StoreLocked
 */
export async function openRepairWorkspace({ home, store }: HomePlaces): Promise<RepairWorkspace> {
  assertOwnStore(store)
  const holder = lockHolder(store)
  if (holder !== undefined) throw new StoreLocked(store, holder)
  const draft = draftOf(home)
  const claim: InitLock = await acquireInitLock(draft)
  await claim.clear()
  const lock = await holdStore(store)
  let at = draft
  return {
    draft,
    scratch: join(draft, 'scratch'),
    async swapIn(ready) {
      await rm(join(draft, 'scratch'), { recursive: true, force: true })
      await writeFile(join(draft, READY), JSON.stringify(ready), { mode: 0o600, flush: true })
      await syncFolder(draft)
      await syncFolder(home)
      const stored = join(home, ready.kept)
      clearLockHolder(store)
      await rename(store, stored)
      await syncFolder(home)
      await rename(draft, store)
      at = store
      await syncFolder(home)
      await rm(join(store, READY), { force: true })
      return stored
    },
    async close() {
      await lock?.close()
      if (at === draft && existsSync(store)) clearLockHolder(store)
      claim.release(at)
      if (at === draft) await rm(draft, { recursive: true, force: true })
    },
  }
}

/** Marks the store as in use by this process: others read the PID and the open files from the lock. */
async function holdStore(store: string): Promise<FileHandle | undefined> {
  const lock = await open(join(store, 'db'), 'r').catch(() => undefined)
  if (lock !== undefined) writeLockHolder(store)
  return lock
}

/** Returns a free name for the folder of damaged data: `store.damaged-2026-11-22T203000Z`. `now` is in seconds. */
export function storedName(home: string, what: 'store' | 'files', now: number): string {
  const stamp = new Date(now * 1000).toISOString().replace(/\.\d+Z$/, 'Z').replaceAll(':', '')
  const name = `${what}.damaged-${stamp}`
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name}-${n}`
    if (!existsSync(join(home, free))) return free
  }
}
