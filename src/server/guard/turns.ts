/** Work that goes on one after another: what may run at once with other work, but not with its own kind. */

type Turns = Map<string, Promise<unknown>>

const turnsOf = new WeakMap<object, Turns>()

/** Runs `work` once everything before it under the same name of the same `owner` has ended. */
export async function inTurn<T>(owner: object, name: string, work: () => Promise<T>): Promise<T> {
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
