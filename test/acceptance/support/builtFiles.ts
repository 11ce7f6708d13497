import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { binary } from './coffer.js'

/** A file of the build. */
interface BuiltFile {
  /** The files of `src` and `node_modules` in it. */
  sources: string[]
  /** The files that are loaded together with it. */
  loads: string[]
}

/** Returns the files of the build by their names in `dist/cli`. */
export const builtFiles = (): Map<string, BuiltFile> =>
  new Map(Object.entries(JSON.parse(readFileSync(join(dirname(dirname(binary)), 'dist/contents.json'), 'utf8')) as Record<string, BuiltFile>))
