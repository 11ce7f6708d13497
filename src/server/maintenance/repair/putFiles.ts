/** What becomes of attached files that are damaged or gone: put back, awaited from the paired node, or taken out of events. */
import { join } from 'node:path'
import { openDatabase } from '../../../store/engine/database.js'
import { accountKeys } from '../../../store/engine/keys.js'
import { openStore } from '../../../store/engine/open.js'
import type { BrokenFile } from '../../../store/repair/pass.js'
import { dropFiles, type RebuildOptions } from '../../../sync/merge/rebuildItems.js'
import { keepFile, putFile, type FileSource } from './files.js'

/** A file, and where its bytes are; undefined when they are nowhere. */
export interface FoundFile {
  file: BrokenFile
  source: FileSource | undefined
}

export interface PuttingFiles extends Omit<RebuildOptions, 'opened'> {
  /** Folder of the store whose records tell of the files; nobody has it open. It is written to only where files are nowhere. */
  store: string
  /** Folder of the attached files. */
  files: string
  /** Folder for what is in the places of the files. */
  kept: string
  /** Accounts of which a paired node gives what is nowhere. */
  mirrored: ReadonlySet<string>
}

/** @throws ArchiveDamaged: files that came before stay in their places */
export async function putFiles(found: readonly FoundFile[], { store, files, kept: stored, mirrored, ...options }: PuttingFiles): Promise<void> {
  const gone: BrokenFile[] = []
  const wanted: BrokenFile[] = []
  for (const { file, source } of found) {
    if (source !== undefined && (await putFile(files, stored, file, source))) continue
    await keepFile(files, stored, file)
    if (mirrored.has(file.account)) wanted.push(file)
    else gone.push(file)
  }
  if (wanted.length > 0) await want(store, wanted)
  if (gone.length > 0) await dropFiles({ opened: await openStore({ folder: store, now: options.now }), ...options }, gone)
}

/** Notes files as those that are to come from a paired node. */
async function want(store: string, files: readonly BrokenFile[]): Promise<void> {
  const db = await openDatabase(join(store, 'db'))
  try {
    const batch = db.batch()
    for (const { account, digest, size } of files) batch.put(accountKeys.wantedFile(account, digest), String(size))
    await batch.write({ sync: true })
  } finally {
    await db.close()
  }
}
