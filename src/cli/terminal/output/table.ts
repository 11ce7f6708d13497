/** Tables: aligned with a header for people, tab-separated without one for programs. */
import { columnsOf, cut, oneLine } from './text.js'

export interface Column<Row> {
  /** Header text in capitals. */
  title: string
  cell(row: Row): string
  align?: 'right'
  /** True to shrink when the line is too long for the terminal. */
  shrinks?: true
  /** True to omit if the line is still too long, last column first. */
  drops?: true
}

const gap = '  '
const min = 8

/** Formats the header and rows as aligned lines; shrinks or drops columns to fit `width`. */
export function alignedTable<Row>(columns: ReadonlyArray<Column<Row>>, rows: readonly Row[], width: number): string[] {
  const visible = [...columns]
  for (;;) {
    const body = rows.map((row) => visible.map((each) => oneLine(each.cell(row))))
    const cells = [visible.map((each) => each.title), ...body]
    const widths = visible.map((_, index) => Math.max(...cells.map((line) => columnsOf(line[index] ?? ''))))
    const fits = shrink(visible, widths, width)
    const dropped = visible.findLastIndex((each) => each.drops === true)
    if (fits || dropped < 0) return cells.map((line) => aligned(visible, line, widths))
    visible.splice(dropped, 1)
  }
}

function aligned<Row>(columns: ReadonlyArray<Column<Row>>, line: readonly string[], widths: readonly number[]): string {
  return columns
    .map((column, index) => {
      const columnWidth = widths[index] ?? 0
      const cell = cut(line[index] ?? '', columnWidth)
      const space = ' '.repeat(columnWidth - columnsOf(cell))
      return column.align === 'right' ? space + cell : cell + space
    })
    .join(gap)
    .trimEnd()
}

/** Formats one line per row, cells separated by tabs, not cut and without header. */
export function tabbedTable<Row>(columns: ReadonlyArray<Column<Row>>, rows: readonly Row[]): string[] {
  return rows.map((row) => columns.map((each) => oneLine(each.cell(row))).join('\t'))
}

/** Shrinks the widest shrinkable column until the line fits; returns whether it fits. */
function shrink<Row>(columns: ReadonlyArray<Column<Row>>, widths: number[], width: number): boolean {
  const total = (): number => widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1))
  while (total() > width) {
    let widest = -1
    for (const [index, column] of columns.entries()) {
      const room = widths[index] ?? 0
      if (column.shrinks === true && room > min && room > (widths[widest] ?? 0)) widest = index
    }
    const room = widths[widest]
    if (room === undefined) return false
    widths[widest] = room - 1
  }
  return true
}
