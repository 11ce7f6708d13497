/** Long work on one thread: it lets others have their turn again and again. */

/** Error thrown by work whose caller has disconnected. */
export class CallerGone extends Error {
  constructor() {
    super('Nobody waits for the answer any more.')
    this.name = 'CallerGone'
  }
}

/** Answers a promise to wait for when the others have waited long enough, else undefined. */
export type Yielder = () => Promise<void> | undefined

/** Pauses after each `mostMs` milliseconds of work; calls `each` at every pause, which may throw. */
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

/** Pauses of work for one caller, which end the work once it has disconnected. @throws CallerGone from the pause */
export const yieldEvery = (refuseGone?: () => void): Yielder => createYielder(TURN_MS, refuseGone)

/** Items between two checks of the clock. */
const STEP = 50

/** Filters items by a possibly slow condition, with pauses. */
export async function filtered<T>(items: readonly T[], keep: (item: T) => boolean, pause: Yielder): Promise<T[]> {
  const stored: T[] = []
  for (let at = 0; at < items.length; at += STEP) {
    for (const item of items.slice(at, at + STEP)) if (keep(item)) stored.push(item)
    const pausing = pause()
    if (pausing !== undefined) await pausing
  }
  return stored
}
