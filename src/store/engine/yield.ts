/** Cooperative scheduling of long work on the event loop. */

/** Error thrown by work whose caller has disconnected. */
export class CallerGone extends Error {
  constructor() {
    super('The client has disconnected.')
    this.name = 'CallerGone'
  }
}

/** Returns a promise to await when it is time to yield, otherwise undefined. */
export type Yielder = () => Promise<void> | undefined

/** Yields after each `maxMs` milliseconds of work; calls `each` at every yield, which may throw. */
export function createYielder(maxMs: number, each: () => void = () => {}): Yielder {
  let since = performance.now()
  return () => {
    if (performance.now() - since < maxMs) return undefined
    each()
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}

/** Milliseconds of work before yielding to other work. */
const TURN_MS = 8

/**
 * Yields during work for one caller, and ends the work once the caller has disconnected.
 * @throws CallerGone from the promise
 */
export const yieldEvery = (assertConnected?: () => void): Yielder => createYielder(TURN_MS, assertConnected)

/** Items between two checks of the clock. */
const STEP = 50

/** Filters items by a possibly slow condition, yielding in between. */
export async function filtered<T>(items: readonly T[], keep: (item: T) => boolean, pause: Yielder): Promise<T[]> {
  const matching: T[] = []
  for (let at = 0; at < items.length; at += STEP) {
    for (const item of items.slice(at, at + STEP)) if (keep(item)) matching.push(item)
    const pausing = pause()
    if (pausing !== undefined) await pausing
  }
  return matching
}
