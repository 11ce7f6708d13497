/** Limits concurrency: a bounded queue, and serial execution by key. */

/** Thrown when the queue is full. */
export class QueueFull extends Error {}

/**
 * Creates a queue that runs at most `max` tasks at once; the others wait in order.
 * @throws QueueFull from the queue, when `maxWaiting` tasks wait already
 */
export function limitConcurrency(max: number, maxWaiting = Infinity): <T>(work: () => Promise<T>) => Promise<T> {
  let busy = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (busy >= max) {
      if (waiting.length >= maxWaiting) throw new QueueFull('The queue is full.')
      // The finished task passes its slot to the next, so no new task can take it in between.
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

type Turns = Map<string, Promise<unknown>>

const turnsOf = new WeakMap<object, Turns>()

/** Runs `work` after all earlier work under the same name of the same `owner` has ended. */
export async function serialiseByKey<T>(owner: object, name: string, work: () => Promise<T>): Promise<T> {
  let turns = turnsOf.get(owner)
  if (turns === undefined) {
    turns = new Map()
    turnsOf.set(owner, turns)
  }
  const mine = (turns.get(name) ?? Promise.resolve()).then(work)
  const ended = mine.catch(() => {})
  turns.set(name, ended)
  try {
    return await mine
  } finally {
    if (turns.get(name) === ended) turns.delete(name)
  }
}
