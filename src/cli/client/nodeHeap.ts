/**
 * Limits the heap of a process that runs a node. V8 collects while it allocates, so that a node that becomes idle would retain the
 * garbage of its work, a young generation of the maximum size, and the native buffers that unreachable objects hold.
 */
import { performance, type EventLoopUtilization } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** Interval at which a process looks whether it is idle. */
const PERIOD_MS = 750
/** Share of an interval that an idle process uses at most. */
const IDLE_SHARE = 0.02
/** Growth of the heap, in bytes, that is worth a collection. */
const WORTH_BYTES = 16 * 1024 * 1024
/** Default growth factor of V8. */
const GROWTH = 2

/**
 * Keeps the young generation small while a node is opened, which leaves garbage. Returns a function to call once the node is open:
 * it lifts the limit, and from then on collects garbage whenever the process is idle and the heap has grown.
 */
export function limitHeap(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1')
  return () => {
    setFlagsFromString(`--semi-space-growth-factor=${GROWTH}`)
    let before = performance.eventLoopUtilization()
    let collected = 0
    const watch = setInterval(() => {
      const isIdle = shareSince(before) < IDLE_SHARE
      before = performance.eventLoopUtilization()
      if (!isIdle || getHeapStatistics().total_heap_size < collected + WORTH_BYTES) return
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

/** Returns the share of time since `before` in which the event loop did not wait. */
const shareSince = (before: EventLoopUtilization): number => performance.eventLoopUtilization(before).utilization

/**
 * Collects all garbage. The inspector's collection gives memory back to the system, the young generation included; `gc` of V8 does
 * not. It takes about 80 ms for a heap of 30 MB.
 */
async function collect(): Promise<void> {
  const { Session } = await import('node:inspector')
  const session = new Session()
  session.connect()
  try {
    await new Promise<void>((resolve) => session.post('HeapProfiler.collectGarbage', () => resolve()))
  } finally {
    session.disconnect()
  }
}
