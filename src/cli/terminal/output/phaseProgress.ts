/** Progress of work in phases: one bar after another. */
import type { Output } from './out.js'
import type { Progress } from './progress.js'

export interface Phases {
  /** Starts a phase: each call adds to its progress out of `total`. Its bar replaces the previous one. */
  phase(label: string): (by: number, total?: number) => void
  /** Sets the progress of the phase `label` to `done` out of `total`. */
  count(label: string, done: number, total?: number): void
  /** Clears the bar. */
  end(): void
}

/** Creates the phases without a bar; `words` formats amounts. */
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
