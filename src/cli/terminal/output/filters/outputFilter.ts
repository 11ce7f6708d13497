/** Filter of the JSON that a command prints: `--jq`, `--template` or `--fields`. */
import type { CommandError } from '../../../framework/exit.js'

/** `list`: a document with a list of items. `result`: another document. `line`: one of several. */
export type ResultKind = 'list' | 'result' | 'line'

interface Filtered {
  /** Text to print, with its line breaks. */
  text: string
  /** Messages for stderr, one per line. */
  messages?: readonly string[]
  /** The failure after that text, if any. */
  failure?: CommandError
}

export interface OutputFilter {
  /** True if `apply` takes several lines at once, separated by line breaks, which is faster than one after the other. */
  readonly takesLines?: true
  /** Filters a JSON document. `isTerminal` is true when the text is for a terminal, where it must not control it. */
  apply(json: string, kind: ResultKind, isTerminal: boolean): Filtered | Promise<Filtered>
}
