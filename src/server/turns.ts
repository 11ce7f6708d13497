/** Work that takes a processor for itself goes in turns, so that the rest of the node stays answerable. */

/** Makes a queue: at most `most` pieces of work run at once, the others wait in their order. */
export function createTurns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let busy = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else busy += 1
    try {
      return await work()
    } finally {
      // The turn passes on to the next one that waits.
      const next = waiting.shift()
      if (next === undefined) busy -= 1
      else next()
    }
  }
}
