/**
 * Where a repair works, and how what it made gets its place: beside the damaged store, which is renamed and kept. A crash
 * before the first rename leaves the damaged store as it was; one between the two leaves a store that is ready, which
 * the next repair puts into its place.
 */
import { existsSync } from 'node:fs'
import { open, readFile, rename, rm, writeFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { clearLockHolder, lockHolder, assertOwnStore, StoreLocked, writeLockHolder } from '../../../store/engine/lock.js'
import { syncFolder } from '../../../store/leveldb/syncFolder.js'
import { takeInitLock, type InitLock } from '../../launch/initLock.js'
import type { HomePlaces } from '../../launch/init.js'

/** What a store that is ready says of itself. */
export interface Ready {
  /** Name of the folder, in the home, that the damaged store gets. */
  kept: string
  /** When the repair that made it was begun, in seconds. */
  begun: number
  report: unknown
}

export interface RepairWorkspace {
  /** The folder of the store to come. */
  readonly draft: string
  /** Below it, for what is needed on the way. */
  readonly scratch: string
  /** Gives the new store its place; answers the folder where the damaged one is kept. */
  place(ready: Ready): Promise<string>
  /** Ends the work; what has not got its place is removed. */
  close(): Promise<void>
}

/** The folder, in the home, of a store that is being mended. */
const REPAIRED = 'store.mended'
const READY = 'ready'

const draftOf = (home: string): string => join(home, REPAIRED)

/** What a repair that was interrupted has finished but for its place; undefined when there is none. */
export async function readyIn({ home, store }: Pick<HomePlaces, 'home' | 'store'>): Promise<Ready | undefined> {
  if (existsSync(store)) return undefined
  const text = await readFile(join(home, REPAIRED, READY), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Ready)
}

/** Puts what an interrupted repair has made into its place. @throws StoreLocked while another process is at it */
export async function finishPlacing({ home, store }: HomePlaces): Promise<void> {
  const draft = draftOf(home)
  const claim = await takeInitLock(draft)
  try {
    await rename(draft, store)
    await syncFolder(home)
  } finally {
    claim.release(existsSync(store) ? store : draft)
  }
  await rm(join(store, READY), { force: true })
}

/**
 * Begins a repair: nobody else repairs the home, nor opens the store, until it ends.
 * @throws StoreForeign, StoreLocked
 */
export async function openRepairWorkspace({ home, store }: HomePlaces): Promise<RepairWorkspace> {
  assertOwnStore(store)
  const holder = lockHolder(store)
  if (holder !== undefined) throw new StoreLocked(store, holder)
  const draft = draftOf(home)
  const claim: InitLock = await takeInitLock(draft)
  await claim.clear()
  const held = await holdStore(store)
  let at = draft
  return {
    draft,
    scratch: join(draft, 'scratch'),
    async place(ready) {
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
      await held?.close()
      if (at === draft && existsSync(store)) clearLockHolder(store)
      claim.release(at)
      if (at === draft) await rm(draft, { recursive: true, force: true })
    },
  }
}

/** Says to other processes that this one has the store: they look for whom it names, and what that has open. */
async function holdStore(store: string): Promise<FileHandle | undefined> {
  const held = await open(join(store, 'db'), 'r').catch(() => undefined)
  if (held !== undefined) writeLockHolder(store)
  return held
}

/** A name for the folder of what is damaged and kept: `store.damaged-2026-11-22T203000Z`. `now` is in seconds. */
export function storedName(home: string, what: 'store' | 'files', now: number): string {
  const stamp = new Date(now * 1000).toISOString().replace(/\.\d+Z$/, 'Z').replaceAll(':', '')
  const name = `${what}.damaged-${stamp}`
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name}-${n}`
    if (!existsSync(join(home, free))) return free
  }
}
