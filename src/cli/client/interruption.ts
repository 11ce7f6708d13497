/** Handles Ctrl-C in commands that run until then. */

export interface Interruption {
  /** Resolves to the result of a promise, or to `interrupted` when Ctrl-C comes first. */
  or<T>(promise: Promise<T>): Promise<T | 'interrupted'>
  /** Restores the default handling of Ctrl-C. */
  end(): void
}

/** Intercepts the first Ctrl-C, which then does not end the process. */
export function interruption(): Interruption {
  let isOver = false
  let give: (word: 'interrupted') => void = () => undefined
  const taken = (): void => {
    isOver = true
    give('interrupted')
  }
  process.once('SIGINT', taken)
  return {
    end: () => void process.off('SIGINT', taken),
    or: (promise) =>
      isOver
        ? Promise.resolve('interrupted')
        : // Promise.race with one promise for Ctrl-C would keep something of each turn for as long as the command goes on.
          new Promise((take, fail) => {
            give = take
            promise.then(take, fail)
          }),
  }
}
