/** Measures the size of a directory. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns the bytes of all files in a directory, recursively; 0 when it does not exist. */
export async function directorySize(folder: string): Promise<number> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = found.filter((entry) => entry.isFile()).map(async ({ parentPath, name }) => {
    // Files of a running store may disappear meanwhile.
    const file = await stat(join(parentPath, name)).catch(() => undefined)
    return file?.size ?? 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
