/** Statistics of HTTP calls in the last minute: count, outcome, durations. Uses a constant few kilobytes. */

interface RequestStats {
  /** Records a call answered with `status` after `ms` milliseconds. */
  note(ms: number, status: number): void
  read(): MinuteFigures
}

interface MinuteFigures {
  calls: number
  /** Calls answered with 5xx (`failed`) and 4xx (`refused`). */
  failed: number
  refused: number
  /** Median and 99th percentile of the duration in milliseconds, accurate to about a quarter; null without calls. */
  p50: number | null
  p99: number | null
}

const SECONDS = 60
/** Number of duration buckets, which grow by the cube root of two from 0.1 ms to 30 s. */
const STEPS = 56
const MIN_MS = 0.1

const stepOf = (ms: number): number => Math.max(0, Math.min(STEPS - 1, Math.ceil(3 * Math.log2(Math.max(ms, MIN_MS) / MIN_MS))))

/** @param seconds a monotonic clock in seconds */
export function createRequestStats(seconds: () => number = () => performance.now() / 1000): RequestStats {
  const slots = Array.from({ length: SECONDS }, () => ({ second: -1, failed: 0, refused: 0, steps: new Uint32Array(STEPS) }))
  return {
    note(ms, status) {
      const second = Math.floor(seconds())
      const slot = slots[second % SECONDS]
      if (slot === undefined) return
      if (slot.second !== second) {
        slot.second = second
        slot.failed = slot.refused = 0
        slot.steps.fill(0)
      }
      const step = stepOf(ms)
      slot.steps[step] = (slot.steps[step] ?? 0) + 1
      if (status >= 500) slot.failed += 1
      else if (status >= 400) slot.refused += 1
    },
    read() {
      const now = Math.floor(seconds())
      const live = slots.filter(({ second }) => second >= 0 && now - second < SECONDS)
      const steps = Array.from({ length: STEPS }, (_, step) => live.reduce((sum, slot) => sum + (slot.steps[step] ?? 0), 0))
      const sum = (of: 'failed' | 'refused'): number => live.reduce((total, slot) => total + slot[of], 0)
      return {
        calls: steps.reduce((total, count) => total + count, 0),
        failed: sum('failed'),
        refused: sum('refused'),
        p50: percentile(steps, 0.5),
        p99: percentile(steps, 0.99),
      }
    },
  }
}

/** Returns the duration not exceeded by a share of all calls. */
function percentile(steps: readonly number[], share: number): number | null {
  const all = steps.reduce((total, count) => total + count, 0)
  let passed = 0
  for (const [step, count] of steps.entries()) {
    passed += count
    if (count > 0 && passed >= share * all) return Number((MIN_MS * 2 ** (step / 3)).toPrecision(2))
  }
  return null
}

/** Needed by functions that count HTTP requests. */
export interface RequestStatsDeps {
  readonly requestStats: RequestStats
}
