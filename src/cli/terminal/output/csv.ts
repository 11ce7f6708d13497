/**
 * Writes CSV (RFC 4180). Spreadsheets evaluate cells that start with certain characters as formulas: such cells get a
 * leading apostrophe, unless they are plain numbers. So do cells that look escaped already, so that reading is exact.
 */

const FORMULA = /^'*[=+\-@\t\r]/
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** Escapes a cell that a spreadsheet would take for a formula. */
const neutral = (cell: string): string => (FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell)

/** Restores the cell that `csvLine` escaped. */
export const cellAsWritten = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell)

/** Formats a line with its line break: `1,"a ""b""",'=1+1` */
export function csvLine(cells: readonly string[]): string {
  return `${cells
    .map(neutral)
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')}\n`
}

/** The columns of exported events. */
export const EVENT_COLUMNS = ['time', 'streams', 'type', 'content', 'id'] as const
