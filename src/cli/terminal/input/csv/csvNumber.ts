/** Numbers with a decimal point or a decimal comma, and groups of three digits. */
import { readNumber } from '../number.js'

export type Decimal = 'point' | 'comma'

const SIGN = { point: '.', comma: ',' } as const
/** Digits in groups that spaces or apostrophes separate: `1'234.5`, `1 234,5`. */
const SPACED = /^[+-]?\d{1,3}(?:['’ \u00a0\u2009\u202f]\d{3})+(?:[.,]\d+)?$/

/** Parses a cell; undefined for other texts. */
export type NumberReader = (cell: string) => number | undefined

/**
 * Creates a reader of numbers. While the decimal sign is unknown, it accepts both where only one meaning is possible.
 * @param isGiven true when a person chose the sign: then `1.234` with a decimal comma is 1234
 */
export function numberReader(decimal: Decimal | undefined, isGiven = false): NumberReader {
  if (decimal !== undefined) return (cell) => readWith(decimal, isGiven, cell)
  return (cell) => readWith('point', false, cell) ?? (evidence(cell.trim()) === 'comma' ? readWith('comma', false, cell) : undefined)
}

function readWith(decimal: Decimal, isGiven: boolean, cell: string): number | undefined {
  let word = cell.trim()
  if (SPACED.test(word)) word = word.replace(/['’ \u00a0\u2009\u202f]/g, '')
  const other = decimal === 'point' ? ',' : '.'
  if (word.includes(other)) {
    if (!isGrouped(word, decimal, isGiven)) return undefined
    word = word.replaceAll(other, '')
  }
  return readNumber(decimal === 'point' ? word : word.replace(',', '.'))
}

/** Checks for groups separated by the other sign: `1.234.567`, `1.234,5`; `1.234` only when the sign was chosen. */
function isGrouped(word: string, decimal: Decimal, isGiven: boolean): boolean {
  const shape = decimal === 'comma' ? /^[+-]?\d{1,3}((?:\.\d{3})+)(,\d+)?$/ : /^[+-]?\d{1,3}((?:,\d{3})+)(\.\d+)?$/
  const found = shape.exec(word)
  return found !== null && (isGiven || found[2] !== undefined || (found[1]?.length ?? 0) > 4)
}

/** Checks for any form of a number. */
export const looksNumeric = (cell: string): boolean => numberReader('point', true)(cell) !== undefined || numberReader('comma', true)(cell) !== undefined

/** Decimal sign of one number, or that either is possible (`1,234`). */
type Evidence = Decimal | 'either-comma' | 'either-point' | undefined

function evidence(word: string): Evidence {
  const plain = SPACED.test(word) ? word.replace(/['’ \u00a0\u2009\u202f]/g, '') : word
  const found = /^[+-]?(\d*)((?:[.,]\d*)+)(?:e[+-]?\d+)?$/i.exec(plain)
  if (found === null) return undefined
  const [, lead = '', rest = ''] = found
  const signs = rest.replace(/\d/g, '')
  const last = signs.at(-1) === ',' ? 'comma' : 'point'
  if (signs.includes(',') && signs.includes('.')) return last
  // Several equal signs separate groups.
  if (signs.length > 1) return last === 'comma' ? 'point' : 'comma'
  const mayGroup = rest.length === 4 && lead.length >= 1 && lead.length <= 3 && !lead.startsWith('0') && plain === word
  if (!mayGroup) return last
  return last === 'comma' ? 'either-comma' : 'either-point'
}

/**
 * Detects the decimal sign of numbers; undefined when none has one.
 * @param delimiter of the cells; with another than a comma, a single comma is the decimal sign
 */
export function detectDecimal(cells: readonly string[], delimiter: string): Decimal | 'ambiguous' | undefined {
  const count: Record<NonNullable<Evidence>, number> = { point: 0, comma: 0, 'either-comma': 0, 'either-point': 0 }
  for (const cell of cells) {
    const found = evidence(cell.trim())
    if (found !== undefined) count[found] += 1
  }
  if (count.comma > 0 || count.point > 0) return count.comma > count.point ? 'comma' : 'point'
  if (count['either-comma'] > 0) return delimiter === ',' || count['either-point'] > 0 ? 'ambiguous' : 'comma'
  return count['either-point'] > 0 ? 'point' : undefined
}

/** Returns the first number that may be meant in two ways: `1,234`. */
export const ambiguousNumber = (cells: readonly string[]): string | undefined => cells.find((cell) => evidence(cell.trim())?.startsWith('either') === true)

/** Returns `decimal comma`. */
export const decimalLabel = (decimal: Decimal): string => `decimal ${decimal}`

/** Parses the value of `--decimal`. @throws Error that states what was expected */
export function decimalNamed(word: string): Decimal {
  const found = (['point', 'comma'] as const).find((each) => each === word || SIGN[each] === word)
  if (found === undefined) throw new Error('comma or point')
  return found
}
