/** Draws charts of values over time as lines of text; pure. */
import { columnsOf, cut, oneLine } from '../output/text.js'
import type { Bins } from './bins.js'
import { asciiMark, createCanvas, stroke } from './canvas.js'
import type { Canvas } from './canvas.js'
import { numberLabel } from './labels.js'

export interface Frame {
  /** Width of the whole chart in characters, and height of its plot. */
  width: number
  height: number
  /** True to use ASCII only. */
  plain: boolean
  /** Start and end of time, as for the bins. */
  from: number
  to: number
}

export interface ChartLine {
  name: string
  bins: Bins
}

/** Characters before the plot: a label and the axis. */
const MARGIN = 12

/** Returns the number of columns for the bins of a chart. */
export const columnsFor = ({ width, plain }: Frame): number => (width - MARGIN) * (plain ? 1 : 2)

/**
 * Returns the lines of a chart: title, legend for several lines, plot with value labels, and time axis. Empty without
 * points.
 * @param label formats a time; @param paint colours the text of a line
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

/** Formats a row of cells; adjacent cells of one line are painted together. */
function painted(cells: ReturnType<Canvas['rows']>[number], paint: (line: number, text: string) => string): string {
  const runs: Array<{ line: number | undefined; text: string }> = []
  for (const cell of cells) {
    const run = runs[runs.length - 1]
    if (run !== undefined && run.line === cell?.line) run.text += cell?.mark ?? ' '
    else runs.push({ line: cell?.line, text: cell?.mark ?? ' ' })
  }
  return runs.map(({ line, text }) => (line === undefined ? text : paint(line, text))).join('')
}

/** Returns the row of dots of a value, the largest at the top; halves avoid overflow of the range. */
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

/** Returns the value labels at the top, middle and bottom, by row. */
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

/** Formats the time axis: left, middle if there is room, and right. */
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
