/**
 * Limits the heap of a process that starts a node and then idles. Loading and verifying leave garbage that is not
 * collected while idle: V8 has grown its young generation to the maximum, and retains buffers of files read once.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Delay of the garbage collection, so that a newly opened node answers first. */
const AFTER_MS = 1000
/** Default growth factor of V8. */
const GROWTH = 2

/**
 * Keeps the young generation small from now on. Returns a function to call once the node is open: it lifts the limit,
 * and collects the garbage of the start shortly after.
 */
export function limitStartupHeap(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1')
  return () => {
    setFlagsFromString(`--semi-space-growth-factor=${GROWTH}`)
    setTimeout(() => {
      setFlagsFromString('--expose-gc')
      const collect = runInNewContext('gc') as () => void
      setFlagsFromString('--no-expose-gc')
      collect()
    }, AFTER_MS).unref()
  }
}
