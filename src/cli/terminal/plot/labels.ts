/** Labels of chart axes. */
import { clock, when } from '../output/format.js'

/** Formats a number in at most ten characters. */
export function numberLabel(value: number): string {
  const rounded = Number(value.toPrecision(5))
  const text = String(rounded)
  // The largest numbers would be rounded up to infinity.
  return text.length <= 10 && Number.isFinite(rounded) ? text : value.toExponential(2)
}

/** Returns the time format for a span, in the zone of the terminal: longer spans show less of the time of day. */
export function timeLabel(span: number): (time: number) => string {
  if (span < 600) return clock
  if (span < 20 * 86_400) return (time) => when(time).slice(5, 16)
  return (time) => when(time).slice(0, 10)
}

/** Formats seconds after the start of a series: `1:02:03`, or with fractions for short spans. */
export function deltaLabel(span: number): (seconds: number) => string {
  if (span < 120) return (seconds) => `${Number(seconds.toFixed(span < 10 ? 3 : 1))} s`
  return (seconds) => {
    const whole = Math.round(Math.abs(seconds))
    const two = (n: number): string => String(n).padStart(2, '0')
    const sign = seconds < 0 ? '-' : ''
    return `${sign}${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
  }
}
