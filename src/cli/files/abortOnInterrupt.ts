/** Bytes on their way, which Ctrl-C stops so that what was begun can be cleared away. */
import { CommandError } from '../framework/exit.js'
import type { Interruption } from '../client/interruption.js'

/** The same chunks until Ctrl-C. @throws CommandError 130 with `message` then */
export async function* abortOnInterrupt<T>(chunks: AsyncIterable<T>, stopping: Interruption, message: string): AsyncGenerator<T> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const coming = iterator.next()
      // What fails after Ctrl-C is its doing.
      coming.catch(() => undefined)
      const next = await stopping.or(coming)
      if (next === 'interrupted') throw new CommandError(message, { exit: 130 })
      if (next.done === true) return
      yield next.value
    }
  } finally {
    // One that waits for its next chunk ends when that comes, or its connection goes with the process.
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
