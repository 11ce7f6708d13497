/** Handles Ctrl-C in commands that run until it is pressed, or that remove partial results. */
import { CommandError } from '../framework/exit.js'

export interface Interruption {
  /** Resolves to the result of a promise, or to `interrupted` when Ctrl-C comes first. */
  or<T>(promise: Promise<T>): Promise<T | 'interrupted'>
  /** Checks whether Ctrl-C came. */
  isOver(): boolean
  /** Restores the default handling of Ctrl-C. */
  end(): void
}

/** Intercepts the first Ctrl-C, which then does not end the process. */
export function interruption(): Interruption {
  let isOver = false
  let settle: (word: 'interrupted') => void = () => undefined
  const onInterrupt = (): void => {
    isOver = true
    settle('interrupted')
  }
  process.once('SIGINT', onInterrupt)
  return {
    isOver: () => isOver,
    end: () => void process.off('SIGINT', onInterrupt),
    or: (promise) =>
      isOver
        ? Promise.resolve('interrupted')
        : // Promise.race with one promise for Ctrl-C would leak memory on every call.
          new Promise((resolve, reject) => {
            settle = resolve
            promise.then(resolve, reject)
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
      const pending = iterator.next()
      // Errors after Ctrl-C are its consequence.
      pending.catch(() => undefined)
      const next = await stopping.or(pending)
      if (next === 'interrupted') throw new CommandError(message, { exit: 130 })
      if (next.done === true) return
      yield next.value
    }
  } finally {
    // A waiting iterator ends when its next chunk arrives, or when the process exits.
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}

/**
 * Runs work that Ctrl-C ends: it checks `stopping`, or passes it on, and throws once it is over.
 * @param error creates the error after Ctrl-C: what was done, and how to continue
 */
export async function untilInterrupted<T>(work: (stopping: Interruption) => Promise<T>, error: () => CommandError): Promise<T> {
  const stopping = interruption()
  try {
    return await work(stopping)
  } catch (cause) {
    throw stopping.isOver() ? error() : cause
  } finally {
    stopping.end()
  }
}

/** Ends work between two steps. @throws CommandError 130 after Ctrl-C */
export function throwIfInterrupted(stopping: Interruption): void {
  if (stopping.isOver()) throw new CommandError('Interrupted.', { exit: 130 })
}

/**
 * Waits for a store that is being opened, at most until Ctrl-C; it is then closed as soon as it is open, unless the process ends first.
 * @throws CommandError 130 on Ctrl-C
 */
export async function openUnlessInterrupted<C extends { close(): Promise<void> }>(opening: Promise<C>): Promise<C> {
  const stopping = interruption()
  try {
    const opened = await stopping.or(opening)
    if (opened !== 'interrupted') return opened
  } finally {
    stopping.end()
  }
  void opening.then((opened) => opened.close()).catch(() => undefined)
  throw new CommandError('Interrupted while the store was being opened; nothing was changed.', { exit: 130 })
}
