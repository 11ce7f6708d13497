/** Results of the lines of an import. */
import type { EventLine, Problem, RefusedLine } from './line.js'

export type Outcome =
  | { kind: 'created' | 'unchanged' | 'updated'; line: EventLine }
  | ({ kind: 'refused' } & RefusedLine)

export interface Counts {
  created: number
  unchanged: number
  updated: number
  refused: number
  skipped: number
}

export function refused({ line }: EventLine, error: Problem): Outcome {
  return { kind: 'refused', line, error }
}
