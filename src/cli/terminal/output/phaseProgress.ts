/** Work that goes through phases: a bar for each, one after another. */
import type { Output } from './out.js'
import type { Progress } from './progress.js'

export interface Phases {
  /** Tells of a phase: each call adds to what is done of `total`. Its bar takes the place of the one before. */
  phase(label: string): (by: number, total?: number) => void
  /** Tells of the phase that `label` names by how much of it is done until now, of `total`. */
  count(label: string, done: number, total?: number): void
  /** Clears the bar. */
  end(): void
}

/** Begins without a bar; `words` says amounts for people. */
export function startPhases(out: Output, words?: (n: number) => string): Phases {
  let bar: Progress | undefined
  let counted: { label: string; done: number; print: ReturnType<Phases['phase']> } | undefined
  const phases: Phases = {
    phase(label) {
      let isBegun = false
      return (by, total) => {
        if (!isBegun) {
          bar?.end()
          bar = out.progress(label, total, words)
          isBegun = true
        }
        bar?.advance(by)
      }
    },
    count(label, done, total) {
      if (counted?.label !== label) counted = { label, done: 0, print: phases.phase(label) }
      const { done: before, print } = counted
      if (done > before || before === 0) print(Math.max(0, done - before), total)
      counted.done = Math.max(before, done)
    },
    end: () => bar?.end(),
  }
  return phases
}
