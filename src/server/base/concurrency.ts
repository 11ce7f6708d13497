/** Work in turns: what takes a processor or a connection for itself must not take all of them, and what may not meet its own kind goes one after another. */

/** Thrown at work that finds too much waiting before it. */
export class QueueFull extends Error {}

/**
 * Makes a queue: at most `most` pieces of work run at once, the others wait in their order.
 * @throws QueueFull from the queue, when `mostWaiting` wait already
 */
export function limitConcurrency(max: number, maxWaiting = Infinity): <T>(work: () => Promise<T>) => Promise<T> {
  let busy = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (busy >= max) {
      if (waiting.length >= maxWaiting) throw new QueueFull('Too much is waiting.')
      // Whoever leaves passes the turn on: it is never free in between.
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

/** Runs `work` once everything before it under the same name of the same `owner` has ended. */
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
