/**
 * Writing CSV (RFC 4180). Programs for tables take a cell that begins with one of some signs for a formula, which can call other
 * programs: such a cell gets an apostrophe in front, unless it is a plain number. So does one that looks as if it had got one, so that
 * reading takes off exactly what was put in front.
 */

const FORMULA = /^'*[=+\-@\t\r]/
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** A cell that no program takes for a formula. */
const neutral = (cell: string): string => (FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell)

/** Restores the cell that `csvLine` escaped. */
export const cellAsWritten = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell)

/** A line with its line break: `1,"a ""b""",'=1+1` */
export function csvLine(cells: readonly string[]): string {
  return `${cells
    .map(neutral)
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')}\n`
}

/** The columns of exported events. */
export const EVENT_COLUMNS = ['time', 'streams', 'type', 'content', 'id'] as const
