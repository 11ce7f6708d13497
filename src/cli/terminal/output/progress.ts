/** Progress display: a bar on the terminal's stderr, or lines of JSON for scripts; otherwise silent. */
import type { Terminal } from '../terminal.js'
import { cut, oneLine } from './text.js'

export interface Progress {
  /** Adds to the progress. */
  advance(by?: number): void
  /** Clears the bar. */
  end(): void
}

const silent: Progress = { advance: () => undefined, end: () => undefined }
const barWidth = 24
const millisecondsBetweenDrawings = 100
const millisecondsBetweenLines = 1000

/** Starts a bar; without `total` it counts up. `isWanted` is false under `--json` and `--quiet`; `words` formats amounts. */
export function startProgress(
  terminal: Terminal,
  label: string,
  total: number | undefined,
  isWanted: boolean,
  words?: (n: number) => string,
): Progress {
  if (!isWanted || !terminal.errIsTerminal) return silent
  let done = 0
  let drawnAt = -Infinity
  return {
    advance: (by = 1) => {
      done += by
      const now = performance.now()
      if (now - drawnAt < millisecondsBetweenDrawings) return
      drawnAt = now
      terminal.writeStderr(`\r${cut(progressText(label, done, total, words), terminal.width - 1)}\u001b[K`)
    },
    end: () => terminal.writeStderr('\r\u001b[K'),
  }
}

/**
 * Prints progress as JSON each second, `{"event":"progress","phase","done","total"}`; nothing for shorter work. Omits
 * an unknown `total`.
 */
export function startJsonProgress(print: (json: string) => Promise<void>, phase: string, total: number | undefined, now = () => performance.now()): Progress {
  let done = 0
  let reportedAt = now()
  return {
    advance: (by = 1) => {
      done += by
      if (now() - reportedAt < millisecondsBetweenLines) return
      reportedAt = now()
      // Not awaited: lines keep their order, and a filter that fails on this one fails on the last.
      print(JSON.stringify({ event: 'progress', phase, done, ...(total === undefined ? {} : { total }) })).catch(() => undefined)
    },
    end: () => undefined,
  }
}

/** Formats a bar: `importing  ████████░░░░░░░░  50 %  500 of 1000`. */
export function progressText(
  label: string,
  done: number,
  total?: number,
  words: (n: number) => string = String,
): string {
  if (total === undefined) return `${oneLine(label)}  ${words(done)}`
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const full = Math.floor(share * barWidth)
  const bar = `${'█'.repeat(full)}${'░'.repeat(barWidth - full)}`
  return `${oneLine(label)}  ${bar}  ${Math.floor(share * 100)} %  ${words(done)} of ${words(total)}`
}
