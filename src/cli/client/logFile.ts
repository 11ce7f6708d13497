/** The node's own log file, kept small: a full one is set aside and a new one begun. */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export interface LogFileOptions {
  path: string
  /** A file of this size is set aside. */
  maxBytes: number
  /** Files set aside that are kept: `<path>.1` is the latest. */
  maxFiles: number
}

/**
 * Appends lines to a file that only its owner may read. A line that cannot be written is dropped: a full disk must not
 * end a node.
 */
export function logFile({ path, maxBytes, maxFiles }: LogFileOptions): (line: string) => void {
  let handle: number | undefined
  const open = (): number => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, 'a', 0o600)
  }
  return (line) => {
    try {
      handle ??= open()
      if (fstatSync(handle).size >= maxBytes) {
        closeSync(handle)
        handle = undefined
        setAside(path, maxFiles)
        handle = open()
      }
      writeSync(handle, line)
    } catch {
      // Every line is on stderr too.
    }
  }
}

/** The files set aside of a log, the latest first. */
export const asideNames = (path: string, stored: number): string[] => Array.from({ length: stored }, (_, n) => `${path}.${n + 1}`)

function setAside(path: string, stored: number): void {
  if (stored === 0) return rmSync(path, { force: true })
  const names = [path, ...asideNames(path, stored)]
  for (let n = names.length - 1; n > 0; n--) {
    const [from, to] = [names[n - 1], names[n]]
    if (from === undefined || to === undefined) continue
    try {
      renameSync(from, to)
    } catch (error) {
      // There are not so many yet.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}
