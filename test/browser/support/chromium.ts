/** Finds the installed Chromium for browser tests; never downloads one. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns the path of `COFFER_CHROMIUM`, else of the first usual name in `PATH`, else undefined. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = environment['COFFER_CHROMIUM']
  if (named !== undefined && named !== '') return isProgram(named) ? named : undefined
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
}

const ADVICE = `Browser tests are skipped: there is no Chromium here.
  Debian, Ubuntu   sudo apt-get install chromium
  Fedora           sudo dnf install chromium
  macOS            brew install --cask chromium
  elsewhere        set COFFER_CHROMIUM to the program of a Chromium or Chrome
`

/** Prints once why browser tests are skipped, and how to install Chromium. Vitest calls it before the tests. */
export function setup(): void {
  if (findChromium() === undefined) process.stderr.write(`\n${ADVICE}\n`)
}
