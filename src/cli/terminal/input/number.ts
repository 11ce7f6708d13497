/** Parses typed numbers. */

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** Parses a number; undefined when the word is not one, or out of range. */
export function readNumber(word: string): number | undefined {
  const value = number.test(word) ? Number(word) : NaN
  return Number.isFinite(value) ? value : undefined
}
