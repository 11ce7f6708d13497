/** Draws a few numbers as a sparkline. */

const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
const PLAIN = ['_', '.', '-', '=', '^']

/** Returns one character per number, scaled from lowest to highest; `plain` uses ASCII only. */
export function sparkline(values: readonly number[], plain: boolean): string {
  const marks = plain ? PLAIN : BLOCKS
  const min = Math.min(...values)
  const range = Math.max(...values) - min
  const middle = Math.floor((marks.length - 1) / 2)
  // The range of the largest numbers overflows to infinity.
  const mark = (value: number): number => (range > 0 ? Math.round((value / range - min / range) * (marks.length - 1)) : middle)
  return values.map((value) => marks[mark(value)] ?? '').join('')
}
