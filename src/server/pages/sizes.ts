/** Formats sizes in the language of the reader. */
import type { Language } from '../base/words.js'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Formats a number of bytes with the decimal unit that suits it: `512 byte`, `4.1 MB`. */
export function sizeText(bytes: number, language: Language): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1)
  const value = bytes / 1000 ** power
  const format = new Intl.NumberFormat(language, { style: 'unit', unit: UNITS[power] ?? 'byte', maximumFractionDigits: power === 0 || value >= 100 ? 0 : 1 })
  return format.format(value)
}
