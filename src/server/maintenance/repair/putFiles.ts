/** Repair of attached files that are damaged or missing: restored, awaited from the paired node, or removed from events. */
import { join } from 'node:path'
import { openDatabase } from '../../../store/engine/database.js'
import { accountKeys } from '../../../store/engine/keys.js'
import { openStore } from '../../../store/engine/open.js'
import type { BrokenFile } from '../../../store/repair/pass.js'
import { dropFiles, type RebuildOptions } from '../../../sync/merge/rebuildItems.js'
import { setFileAside, putFile, type FileSource } from './files.js'

/** A file and the source of its bytes; undefined when no source has them. */
export interface FoundFile {
  file: BrokenFile
  source: FileSource | undefined
}

export interface PutFilesOptions extends Omit<RebuildOptions, 'opened'> {
  /** Folder of the closed store that refers to the files. The store is changed only for files that no source has. */
  store: string
  /** Folder of the attached files. */
  files: string
  /** Folder that receives the replaced files. */
  kept: string
  /** Accounts whose missing files a paired node supplies. */
  mirrored: ReadonlySet<string>
}

/**
 * Restores files from their sources, and resolves those without one.
 * @throws ArchiveDamaged; files restored before stay in place
 */
export async function putFiles(replacements: readonly FoundFile[], { store, files, kept: stored, mirrored, ...options }: PutFilesOptions): Promise<void> {
  const missing: BrokenFile[] = []
  const awaited: BrokenFile[] = []
  for (const { file, source } of replacements) {
    if (source !== undefined && (await putFile(files, stored, file, source))) continue
    await setFileAside(files, stored, file)
    if (mirrored.has(file.account)) awaited.push(file)
    else missing.push(file)
  }
  if (awaited.length > 0) await requestFiles(store, awaited)
  if (missing.length > 0) await dropFiles({ opened: await openStore({ folder: store, now: options.now }), ...options }, missing)
}

/** Marks files as missing, so that sync fetches them from a paired node. */
async function requestFiles(store: string, files: readonly BrokenFile[]): Promise<void> {
  const db = await openDatabase(join(store, 'db'))
  try {
    const batch = db.batch()
    for (const { account, digest, size } of files) batch.put(accountKeys.wantedFile(account, digest), String(size))
    await batch.write({ sync: true })
  } finally {
    await db.close()
  }
}
