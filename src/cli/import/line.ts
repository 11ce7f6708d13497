/** What an import makes of the lines of a file. */
/** An event as `events.create` takes it, its id chosen. */
export interface ImportEvent {
  readonly id: string
  readonly streamIds: readonly string[]
  readonly type: string
  readonly [field: string]: unknown
}

/** A line that says what is to be there. */
export interface EventLine {
  /** Counted from 1; where a row with line breaks begins. */
  line: number
  event: ImportEvent
  /** Whether the line is the whole event, so that a field it does not name is to be absent. */
  isWhole: boolean
  /** About how much it is, in characters. */
  size: number
}

/** Why a line cannot be taken, as the API tells failures. */
export interface Problem {
  id: string
  message: string
  data?: unknown
}

/** A line that cannot be taken. */
export interface RefusedLine {
  line: number
  error: Problem
}

/** A row that was left out, as asked. */
export interface SkippedLine {
  line: number
  skipped: true
}

export type ImportLine = EventLine | RefusedLine | SkippedLine

/** A line whose words cannot be taken. */
export function badLine(line: number, message: string): RefusedLine {
  return { line, error: { id: 'invalid-parameters-format', message } }
}
