/** Tables: aligned with a header for people, tab-separated without one for programs. */
import { columnsOf, cut, oneLine } from './text.js'

export interface Column<Row> {
  /** In capitals, as the header shows it. */
  title: string
  cell(row: Row): string
  align?: 'right'
  /** Gives way when the line is too long for the terminal. */
  shrinks?: true
  /** Is left out where the line is still too long, the last column first. */
  drops?: true
}

const gap = '  '
const min = 8

/** The header and the rows as aligned lines, cut to `width` columns where columns may shrink or be left out. */
export function alignedTable<Row>(columns: ReadonlyArray<Column<Row>>, rows: readonly Row[], width: number): string[] {
  const displayed = [...columns]
  for (;;) {
    const body = rows.map((row) => displayed.map((each) => oneLine(each.cell(row))))
    const cells = [displayed.map((each) => each.title), ...body]
    const widths = displayed.map((_, index) => Math.max(...cells.map((line) => columnsOf(line[index] ?? ''))))
    const fits = shrink(displayed, widths, width)
    const dropped = displayed.findLastIndex((each) => each.drops === true)
    if (fits || dropped < 0) return cells.map((line) => aligned(displayed, line, widths))
    displayed.splice(dropped, 1)
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

/** One line per row, cells parted by tabs, nothing cut and no header. */
export function tabbedTable<Row>(columns: ReadonlyArray<Column<Row>>, rows: readonly Row[]): string[] {
  return rows.map((row) => columns.map((each) => oneLine(each.cell(row))).join('\t'))
}

/** Takes from the widest column that may shrink until the line fits; answers whether it does. */
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
