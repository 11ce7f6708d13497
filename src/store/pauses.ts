/** Long work on one thread: it lets others have their turn again and again. */

/** Thrown by work for a caller that is not there any more. */
export class CallerGone extends Error {
  constructor() {
    super('Nobody waits for the answer any more.')
    this.name = 'CallerGone'
  }
}

/** Answers a promise to wait for when the others have waited long enough, else undefined. */
export type Pause = () => Promise<void> | undefined

/** Pauses after each `mostMs` milliseconds of work; `each` is called at every pause, and may throw. */
export function createPause(mostMs: number, each: () => void = () => {}): Pause {
  let since = performance.now()
  return () => {
    if (performance.now() - since < mostMs) return undefined
    each()
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}

/** How long work goes on before others have their turn. */
const TURN_MS = 8

/** Pauses of work for one caller, which end it once that is gone. @throws CallerGone from the pause */
export const pauseFor = (refuseGone?: () => void): Pause => createPause(TURN_MS, refuseGone)

/** Items between two looks at the time. */
const STEP = 50

/** Filters items by a condition that may be slow, with pauses. */
export async function filtered<T>(items: readonly T[], keep: (item: T) => boolean, pause: Pause): Promise<T[]> {
  const kept: T[] = []
  for (let at = 0; at < items.length; at += STEP) {
    for (const item of items.slice(at, at + STEP)) if (keep(item)) kept.push(item)
    const pausing = pause()
    if (pausing !== undefined) await pausing
  }
  return kept
}
