/**
 * The heap of a process that starts a node and then waits. Loading and verifying leave much behind that nobody collects
 * while nothing happens: V8 has by then made its young generation as large as it gets, and holds buffers of files that were
 * read once.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A node that has just opened answers first. */
const AFTER_MS = 1000
/** V8's own. */
const GROWTH = 2

/**
 * Keeps the young generation small from here on. Answers what is to be called once the node is open: from then on it
 * grows as calls need it, and what the start left is collected a moment later.
 */
export function sparingStart(): () => void {
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
