/** Tables: aligned with a header for people, tab-separated without one for programs. */
import { systemClock } from '../../../server/base/clock.js'
import { columnsOf, cut, oneLine, wrapAnywhere } from './text.js'
import { timeCell } from './timestamps.js'

interface ColumnLayout {
  /** Header text in capitals. */
  title: string
  align?: 'right'
  /** True to cut off texts when the line is too long for the terminal. Not for ids that people paste. */
  shrinks?: true
  /** True to continue long texts on lines below instead. */
  wraps?: true
  /** True to omit if the line is still too long, last column first; `late` after all of those. */
  drops?: true | 'late'
}

interface TextColumn<Row> extends ColumnLayout {
  /** Returns the text; `isTerminal` is false in a pipe, whose cells are for programs. */
  cell(row: Row, isTerminal: boolean): string
  time?: never
}

interface TimeColumn<Row> extends ColumnLayout {
  cell?: never
  /** Returns seconds since the epoch; other values than numbers are missing times. Formatted by `timeCell`. */
  time(row: Row): unknown
  /** Shown on a terminal for a missing time; a dash by default, and in pipes. */
  none?: string
  /** Shown on a terminal for a time in the past: `expired`. */
  past?: string
}

export type Column<Row> = TextColumn<Row> | TimeColumn<Row>

/** Returns the text of a cell on one line. */
function cellText<Row>(column: Column<Row>, row: Row, isTerminal: boolean): string {
  if (column.cell !== undefined) return oneLine(column.cell(row, isTerminal))
  const { none = '—', past } = column
  const seconds = column.time(row)
  if (typeof seconds !== 'number') return isTerminal ? none : '—'
  const isPast = past !== undefined && seconds <= systemClock.now()
  return isTerminal && isPast ? past : timeCell(seconds, isTerminal)
}

const gap = '  '
/** Columns are dropped before others shrink to less than this. */
const COMFORTABLE = 12
const MIN = 8

/**
 * Formats the header and rows as aligned lines. Columns that may shrink are narrowed to fit `width`, then columns are dropped, then
 * others are narrowed further. Lines are longer than `width` only if the remaining columns do not fit at their least width.
 */
export function alignedTable<Row>(columns: ReadonlyArray<Column<Row>>, rows: readonly Row[], width: number): string[] {
  const visible = [...columns]
  for (;;) {
    const body = rows.map((row) => visible.map((each) => cellText(each, row, true)))
    const cells = [visible.map((each) => each.title), ...body]
    const widths = visible.map((_, index) => Math.max(...cells.map((line) => columnsOf(line[index] ?? ''))))
    const fits = shrink(visible, widths, width, COMFORTABLE)
    const dropped = fits ? -1 : nextDropped(visible)
    if (dropped < 0) {
      if (!fits) shrink(visible, widths, width, MIN)
      return cells.flatMap((line) => aligned(visible, line, widths))
    }
    visible.splice(dropped, 1)
  }
}

function nextDropped<Row>(columns: ReadonlyArray<Column<Row>>): number {
  const first = columns.findLastIndex(({ drops }) => drops === true)
  return first >= 0 ? first : columns.findLastIndex(({ drops }) => drops === 'late')
}

/** Returns the line of a row, and those on which columns that wrap continue. */
function aligned<Row>(columns: ReadonlyArray<Column<Row>>, line: readonly string[], widths: readonly number[]): string[] {
  const parts = columns.map(({ wraps }, index) => {
    const text = line[index] ?? ''
    const columnWidth = widths[index] ?? 0
    return wraps === true && columnsOf(text) > columnWidth ? wrapAnywhere(text, columnWidth) : [cut(text, columnWidth)]
  })
  const height = Math.max(...parts.map((each) => each.length))
  return Array.from({ length: height }, (_, at) =>
    columns
      .map(({ align }, index) => {
        const cell = parts[index]?.[at] ?? ''
        const space = ' '.repeat((widths[index] ?? 0) - columnsOf(cell))
        return align === 'right' ? space + cell : cell + space
      })
      .join(gap)
      .trimEnd(),
  )
}

/** Formats one line per row, cells separated by tabs, not cut and without header. */
export function tabbedTable<Row>(columns: ReadonlyArray<Column<Row>>, rows: readonly Row[]): string[] {
  return rows.map((row) => columns.map((each) => cellText(each, row, false)).join('\t'))
}

/** Shrinks the widest column that may shrink, to `min` at least, until the line fits; returns whether it fits. */
function shrink<Row>(columns: ReadonlyArray<Column<Row>>, widths: number[], width: number, min: number): boolean {
  const total = (): number => widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1))
  while (total() > width) {
    let widest = -1
    for (const [index, column] of columns.entries()) {
      const room = widths[index] ?? 0
      const mayShrink = column.shrinks === true || column.wraps === true
      if (mayShrink && room > min && room > (widths[widest] ?? 0)) widest = index
    }
    const room = widths[widest]
    if (room === undefined) return false
    widths[widest] = room - 1
  }
  return true
}
