/** Programs of threads, which the build writes beside its chunks. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Folders of the built programs, relative to the chunks of the build, to bundles of tests, and to this source. */
const FOLDERS = ['./', '../../dist/cli/', '../../../dist/cli/']

/** Returns the built program of a thread by its file name; undefined before the first build. */
export function threadProgram(name: string): URL | undefined {
  return FOLDERS.map((folder) => new URL(folder + name, import.meta.url)).find((place) => existsSync(fileURLToPath(place)))
}
