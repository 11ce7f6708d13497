/** Makes a node in an empty home out of a backup: its store, its attached files, its key and its settings. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Archive } from '../../store/backup/archive.js'
import { compareStore, homeIn, writeStore, type Comparison } from '../../store/backup/restore.js'
import { Secret } from '../../store/model/secret.js'
import { createNodeKey } from '../../store/keyring/nodeKey.js'
import { syncFolder } from '../../store/leveldb/syncFolder.js'
import { takeInitLock } from '../launch/initLock.js'
import { AlreadyInitialised, hasStore, type HomePlaces } from '../launch/init.js'

/** Hears of bytes that were written, then of bytes that were compared. */
export interface RestoreProgress {
  written?(bytes: number, of: number): void
  compared?(bytes: number, of: number): void
}

/**
 * Restores a node. The store gets its place last and only when it is what the archive says, so there is a whole node or
 * none; settings that are in the home already stay as they are.
 * @throws AlreadyInitialised when the home has a store or a key; StoreLocked while another process makes it;
 * ArchiveDamaged.
 */
export async function restoreHome(archive: Archive, places: HomePlaces, progress: RestoreProgress = {}): Promise<Comparison> {
  const refuse = (): void => {
    for (const path of [places.store, places.key]) {
      if (existsSync(path)) throw new AlreadyInitialised(`There is already a node in ${places.home}: ${path} is there.`)
    }
  }
  if (hasStore(places)) refuse()
  const files = await readdir(places.files).catch(() => [])
  if (files.length > 0) throw new AlreadyInitialised(`There are already files of a node in ${places.files}.`)
  await mkdir(places.home, { recursive: true, mode: 0o700 })
  const draft = join(places.home, 'store.new')
  const claim = await takeInitLock(draft)
  const made = { store: draft, files: join(draft, 'files') }
  let at = draft
  try {
    refuse()
    await claim.clear()
    const { key, config } = await homeIn(archive)
    await writeStore(archive, made, progress.written)
    const comparison = await compareStore(archive, made, progress.compared)
    if (comparison.differences > 0) return comparison
    await rm(places.files, { recursive: true, force: true })
    await rename(made.files, places.files)
    if (config !== undefined && !existsSync(places.config)) await writeFile(places.config, config, { mode: 0o600, flush: true })
    await createNodeKey(places.key, { by: 'file' }, new Secret<Uint8Array>(key))
    await rename(draft, places.store)
    at = places.store
    await syncFolder(places.home)
    return comparison
  } finally {
    claim.release(at)
    if (at === draft) await rm(draft, { recursive: true, force: true })
  }
}
