/** What stands at the axes of a chart. */
import { clock, when } from '../output/format.js'

/** A number in at most ten characters. */
export function numberLabel(value: number): string {
  const rounded = Number(value.toPrecision(5))
  const text = String(rounded)
  // The largest numbers there are would be rounded up to infinity.
  return text.length <= 10 && Number.isFinite(rounded) ? text : value.toExponential(2)
}

/** How times of a span are told, in the zone of the terminal: the longer it is, the less of the time of day. */
export function timeLabel(span: number): (time: number) => string {
  if (span < 600) return clock
  if (span < 20 * 86_400) return (time) => when(time).slice(5, 16)
  return (time) => when(time).slice(0, 10)
}

/** Seconds after the beginning of a series: `1:02:03`, or with fractions where the span is short. */
export function deltaLabel(span: number): (seconds: number) => string {
  if (span < 120) return (seconds) => `${Number(seconds.toFixed(span < 10 ? 3 : 1))} s`
  return (seconds) => {
    const whole = Math.round(Math.abs(seconds))
    const two = (n: number): string => String(n).padStart(2, '0')
    const sign = seconds < 0 ? '-' : ''
    return `${sign}${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
  }
}
