/** How much a folder holds. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The bytes of all files in a folder; 0 when it is not there. */
export async function directorySize(folder: string): Promise<number> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = found.filter((entry) => entry.isFile()).map(async ({ parentPath, name }) => {
    // The store's files come and go while it runs.
    const file = await stat(join(parentPath, name)).catch(() => undefined)
    return file?.size ?? 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
