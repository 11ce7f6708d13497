/** A chart of values over time in lines of characters; pure. */
import { columnsOf, cut, oneLine } from '../output/text.js'
import type { Bins } from './bins.js'
import { asciiMark, createCanvas, stroke } from './canvas.js'
import type { Canvas } from './canvas.js'
import { numberLabel } from './labels.js'

export interface Frame {
  /** Characters of the whole chart, and of its plot. */
  width: number
  height: number
  /** ASCII alone. */
  plain: boolean
  /** Where time begins and ends, as the bins were made. */
  from: number
  to: number
}

export interface ChartLine {
  name: string
  bins: Bins
}

/** Characters before the plot: a label and the axis. */
const MARGIN = 12

/** How many columns the bins of a chart have. */
export const columnsFor = ({ width, plain }: Frame): number => (width - MARGIN) * (plain ? 1 : 2)

/**
 * The lines of a chart: a title and the names of the lines where there are several, the plot with the unit's values at
 * the side, and the time below. Without points, nothing.
 * @param label what stands below a time; @param paint colours what belongs to a line.
 */
export function chartLines(
  title: string,
  lines: readonly ChartLine[],
  frame: Frame,
  label: (time: number) => string,
  paint: (line: number, text: string) => string = (_, text) => text,
): string[] {
  const found = lines.flatMap(({ bins }) => bins.columns.filter((bin) => bin !== undefined))
  if (found.length === 0) return []
  const min = found.reduce((value, bin) => Math.min(value, bin.least), Infinity)
  const max = found.reduce((value, bin) => Math.max(value, bin.most), -Infinity)
  const canvas = createCanvas(frame.width - MARGIN, frame.height, frame.plain)
  const scale = (value: number): number => rowOf(value, min, max, canvas.down)
  for (const [line, { bins }] of lines.entries()) draw(canvas, bins, line, scale)
  const [tick, axis, corner, floor] = frame.plain ? ['+', '|', '+', '-'] : ['┤', '│', '└', '─']
  const labels = valueLabels(min, max, frame.height)
  const rows = canvas.rows().map((cells, row) => {
    const text = labels.get(row)
    return `${(text ?? '').padStart(MARGIN - 2)} ${text === undefined ? axis : tick}${painted(cells, paint)}`.trimEnd()
  })
  return [
    ...legend(title, lines, frame, paint),
    ...rows,
    `${' '.repeat(MARGIN - 1)}${corner}${floor.repeat(frame.width - MARGIN)}`,
    timeLine(frame, label),
  ]
}

/** A row of characters; neighbours of one line are painted together. */
function painted(cells: ReturnType<Canvas['rows']>[number], paint: (line: number, text: string) => string): string {
  const runs: Array<{ line: number | undefined; text: string }> = []
  for (const cell of cells) {
    const run = runs[runs.length - 1]
    if (run !== undefined && run.line === cell?.line) run.text += cell?.mark ?? ' '
    else runs.push({ line: cell?.line, text: cell?.mark ?? ' ' })
  }
  return runs.map(({ line, text }) => (line === undefined ? text : paint(line, text))).join('')
}

/** The row of dots of a value, the most at the top; of numbers as large as they can be, the range is infinite. */
function rowOf(value: number, min: number, max: number, down: number): number {
  const half = max / 2 - min / 2
  if (!(half > 0)) return Math.floor((down - 1) / 2)
  return Math.round(((max / 2 - value / 2) / half) * (down - 1))
}

function draw(canvas: Canvas, { columns, isGap }: Bins, line: number, scale: (value: number) => number): void {
  let before: { x: number; time: number; value: number } | undefined
  for (const [x, bin] of columns.entries()) {
    if (bin === undefined) continue
    stroke(canvas, [x, scale(bin.most)], [x, scale(bin.least)], line)
    if (before !== undefined && !isGap(bin.first.time - before.time)) {
      stroke(canvas, [before.x, scale(before.value)], [x, scale(bin.first.value)], line)
    }
    before = { x, ...bin.last }
  }
}

/** The values at the top, in the middle and at the bottom, by row. */
function valueLabels(min: number, max: number, height: number): Map<number, string> {
  if (min === max) return new Map([[Math.floor((height - 1) / 2), numberLabel(max)]])
  const middle = Math.floor((height - 1) / 2)
  const share = height === 1 ? 0 : middle / (height - 1)
  const labels = new Map([[height - 1, numberLabel(min)]])
  if (height > 4) labels.set(middle, numberLabel(max * (1 - share) + min * share))
  return labels.set(0, numberLabel(max))
}

function legend(title: string, lines: readonly ChartLine[], { width, plain }: Frame, paint: (line: number, text: string) => string): string[] {
  const head = cut(oneLine(title), width)
  if (lines.length === 1) return [head]
  const names = lines.map(({ name }, line) => paint(line, `${plain ? asciiMark(line) : '━━'} ${cut(oneLine(name), 30)}`))
  return [head, names.join('   ')]
}

/** Times at the left, in the middle where there is room, and at the right. */
function timeLine({ from, to, width }: Frame, label: (time: number) => string): string {
  const room = width - MARGIN
  if (from === to) {
    const text = label(from)
    return ' '.repeat(MARGIN + Math.max(0, Math.floor((room - columnsOf(text)) / 2))) + text
  }
  const [left, middle, right] = [label(from), label(from + (to - from) / 2), label(to)]
  const free = room - columnsOf(left) - columnsOf(right)
  const before = Math.floor((room - columnsOf(middle)) / 2) - columnsOf(left)
  const after = free - before - columnsOf(middle)
  const between = before >= 2 && after >= 2 ? `${' '.repeat(before)}${middle}${' '.repeat(after)}` : ' '.repeat(Math.max(1, free))
  return `${' '.repeat(MARGIN)}${left}${between}${right}`
}
