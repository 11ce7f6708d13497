/** Log of the node on the screen of `coffer status --watch`. */
import pc from 'picocolors'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { errorMessage } from '../../../store/model/errorMessage.js'
import type { LogEntry } from '../../../server/base/log.js'
import { logText } from '../../terminal/output/logText.js'
import { cut } from '../../terminal/output/text.js'
import { line, Lines, type Line } from '../line.js'
import type { Style } from '../parts.js'
import { titleLine } from './details.js'

const MAX_LINES_STORED = 500
const plainPaint = pc.createColors(false)

export interface LogsProps {
  /** Yields the last log entries and new ones, until the signal. */
  read(signal: AbortSignal): AsyncIterable<LogEntry>
  size: { columns: number; rows: number }
  style: Style
}

export function Logs({ read, size: { columns, rows }, style }: LogsProps): ReactNode {
  const [entries, setEntries] = useState<readonly LogEntry[]>([])
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const over = new AbortController()
    const follow = async (): Promise<void> => {
      for await (const entry of read(over.signal)) setEntries((before) => [...before, entry].slice(-MAX_LINES_STORED))
    }
    follow().catch((error: unknown) => setProblem(errorMessage(error)))
    return () => over.abort()
  }, [])
  const lines = entries.flatMap((entry) => entryLines(entry, columns)).slice(-(rows - 2))
  const content = problem !== undefined ? [line(`✖ ${problem}`, 'bad')] : lines.length === 0 ? [line('no log entries yet')] : lines
  return <Lines style={style} lines={[titleLine('log', columns), ...content, line('← back   q quit', 'faint')]} />
}

function entryLines(entry: LogEntry, columns: number): Line[] {
  const tone = entry.level === 'error' ? ('bad' as const) : undefined
  return logText(entry, plainPaint)
    .trimEnd()
    .split('\n')
    .map((text) => line(cut(text, columns), tone))
}
