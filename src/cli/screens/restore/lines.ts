/** What the screen of `coffer restore` shows, as lines; pure. */
import { progressText } from '../../output/progress.js'
import { cut } from '../../output/text.js'
import { amount, bytes } from '../../output/words.js'
import { line, type Line } from '../line.js'

/** A part of the work, in bytes. */
export interface Phase {
  label: string
  done: number
  total: number
}

export interface Restoring {
  /** The folder of the backup, and that of the node. */
  from: string
  into: string
  /** How many the backup has, by noun. */
  asked: Readonly<Record<string, number>>
  /** In the order in which they begin; the last is under way. */
  phases: Phase[]
  isOver: boolean
}

/** The lines, in `columns` and `rows`. */
export function restoreLines({ from, into, asked, phases, isOver }: Restoring, { columns, rows }: { columns: number; rows: number }): Line[] {
  const head = [line(cut(`Restoring  ${from}`, columns), 'strong'), line(cut(`into       ${into}`, columns)), line('')]
  const width = Math.max(0, ...phases.map(({ label }) => label.length))
  const bars = phases.map((phase, at) => phaseLine(phase, { width, isDone: at < phases.length - 1 || isWhole(phase), columns }))
  if (isOver) return [...head, ...bars]
  const last = line(cut('q quit, nothing is restored before all is compared', columns), 'faint')
  const room = rows - head.length - bars.length - 3
  return [...head, ...(bars.length === 0 ? [line('Opening …')] : bars), ...(room > 0 ? [line(''), ...countLines(asked, columns).slice(0, room)] : []), line(''), last]
}

const isWhole = ({ done, total }: Phase): boolean => done >= total

function phaseLine({ label, done, total }: Phase, { width, isDone, columns }: { width: number; isDone: boolean; columns: number }): Line {
  const text = isDone ? `${label.padEnd(width)}  ${bytes(total)}` : progressText(label.padEnd(width), done, total, bytes)
  const sign = isDone ? '✔ ' : '  '
  return [{ text: sign, ...(isDone ? { tone: 'good' as const } : {}) }, { text: cut(text, columns - sign.length) }]
}

function countLines(asked: Restoring['asked'], columns: number): Line[] {
  const counts = Object.entries(asked).filter(([, count]) => count > 0)
  const width = Math.max(0, ...counts.map(([, count]) => amount(count).length))
  return counts.map(([noun, count]) => line(cut(`  ${amount(count).padStart(width)} ${noun}`, columns)))
}
