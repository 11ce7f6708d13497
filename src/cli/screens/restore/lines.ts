/** Builds the lines of the `coffer restore` screen; pure. */
import { progressText } from '../../terminal/output/progress.js'
import { cut } from '../../terminal/output/text.js'
import { bytes } from '../../terminal/output/format.js'
import { line, type Line } from '../line.js'

/** A phase of the restore, in bytes. */
interface Phase {
  label: string
  done: number
  total: number
}

export interface RestoreView {
  /** Folder of the backup; `into` is that of the node. */
  from: string
  into: string
  /** Content of the backup, one line per noun. */
  asked: readonly string[]
  /** Phases in order of start; the last is in progress. */
  phases: Phase[]
  isOver: boolean
}

/** Returns the lines for `columns` and `rows`. */
export function restoreLines({ from, into, asked, phases, isOver }: RestoreView, { columns, rows }: { columns: number; rows: number }): Line[] {
  const head = [line(cut(`RestoreView  ${from}`, columns), 'strong'), line(cut(`into       ${into}`, columns)), line('')]
  const width = Math.max(0, ...phases.map(({ label }) => label.length))
  const bars = phases.map((phase, at) => phaseLine(phase, { width, isDone: at < phases.length - 1 || isWhole(phase), columns }))
  if (isOver) return [...head, ...bars]
  const last = line(cut('q quit; nothing is restored until everything is compared', columns), 'faint')
  const room = rows - head.length - bars.length - 3
  return [...head, ...(bars.length === 0 ? [line('Opening …')] : bars), ...(room > 0 ? [line(''), ...asked.slice(0, room).map((each) => line(cut(`  ${each}`, columns)))] : []), line(''), last]
}

const isWhole = ({ done, total }: Phase): boolean => done >= total

function phaseLine({ label, done, total }: Phase, { width, isDone, columns }: { width: number; isDone: boolean; columns: number }): Line {
  const text = isDone ? `${label.padEnd(width)}  ${bytes(total)}` : progressText(label.padEnd(width), done, total, bytes)
  const sign = isDone ? '✔ ' : '  '
  return [{ text: sign, ...(isDone ? { tone: 'good' as const } : {}) }, { text: cut(text, columns - sign.length) }]
}
