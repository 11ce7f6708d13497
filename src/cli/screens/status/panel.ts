/** Panels of a screen: a title above rows, of which one may be selected. */
import { columnsOf, cut } from '../../terminal/output/text.js'
import { fitted, line, wordsOf, type Line } from '../line.js'

export interface Panel {
  title: string
  rows: readonly Line[]
  /** Text shown without rows. */
  empty?: string
  width: number
  /** Number of rows that fit. */
  height: number
  /** True when keys act on the panel; `at` is the selected row. */
  isActive: boolean
  at: number
  /** True when rows can be selected. */
  isList: boolean
}

const POINTER = '❯ '
const BESIDE_POINTER = '  '

/** Returns the title, with a heavy rule if active, and the rows that fit, always including the selected one. */
export function panelLines({ title, rows, empty = '', width, height, isActive, at, isList }: Panel): Line[] {
  const rule = isActive ? '━' : '─'
  const head = `${rule} ${title} `
  const top = line(cut(head + rule.repeat(Math.max(0, width - columnsOf(head))), width), isActive ? 'strong' : 'faint')
  if (rows.length === 0) return empty === '' ? [top] : [top, line(cut(`${isList ? BESIDE_POINTER : ''}${empty}`, width))]
  const { from, to, left } = windowOf(rows.length, height, at)
  const visible = rows.slice(from, to).map((row, index): Line => {
    if (!isList) return row
    if (!isActive || from + index !== at) return [{ text: BESIDE_POINTER }, ...row]
    return [{ text: POINTER, tone: 'strong' }, ...line(wordsOf(fitted(row, width - POINTER.length)), 'chosen')]
  })
  return [top, ...visible, ...(left > 0 ? [line(cut(`${BESIDE_POINTER}and ${left} more`, width), 'faint')] : [])]
}

/** Returns the range of rows shown in `height` lines; if some do not fit, one line shows their number. */
export function windowOf(count: number, height: number, at: number): { from: number; to: number; left: number } {
  if (count <= height) return { from: 0, to: count, left: 0 }
  const visible = Math.max(1, height - 1)
  const from = Math.max(0, Math.min(at - visible + 1, count - visible))
  return { from, to: from + visible, left: count - visible }
}

/** Distributes `room` lines among panels as evenly as their wanted numbers allow. */
export function shared(room: number, wants: readonly number[]): number[] {
  const assigned = wants.map(() => 0)
  for (let left = room; left > 0; ) {
    const unfilled = wants.flatMap((want, index) => ((assigned[index] ?? 0) < want ? [index] : []))
    if (unfilled.length === 0) break
    for (const index of unfilled) {
      if (left === 0) break
      assigned[index] = (assigned[index] ?? 0) + 1
      left -= 1
    }
  }
  return assigned
}
