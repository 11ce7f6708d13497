/**
 * Ledger of requests to a node and its acknowledgements, kept outside of it. An item has one state at a time, a text; a step
 * moves some items to other states, all of them or none.
 */

/** Item → its state after the step. */
export type Step = ReadonlyMap<string, string>

/** State of missing items. */
export const ABSENT = 'absent'

export interface Ledger {
  /** Records a step before its request is sent. */
  requested(step: Step): void
  /** Records the success of a request. */
  acknowledged(step: Step): void
  /** Returns the acknowledged state of an item. */
  stateOf(item: string): string
  /** Numbers of acknowledged steps, and of steps neither acknowledged nor settled. */
  readonly counts: { acknowledged: number; open: number }
  /**
   * Compares with the items after a crash: acknowledged steps are complete, open ones complete or absent, and there are no
   * others. Returns the differences. Open steps then have the state that was found.
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
      for (const item of found.keys()) if (!states.has(item)) wrong.push(`${item} exists but was never requested`)
      return wrong
    },
  }
}
