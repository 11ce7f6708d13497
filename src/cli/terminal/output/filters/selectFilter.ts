/** Chooses the filter of JSON by the options of a command line. */
import type { Command, GlobalFlags } from '../../../command.js'
import { usageError } from '../../../framework/exit.js'
import type { OutputFilter } from './outputFilter.js'

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
