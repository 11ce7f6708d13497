/** Writing CSV (RFC 4180). */

/** A line with its line break: `1,"a ""b"""` */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`
}
