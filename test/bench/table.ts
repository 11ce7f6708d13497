/** Formats the table of the benchmark. */
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import type { Measured } from './measure.js'

export interface Machine {
  processor: string
  cores: number
  memoryGb: number
  system: string
  node: string
  /** Load average of the last minute; above the number of cores, other processes affect the figures. */
  load: number
}

export const machine = (): Machine => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 1e9),
  system: `${platform()} ${release()}`,
  node: process.version,
  load: loadavg()[0] ?? 0,
})

const HEAD = [
  'row', 'figure', '', 'p50 ms', 'p99 ms', 'cpu µs', 'bare route', 'cpu µs', 'ratio', 'raw LevelDB', 'ratio', 'target', 'met',
]
/** Indexes of text columns. */
const LEFT_ALIGNED = new Set([0, 2, 11, 12])

export function amount(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return ''
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export const ratio = (value: number | undefined): string => (value === undefined ? '' : value.toFixed(2))

function cells(row: Measured): string[] {
  const failed = row.failures === undefined || row.failures === 0 ? '' : ` (${row.failures} failed)`
  return [
    row.label,
    amount(row.figure),
    row.unit + failed,
    amount(row.p50),
    amount(row.p99),
    amount(row.processor),
    amount(row.bare),
    amount(row.bareProcessor),
    ratio(row.bareRatio),
    amount(row.raw),
    ratio(row.rawRatio),
    row.target ?? '',
    row.met === undefined ? '' : row.met ? 'yes' : 'NO',
  ]
}

/** Formats rows as text. */
export const tableOf = (rows: readonly Measured[]): string => aligned([HEAD, ...rows.map(cells)], LEFT_ALIGNED)

/** Returns lines with aligned columns, the first above a rule; those of the given indexes are aligned on the left. */
export function aligned(lines: readonly (readonly string[])[], left: ReadonlySet<number>): string {
  const [head = []] = lines
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const texts = lines.map((line) =>
    line
      .map((cell, column) => (left.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  texts.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '))
  return texts.join('\n')
}
