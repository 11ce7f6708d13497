/** Plots numbers over time with block characters. */

const EIGHTHS = ' ▁▂▃▄▅▆▇█'

/**
 * Returns the lines of a plot from top to bottom, one column per value. The lowest value is one eighth of a character
 * high; undefined leaves its column empty.
 */
export function plotLines(values: readonly (number | undefined)[], height: number): string[] {
  const known = values.filter((value) => value !== undefined)
  const min = Math.min(...known)
  const range = Math.max(...known) - min
  const steps = height * 8 - 1
  const eighths = values.map((value) => {
    if (value === undefined) return 0
    return 1 + (range > 0 ? Math.round(((value - min) / range) * steps) : Math.floor(steps / 2))
  })
  return Array.from({ length: height }, (_, line) => {
    const below = (height - 1 - line) * 8
    return eighths.map((filled) => EIGHTHS[Math.max(0, Math.min(8, filled - below))] ?? ' ').join('').trimEnd()
  })
}
