/** A few numbers as one short word of characters. */

const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
const PLAIN = ['_', '.', '-', '=', '^']

/** One character for each number, from the lowest to the highest of them; `plain` uses ASCII alone. */
export function sparkline(values: readonly number[], plain: boolean): string {
  const marks = plain ? PLAIN : BLOCKS
  const min = Math.min(...values)
  const range = Math.max(...values) - min
  const middle = Math.floor((marks.length - 1) / 2)
  // Of numbers as large as they can be, the range is infinite.
  const mark = (value: number): number => (range > 0 ? Math.round((value / range - min / range) * (marks.length - 1)) : middle)
  return values.map((value) => marks[mark(value)] ?? '').join('')
}
