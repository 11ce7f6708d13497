/** Work that goes through phases: a bar for each, one after another. */
import type { Output } from './out.js'
import type { Progress } from './progress.js'

export interface Phases {
  /** Tells of a phase: each call adds to what is done of `total`. Its bar takes the place of the one before. */
  phase(label: string): (by: number, total?: number) => void
  /** Clears the bar. */
  end(): void
}

/** Begins without a bar; `words` says amounts for people. */
export function startPhases(out: Output, words?: (n: number) => string): Phases {
  let bar: Progress | undefined
  return {
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
    end: () => bar?.end(),
  }
}
