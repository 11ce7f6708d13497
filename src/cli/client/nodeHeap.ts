/**
 * Limits the heap of a process that runs a node. V8 collects while it allocates, so that a node that becomes idle would retain the
 * garbage of its work, a young generation of the maximum size, and the native buffers that unreachable objects hold. On the other
 * hand, V8 would collect a small heap for each 13 MB of file contents that pass through buffers, which costs more than the rest of
 * an upload.
 */
import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** Interval at which a process looks whether it is idle. */
const PERIOD_MS = 750
/** Number of idle intervals before a collection. Code is compiled anew after it: for seconds, calls take twice the processor time. */
const IDLE_PERIODS = 14
/** Share of an interval that an idle process uses at most. */
const IDLE_SHARE = 0.02
const MEGABYTE = 1024 * 1024
/** Growth of the heap that is worth a collection while idle. */
const WORTH_BYTES = 16 * MEGABYTE
/** Growth between two collections under load, buffers included. Measured against 13 MB: 1.3 times the uploads. */
const GROWTH_BYTES = 64 * MEGABYTE
/** Least growth in percent, for large heaps. */
const LEAST_PERCENT = 25
/** Growth of an estimate of the live heap per interval, if nothing smaller was seen. */
const FORGETTING = 1.05
/** Default growth factor of the young generation. */
const YOUNG_GROWTH = 2

/**
 * Keeps the young generation small while a node is opened, which leaves garbage. Returns a function to call once the node is open:
 * it lifts the limit, collects the garbage of the start, and from then on collects when the process is idle and the heap has grown.
 */
export function limitHeap(collect = collectGarbage): () => void {
  setFlagsFromString('--semi-space-growth-factor=1')
  return () => {
    setFlagsFromString(`--semi-space-growth-factor=${YOUNG_GROWTH}`)
    const limitGrowth = growthLimiter()
    limitGrowth()
    let before = performance.eventLoopUtilization()
    let collected = 0
    let idle = 0
    const watch = setInterval(() => {
      const { utilization } = performance.eventLoopUtilization(before)
      before = performance.eventLoopUtilization()
      limitGrowth()
      idle = utilization > IDLE_SHARE ? 0 : idle + 1
      // The garbage of the start need not wait: little code is compiled yet.
      const needed = collected === 0 ? 1 : IDLE_PERIODS
      if (idle < needed || getHeapStatistics().total_heap_size < collected + WORTH_BYTES) return
      void collect().then(
        () => {
          collected = getHeapStatistics().total_heap_size
          before = performance.eventLoopUtilization()
        },
        // A Node.js without an inspector.
        () => clearInterval(watch),
      )
    }, PERIOD_MS)
    watch.unref()
  }
}

/** Returns a function that sets the growth of the heap between collections by the size of the live heap, as seen in its calls. */
function growthLimiter(): () => void {
  let live = Infinity
  let last = 0
  return () => {
    live = Math.min(getHeapStatistics().used_heap_size, live * FORGETTING)
    const percent = growthPercent(live)
    if (percent === last) return
    last = percent
    setFlagsFromString(`--heap-growing-percent=${percent}`)
  }
}

/** Returns the growth of a heap of `live` bytes between collections, in percent, in steps of a quarter of the live heap. */
export const growthPercent = (live: number): number => Math.max(1, Math.round((4 * GROWTH_BYTES) / live)) * LEAST_PERCENT

/**
 * Collects all garbage. The inspector's collection gives memory back to the system, the young generation included; `gc` of V8 does
 * not. It takes about 80 ms for a heap of 30 MB.
 */
export async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector')
  const session = new Session()
  session.connect()
  try {
    await new Promise<void>((resolve) => session.post('HeapProfiler.collectGarbage', () => resolve()))
  } finally {
    session.disconnect()
  }
}
