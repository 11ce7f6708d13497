/** Stops a stream of bytes on Ctrl-C, so that partial results can be removed. */
import { CommandError } from '../framework/exit.js'
import type { Interruption } from '../client/interruption.js'

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
