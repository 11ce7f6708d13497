/** Long work on one thread: it lets others have their turn again and again. */

/** Answers a promise to wait for when the others have waited long enough, else undefined. */
export type Pause = () => Promise<void> | undefined

/** Pauses after each `mostMs` milliseconds of work; `each` is called at every pause. */
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
