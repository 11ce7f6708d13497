/** Folders on disk. */
import { open } from 'node:fs/promises'

/** Puts the entries of a folder on disk: without it, a crash may forget files that were made or renamed there. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
