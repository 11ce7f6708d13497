/** Log file of the node with rotation by size. */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

interface LogFileOptions {
  path: string
  /** Size in bytes at which the file is rotated. */
  maxBytes: number
  /** Number of rotated files to keep: `<path>.1` is the latest. */
  maxFiles: number
}

/**
 * Appends lines to a file that only its owner can read. Drops lines that cannot be written: a full disk must not stop a
 * node.
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
        rotate(path, maxFiles)
        handle = open()
      }
      writeSync(handle, line)
    } catch {
      // Every line is also on stderr.
    }
  }
}

/** Lists the names of rotated files, latest first. */
export const rotatedNames = (path: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${path}.${n + 1}`)

function rotate(path: string, count: number): void {
  if (count === 0) return rmSync(path, { force: true })
  const names = [path, ...rotatedNames(path, count)]
  for (let n = names.length - 1; n > 0; n--) {
    const [from, to] = [names[n - 1], names[n]]
    if (from === undefined || to === undefined) continue
    try {
      renameSync(from, to)
    } catch (error) {
      // Fewer files exist so far.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}
