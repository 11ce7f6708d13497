/** Removal of derived files that have not been used for long. */
import { readdir, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes old files and empty folders. */
export async function pruneFolder(folder: string, oldest: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      await pruneFolder(path, oldest)
      // The file system refuses to remove a folder that is not empty.
      await rmdir(path).catch(() => {})
      continue
    }
    const file = await stat(path).catch(() => undefined)
    if (file !== undefined && file.mtimeMs / 1000 < oldest) await rm(path, { force: true })
  }
}
