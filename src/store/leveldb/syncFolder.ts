import { open } from 'node:fs/promises'

/** Syncs the entries of a folder to disk; without it, a crash may lose files created or renamed there. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
