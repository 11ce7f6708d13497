/** Panels of a screen: a title over rows, of which one may be chosen. */
import { columnsOf, cut } from '../../terminal/output/text.js'
import { fitted, line, wordsOf, type Line } from '../line.js'

export interface Panel {
  title: string
  rows: readonly Line[]
  /** What stands there without rows. */
  empty?: string
  width: number
  /** How many rows there is room for. */
  height: number
  /** Whether keys act on it, and which row is chosen then. */
  isActive: boolean
  at: number
  /** Whether its rows can be chosen one by one. */
  isList: boolean
}

const POINTER = '❯ '
const BESIDE_POINTER = '  '

/** The title, with a heavy rule where keys act, and as many rows as fit; the chosen one is always among them. */
export function panelLines({ title, rows, empty = '', width, height, isActive, at, isList }: Panel): Line[] {
  const rule = isActive ? '━' : '─'
  const head = `${rule} ${title} `
  const top = line(cut(head + rule.repeat(Math.max(0, width - columnsOf(head))), width), isActive ? 'strong' : 'faint')
  if (rows.length === 0) return empty === '' ? [top] : [top, line(cut(`${isList ? BESIDE_POINTER : ''}${empty}`, width))]
  const { from, to, left } = windowOf(rows.length, height, at)
  const displayed = rows.slice(from, to).map((row, index): Line => {
    if (!isList) return row
    if (!isActive || from + index !== at) return [{ text: BESIDE_POINTER }, ...row]
    return [{ text: POINTER, tone: 'strong' }, ...line(wordsOf(fitted(row, width - POINTER.length)), 'chosen')]
  })
  return [top, ...displayed, ...(left > 0 ? [line(cut(`${BESIDE_POINTER}and ${left} more`, width), 'faint')] : [])]
}

/** Which of `count` rows are shown in `height` lines; where some are left out, one line says how many. */
export function windowOf(count: number, height: number, at: number): { from: number; to: number; left: number } {
  if (count <= height) return { from: 0, to: count, left: 0 }
  const displayed = Math.max(1, height - 1)
  const from = Math.max(0, Math.min(at - displayed + 1, count - displayed))
  return { from, to: from + displayed, left: count - displayed }
}

/** Shares `room` lines among panels that want so many each: as alike as they can use. */
export function shared(room: number, wants: readonly number[]): number[] {
  const given = wants.map(() => 0)
  for (let left = room; left > 0; ) {
    const hungry = wants.flatMap((want, index) => ((given[index] ?? 0) < want ? [index] : []))
    if (hungry.length === 0) break
    for (const index of hungry) {
      if (left === 0) break
      given[index] = (given[index] ?? 0) + 1
      left -= 1
    }
  }
  return given
}
