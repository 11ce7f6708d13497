/** Detects the character between the cells of a table. */
import { createCsvReader, type CsvRow } from './csvReader.js'

/** In the order of preference when several fit: text contains the later ones more often. */
const CANDIDATES = ['\t', ';', '|', ',']
const MAX_ROWS = 1000

/** Returns the delimiter that the first line states for Excel, `sep=;`. */
export const statedDelimiter = (head: string): string | undefined => /^"?sep=([^"\r\n])"?\r?(?:\n|$)/i.exec(head)?.[1]

/** Parses the rows of the first lines of a file. */
export function headRows(head: string, delimiter: string, isWhole: boolean): CsvRow[] {
  const reader = createCsvReader(delimiter)
  return [...reader.feed(head), ...(isWhole ? reader.end() : [])].slice(0, MAX_ROWS)
}

/** Detects the delimiter by which most rows have as many cells as the header; `otherwise` when no line has two cells. */
export function detectDelimiter(head: string, isWhole: boolean, otherwise = ','): string {
  const scores = CANDIDATES.map((sign) => ({ sign, ...scoreOf(headRows(head, sign, isWhole)) })).filter(({ cells }) => cells > 1)
  const best = Math.max(0, ...scores.map(({ share }) => share))
  return scores.find(({ share }) => share === best)?.sign ?? otherwise
}

function scoreOf(all: readonly CsvRow[]): { share: number; cells: number } {
  const rows = all.filter(({ problem }) => problem === undefined)
  const cells = rows[0]?.cells.length ?? 0
  const others = rows.slice(1)
  const same = others.filter((row) => row.cells.length === cells).length
  return { cells, share: others.length === 0 ? 1 : same / others.length }
}
