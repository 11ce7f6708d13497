/** Proposes the columns of times and values from the header and the first rows. */
import { usageError } from '../../../framework/exit.js'
import { printable } from '../../output/text.js'
import type { Terminal } from '../../terminal.js'
import { askLine } from '../confirm.js'
import { hasNoClock, looksLikeClock, looksLikeDate } from './dates.js'
import { looksNumeric } from './csvNumber.js'

/** The names of the columns, and rows of the same number of cells. */
export interface TableHead {
  names: readonly string[]
  rows: readonly (readonly string[])[]
}

const TIME_WORDS = new Set(
  'time date datetime timestamp ts when datum zeit zeitpunkt zeitstempel uhrzeit messzeit heure horodatage jour fecha hora data ora tijd tid dato recorded measured'.split(' '),
)
const VALUE_WORDS = new Set('value values reading content amount wert messwert valeur mesure valor valore waarde'.split(' '))
const COUNTER_WORDS = new Set('id nr no num number index row line zeile lfd'.split(' '))

const hasWord = (name: string, words: ReadonlySet<string>): boolean => name.toLowerCase().split(/[^\p{L}]+/u).some((word) => words.has(word))

/** A column that was found, or those that a person may choose from. */
type Proposal = { at: number } | { candidates: readonly number[] }

/** Checks the cells of a column that are not empty: four in five must match, and at least one. */
function isMostly({ rows }: TableHead, at: number, matches: (cell: string) => boolean): boolean {
  const cells = rows.map((row) => (row[at] ?? '').trim()).filter((cell) => cell !== '')
  return cells.length > 0 && cells.filter(matches).length * 5 >= cells.length * 4
}

const indexes = ({ names }: TableHead): number[] => names.map((_, at) => at)

const only = (found: readonly number[]): Proposal | undefined => (found[0] !== undefined && found.length === 1 ? { at: found[0] } : undefined)

/** Proposes the column of the time: the only one with dates, or the only numeric one that is named as a time. */
export function proposeTime(head: TableHead): Proposal {
  const dates = indexes(head).filter((at) => isMostly(head, at, looksLikeDate))
  const named = (some: readonly number[]): number[] => some.filter((at) => hasWord(head.names[at] ?? '', TIME_WORDS))
  if (dates.length > 0) return only(dates) ?? only(named(dates)) ?? { candidates: dates }
  const numeric = named(indexes(head)).filter((at) => isMostly(head, at, looksNumeric))
  const others = named(indexes(head))
  return only(numeric) ?? (head.rows.length === 0 ? only(others) : undefined) ?? { candidates: numeric.length > 0 ? numeric : indexes(head) }
}

/** Returns the only column with times of day, for dates that have none; undefined without such a column. */
export function proposeClock(head: TableHead, timeAt: number): number | undefined {
  if (!isMostly(head, timeAt, looksLikeDate) || !isMostly(head, timeAt, hasNoClock)) return undefined
  const found = indexes(head).filter((at) => at !== timeAt && isMostly(head, at, looksLikeClock))
  return found.length === 1 ? found[0] : undefined
}

/**
 * Proposes the column of the value among the others: the only one with numbers, or the one that is named as a value.
 * @param isText true when values are texts: then the only other column, or the one that is named as a value
 */
export function proposeValue(head: TableHead, used: ReadonlySet<number>, isText: boolean): Proposal {
  const others = indexes(head).filter((at) => !used.has(at))
  const numeric = others.filter((at) => isMostly(head, at, looksNumeric) && !hasWord(head.names[at] ?? '', COUNTER_WORDS))
  const fitting = isText || head.rows.length === 0 ? others : numeric
  const named = fitting.filter((at) => hasWord(head.names[at] ?? '', VALUE_WORDS))
  return only(fitting) ?? only(named) ?? { candidates: fitting.length > 0 ? fitting : others }
}

/** Returns the position of a named column. @throws CommandError 2 when there is none, or several */
export function columnNamed(names: readonly string[], name: string): number {
  const place = names.indexOf(name)
  if (place < 0) throw usageError(`There is no column ${name}`, columnsHint(names))
  if (names.includes(name, place + 1)) throw usageError(`Column ${name} exists more than once`)
  return place
}

/** Returns the hint that lists the columns. */
export const columnsHint = (names: readonly string[]): string => `The columns are: ${names.join(', ')}`

/**
 * Returns the proposed column, or asks a person to choose one.
 * @param missing the option to name without a terminal for prompts: `--time-column <column>`
 * @throws CommandError 2 without a terminal for prompts, 130 on cancellation
 */
export async function chooseColumn(terminal: Terminal | undefined, { names }: TableHead, proposal: Proposal, { what, missing }: { what: string; missing: string }): Promise<number> {
  if ('at' in proposal) return proposal.at
  if (terminal?.mayAsk !== true) throw usageError(`${missing} is missing`, columnsHint(names))
  const { candidates } = proposal
  terminal.writeStderr(`Which column is ${what}?\n`)
  for (const [index, at] of candidates.entries()) terminal.writeStderr(`  ${index + 1}  ${printable(names[at] ?? '')}\n`)
  for (;;) {
    const answer = (await askLine(terminal, `Number or name: `)).trim()
    const found = candidates[Number(answer) - 1] ?? candidates.find((at) => names[at] === answer)
    if (found !== undefined) return found
    terminal.writeStderr(`Type a number from 1 to ${candidates.length}, or Ctrl-C to cancel.\n`)
  }
}
