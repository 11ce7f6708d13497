/** Restores a node into an empty home from a backup: store, attached files, key and settings. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Archive } from '../../store/backup/archive.js'
import { compareStore, homeIn, writeStore, type Comparison } from '../../store/backup/restore.js'
import { Secret } from '../../store/model/secret.js'
import { createNodeKey } from '../../store/keyring/nodeKey.js'
import { syncFolder } from '../../store/leveldb/filesOnDisk.js'
import { acquireInitLock } from '../launch/initLock.js'
import { AlreadyInitialised, hasStore, type HomePlaces } from '../launch/init.js'

/** Receives the number of bytes written, then of bytes compared. */
export interface RestoreProgress {
  written?(bytes: number, of: number): void
  compared?(bytes: number, of: number): void
}

/**
 * Restores a node. The store is moved into place last, after comparison with the archive, so a failure leaves no partial node.
 * Existing settings in the home are preserved.
 * @throws AlreadyInitialised when the home has a store or a key; StoreLocked while another process creates it; ArchiveDamaged
 */
export async function restoreHome(archive: Archive, places: HomePlaces, progress: RestoreProgress = {}): Promise<Comparison> {
  const refuse = (): void => {
    for (const path of [places.store, places.key]) {
      if (existsSync(path)) throw new AlreadyInitialised(`A node already exists in ${places.home}: found ${path}.`)
    }
  }
  if (hasStore(places)) refuse()
  const files = await readdir(places.files).catch(() => [])
  if (files.length > 0) throw new AlreadyInitialised(`Attached files of a node already exist in ${places.files}.`)
  await mkdir(places.home, { recursive: true, mode: 0o700 })
  const draft = join(places.home, 'store.new')
  const claim = await acquireInitLock(draft)
  const paths = { store: draft, files: join(draft, 'files') }
  let at = draft
  try {
    refuse()
    await claim.clear()
    const { key, config } = await homeIn(archive)
    await writeStore(archive, paths, progress.written)
    const comparison = await compareStore(archive, paths, progress.compared)
    if (comparison.differences > 0) return comparison
    await rm(places.files, { recursive: true, force: true })
    await rename(paths.files, places.files)
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
