/** Formats amounts, sizes and times for people. */

/** Formats a number: `41,209`. Whole numbers need no locale, whose data take 25 ms to load. */
export const amount = (n: number): string =>
  Number.isSafeInteger(n) ? String(n).replace(/\B(?=(\d{3})+$)/g, ',') : n.toLocaleString('en-US')

/** Formats a number with its noun: `1 account`, `3 accounts`. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${amount(n)} ${n === 1 ? one : many}`

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** Formats a size: `1.2 GB`. */
export function bytes(n: number): string {
  let value = n
  let unit = 0
  // 999.5 kB would be shown as 1000 kB.
  while (value >= (unit === 0 ? 1000 : 999.5) && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit] ?? ''}`
}

/** Formats an age: `3 min ago`; `time` and `now` are seconds since the epoch; a dash for never. */
export function ago(time: number | undefined, now: number): string {
  if (time === undefined) return '—'
  const seconds = now - time
  if (seconds < 60) return 'just now'
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  if (seconds < 30 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`
  return when(time).slice(0, 10)
}

/** Formats a duration in seconds: `5 min`. */
export function span(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  if (seconds < 129_600) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

/** Formats a time as `2026-11-21 10:02:03`, in the zone of the terminal. */
export function when(time: number): string {
  const date = new Date(time * 1000)
  if (Number.isNaN(date.getTime())) return `${time} s`
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(time)}`
}

/** Formats the time of day as `10:02:03`, in the zone of the terminal. */
export function clock(time: number): string {
  const date = new Date(time * 1000)
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

const two = (n: number): string => String(n).padStart(2, '0')

/** Returns a second-factor method as shown in lists: `app`, `sms`, or a dash for none. */
export function factorWord(method: unknown): string {
  if (method === 'totp') return 'app'
  return typeof method === 'string' ? method : '—'
}
