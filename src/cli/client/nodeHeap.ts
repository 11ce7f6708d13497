/**
 * Limits the heap of a process that runs a node. V8 collects while it allocates, so that a node that becomes idle would retain the
 * garbage of its work, a young generation of the maximum size, and the native buffers that unreachable objects hold. On the other
 * hand, V8 would collect a small heap for each 13 MB of file contents that pass through buffers: a quarter of the processor time of
 * uploads.
 */
import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** Interval at which a process looks whether it is idle. */
const PERIOD_MS = 750
/** Number of idle intervals before a collection. For seconds after one, calls take up to twice the processor time. */
const IDLE_PERIODS = 14
/** Share of an interval in which an idle process works at most: timers use 0.2 percent, five calls per second 0.8. */
const IDLE_SHARE = 0.005
/** Idle intervals that one with work outweighs, so that a single job, or a pause of the machine, only delays a collection. */
const BUSY_PERIOD = 4
/**
 * Number of idle intervals, a quarter of an hour, after which a collection is due although the heap has not grown: caches have
 * released by then what is unused.
 */
const LONG_IDLE_PERIODS = 1200
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
    const rule = createCollectionRule()
    let before = performance.eventLoopUtilization()
    limitGrowth()
    const watch = setInterval(() => {
      const { utilization } = performance.eventLoopUtilization(before)
      before = performance.eventLoopUtilization()
      limitGrowth()
      if (!rule.isDue(utilization, getHeapStatistics().total_heap_size)) return
      void collect().then(
        () => rule.collected(getHeapStatistics().total_heap_size),
        // A Node.js without an inspector.
        () => clearInterval(watch),
      )
    }, PERIOD_MS)
    watch.unref()
  }
}

/** Growth between collections in percent, for the heap of a command. */
const COMMAND_PERCENT = 50

/**
 * Limits the heap of a command that calls methods of a closed store (offline.ts): its garbage would be several times its live heap of
 * 30 MB. An import needs 50 to 100 MB less, in 0.8 to 1.2 times the time.
 */
export const limitCommandHeap = (): void => setFlagsFromString(`--heap-growing-percent=${COMMAND_PERCENT}`)

/** Decides when to collect. Sizes are those of the heap, in bytes. */
interface CollectionRule {
  /** Called once per interval, with the share of it in which the process worked. */
  isDue(share: number, size: number): boolean
  collected(size: number): void
}

export function createCollectionRule(): CollectionRule {
  let least = 0
  // The garbage of the start need not wait: little code is compiled yet.
  let needed = 1
  let idle = 0
  let longIdle = 0
  return {
    isDue(share, size) {
      const isBusy = share > IDLE_SHARE
      idle = isBusy ? Math.max(0, idle - BUSY_PERIOD) : Math.min(needed, idle + 1)
      longIdle = isBusy ? Math.max(0, longIdle - BUSY_PERIOD) : longIdle + 1
      return (idle >= needed && size >= least) || longIdle >= LONG_IDLE_PERIODS
    },
    collected(size) {
      least = size + WORTH_BYTES
      needed = IDLE_PERIODS
      idle = 0
      longIdle = 0
    },
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
