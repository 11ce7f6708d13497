/** Formats durations in the language of the reader. */
import type { Language } from '../../../base/words.js'

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** Formats a duration in seconds with its two largest units: `2 hours, 5 minutes`. */
export function durationText(seconds: number, language: Language): string {
  const parts: string[] = []
  let rest = seconds
  const first = UNITS.findIndex(([, size]) => rest >= size)
  for (const [unit, size] of UNITS.slice(first === -1 ? 3 : first, (first === -1 ? 3 : first) + 2)) {
    const value = unit === 'second' ? Math.round(rest * 1000) / 1000 : Math.floor(rest / size)
    rest -= value * size
    if (value > 0 || parts.length === 0) parts.push(new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value))
  }
  return parts.join(', ')
}
