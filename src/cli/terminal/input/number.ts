/** Numbers as people and files write them. */

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** The number that a word stands for; undefined when it is none, or beyond what can be kept. */
export function readNumber(word: string): number | undefined {
  const value = number.test(word) ? Number(word) : NaN
  return Number.isFinite(value) ? value : undefined
}
