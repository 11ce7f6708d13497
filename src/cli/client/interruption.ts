/** Handles Ctrl-C in commands that run until then, or that remove partial results. */
import { CommandError } from '../framework/exit.js'

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

/**
 * Yields the same chunks until Ctrl-C.
 * @throws CommandError 130 with `message` on Ctrl-C
 */
export async function* abortOnInterrupt<T>(chunks: AsyncIterable<T>, stopping: Interruption, message: string): AsyncGenerator<T> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const coming = iterator.next()
      // Errors after Ctrl-C are its consequence.
      coming.catch(() => undefined)
      const next = await stopping.or(coming)
      if (next === 'interrupted') throw new CommandError(message, { exit: 130 })
      if (next.done === true) return
      yield next.value
    }
  } finally {
    // An iterator that waits for its next chunk ends when that arrives, or when the process exits.
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
