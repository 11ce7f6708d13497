/** Types of the lines of an import. */
/** An event as `events.create` takes it, with its id. */
interface ImportEvent {
  readonly id: string
  readonly streamIds: readonly string[]
  readonly type: string
  readonly [field: string]: unknown
}

/** A line with an event. */
export interface EventLine {
  /** Line number from 1; for a row with line breaks, its first line. */
  line: number
  event: ImportEvent
  /** True when the line is the whole event, so that a missing field means an absent field. */
  isWhole: boolean
  /** Approximate size in characters. */
  size: number
}

/** The reason why a line was refused, in the form of API failures. */
export interface Problem {
  id: string
  message: string
  data?: unknown
}

/** A refused line. */
export interface RefusedLine {
  line: number
  error: Problem
}

/** A row that was skipped by an option. */
interface SkippedLine {
  line: number
  skipped: true
}

export type ImportLine = EventLine | RefusedLine | SkippedLine

/** Returns the refusal of a line with invalid text. */
export function badLine(line: number, message: string): RefusedLine {
  return { line, error: { id: 'invalid-parameters-format', message } }
}
