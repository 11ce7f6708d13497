/** Lets a bounded number of pieces of work go on at once; others wait in a line of bounded length. */

/** Thrown at work that finds the line full. */
export class GateFull extends Error {}

export type Gate = <T>(work: () => Promise<T>) => Promise<T>

export function createGate(most: number, mostWaiting: number): Gate {
  let busy = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (busy >= most) {
      if (waiting.length >= mostWaiting) throw new GateFull('Too much is waiting.')
      // Whoever leaves hands over the place: it is never free in between.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else busy += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) busy -= 1
      else next()
    }
  }
}
