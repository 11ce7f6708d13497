/** Compares a build with its sources. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Checks that the file `built` is newer than all files of `sources`, which are files and folders. Folders count too, since
 * removing a file changes them.
 */
export function isUpToDate(built, sources) {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs
  if (builtAt === undefined) return false
  const paths = sources.flatMap((source) =>
    statSync(source).isDirectory() ? [source, ...readdirSync(source, { recursive: true }).map((name) => join(source, name))] : [source],
  )
  return paths.every((path) => statSync(path).mtimeMs < builtAt)
}
