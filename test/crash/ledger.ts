/**
 * What was asked of a node and what it acknowledged, noted outside of it. An item is in one state at a time, a text;
 * a step takes some items from one state to another, all of them or none.
 */

/** Item → the state it is in after the step. */
export type Step = ReadonlyMap<string, string>

/** The state of items that are not there. */
export const ABSENT = 'absent'

export interface Ledger {
  /** To be called before the request that does the step is sent. */
  requested(step: Step): void
  /** To be called when the request was answered with success. */
  acknowledged(step: Step): void
  /** The acknowledged state of an item. */
  stateOf(item: string): string
  /** How many steps were acknowledged, and how many are neither acknowledged nor settled. */
  readonly counts: { acknowledged: number; open: number }
  /**
   * Compares with what is found after a crash: acknowledged steps are there, open ones wholly or not at all, and
   * nothing else. Answers what is not as it must be. Open steps count from now on as what was found of them.
   */
  settle(found: ReadonlyMap<string, string>): string[]
}

export function createLedger(): Ledger {
  const states = new Map<string, string>()
  const open = new Set<Step>()
  let acknowledged = 0
  const stateOf = (item: string): string => states.get(item) ?? ABSENT
  const apply = (step: Step): void => step.forEach((state, item) => void states.set(item, state))
  return {
    requested: (step) => void open.add(step),
    acknowledged(step) {
      open.delete(step)
      apply(step)
      acknowledged += 1
    },
    stateOf,
    get counts() {
      return { acknowledged, open: open.size }
    },
    settle(found) {
      const wrong: string[] = []
      const foundOf = (item: string): string => found.get(item) ?? ABSENT
      for (const step of open) {
        const items = [...step]
        if (items.every(([item, state]) => foundOf(item) === state)) apply(step)
        else if (!items.every(([item]) => foundOf(item) === stateOf(item))) {
          const parts = items.map(([item, state]) => `${item}: ${stateOf(item)} → ${state}, found ${foundOf(item)}`)
          wrong.push(`done in part: ${parts.join('; ')}`)
        }
      }
      open.clear()
      for (const [item, state] of states) {
        if (foundOf(item) !== state) wrong.push(`${item} was acknowledged as ${state} and is ${foundOf(item)}`)
      }
      for (const item of found.keys()) if (!states.has(item)) wrong.push(`${item} is there and was never asked for`)
      return wrong
    },
  }
}
