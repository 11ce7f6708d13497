/** Limits concurrency: a bounded queue, and serial execution by key. */
import pLimit from 'p-limit'

/** Thrown when the queue is full. */
export class QueueFull extends Error {}

/**
 * Creates a queue that runs at most `max` tasks at once; the others wait in order.
 * @throws QueueFull from the queue, when `maxWaiting` tasks wait already
 */
export function limitConcurrency(max: number, maxWaiting = Infinity): <T>(work: () => Promise<T>) => Promise<T> {
  const limit = pLimit(max)
  return async (work) => {
    if (limit.activeCount >= max && limit.pendingCount >= maxWaiting) throw new QueueFull('The queue is full.')
    return limit(work)
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
