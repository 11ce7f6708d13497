/** Selects what is printed of a JSON result: by `--jq`, `--template` or `--fields`. */
import { usageError, type CommandError } from '../../../framework/exit.js'
import type { GlobalFlags, Command } from '../../../command.js'

/** `list`: a document with a list of items. `result`: another document. `line`: one of several. */
export type ResultKind = 'list' | 'result' | 'line'

export interface Filtered {
  /** Text to print, with its line breaks. */
  text: string
  /** Messages for stderr, one per line. */
  messages?: readonly string[]
  /** The failure after that text, if any. */
  failure?: CommandError
}

export interface OutputFilter {
  /** Filters a JSON document. `isTerminal` is true when the text is for a terminal, where it must not control it. */
  apply(json: string, kind: ResultKind, isTerminal: boolean): Filtered | Promise<Filtered>
}

/**
 * Returns the filter that the options select; undefined without one. Checks the syntax of expressions.
 * @throws CommandError 2 for a syntax error, contradicting options, and commands without JSON
 */
export async function selectedFilter(command: Pick<Command, 'path' | 'json'>, flags: GlobalFlags): Promise<OutputFilter | undefined> {
  const { jq, template, fields, quiet } = flags
  const given = [...(jq === undefined ? [] : ['--jq']), ...(template === undefined ? [] : ['--template']), ...(fields === undefined ? [] : ['--fields'])]
  const [option, other = quiet ? '--quiet' : undefined] = given
  if (option === undefined) return undefined
  if (other !== undefined) throw usageError(`${option} cannot be combined with ${other}`, contradictionHint(option, other))
  const name = command.path.join(' ')
  if (command.json === undefined) throw usageError(`coffer ${name} prints no JSON, which ${option} needs`)
  if (jq !== undefined) return (await import('./jqFilter.js')).jqFilter(jq)
  if (template !== undefined) return (await import('./templateFilter.js')).templateFilter(template)
  return (await import('./fieldsFilter.js')).fieldsFilter(fields ?? [], command)
}

function contradictionHint(option: string, other: string): string | undefined {
  if (other === '--fields' && option === '--jq') return "Select the members in the expression: --jq '.users[] | {username, email}'"
  if (other === '--quiet') return `Leave out --quiet: ${option} decides what is printed`
  return undefined
}
