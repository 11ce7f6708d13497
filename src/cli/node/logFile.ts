/** The node's own log file, kept small: a full one is set aside and a new one begun. */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'

const MOST_BYTES = 10_000_000

/**
 * Appends lines to `path`, which only its owner may read. From `mostBytes` on, the file is renamed to `<path>.1`,
 * over the one before. A line that cannot be written is dropped: a full disk must not end a node.
 */
export function logFile(path: string, mostBytes = MOST_BYTES): (line: string) => void {
  let handle: number | undefined
  return (line) => {
    try {
      handle ??= openSync(path, 'a', 0o600)
      if (fstatSync(handle).size >= mostBytes) {
        closeSync(handle)
        handle = undefined
        renameSync(path, `${path}.1`)
        handle = openSync(path, 'a', 0o600)
      }
      writeSync(handle, line)
    } catch {
      // Every line is on stderr too.
    }
  }
}
