/**
 * Confirmation prompts. One rule for all commands: `--yes` answers a yes/no question; where data or a connection is lost for good,
 * `--accept-risk=<name>` is needed instead of the name of the object. Neither stands for the other.
 */
import { CommandError } from '../../framework/exit.js'
import { flag, list, type Parameter } from '../../framework/option.js'
import { printable } from '../output/text.js'
import type { Terminal } from '../terminal.js'

/** Creates the option `--yes` of commands that ask a yes/no question. */
export const yesOption = (summary = 'Skip the confirmation'): Parameter<boolean> => flag(summary, { short: 'y' })

/** Creates the option `--accept-risk` of commands that accept one risk. */
export function riskOption(risk: string, effect = 'confirm without prompting'): Parameter<string[]> {
  return {
    ...list(`Pass ${risk} to ${effect}`, { placeholder: 'risk', suggests: [risk] }),
    read: (values = []) => {
      if (values.some((value) => value !== risk)) throw new Error(risk)
      return [...values]
    },
  }
}

/**
 * Asks a yes/no question; any answer but yes means no.
 * @param isConfirmed value of `--yes`; `option` is named in the error when no prompt is possible
 * @param over rejects when the question is obsolete, which ends the prompt
 * @throws CommandError 2 when no prompt is possible, 130 on no
 */
export async function confirm(
  terminal: Terminal,
  question: string,
  isConfirmed: boolean,
  option = '--yes',
  over?: Promise<never>,
): Promise<void> {
  if (isConfirmed) return
  if (!terminal.mayAsk) throw unconfirmed(question, option)
  const answer = await askLine(terminal, `${question} [y/N] `, over)
  if (!/^y(es)?$/i.test(answer.trim())) throw cancelled()
}

/** A destructive action. */
interface Destruction {
  warning: string
  /** Name of the object, to be typed. */
  name: string
  /** Name of the risk that `--accept-risk` accepts. */
  risk: string
}

/**
 * Confirms a destructive action by the typed name of its object. Scripts pass `--accept-risk=<risk>`.
 * @param accepted the values of `--accept-risk`
 * @param yes value of `--yes`, for a command that also asks yes/no questions
 * @throws CommandError 2 without prompt and accepted risk, 130 when another name is typed
 */
export async function confirmByName(terminal: Terminal, what: Destruction, accepted: readonly string[], yes = false): Promise<void> {
  if (accepted.includes(what.risk)) return
  const option = `--accept-risk=${what.risk}`
  const insufficient = yes ? ' --yes does not accept this risk.' : ''
  if (!terminal.mayAsk) throw unconfirmed(`${what.warning}${insufficient}`, option)
  terminal.writeStderr(`${printable(what.warning)}${yes ? `${insufficient} To skip the next question: ${option}` : ''}\n`)
  const typed = await askLine(terminal, `Type ${what.name} to confirm: `)
  if (typed.trim() !== what.name) throw cancelled()
}

/** Creates the error for an action that nothing confirmed. */
const unconfirmed = (what: string, option: string): CommandError =>
  new CommandError(`${what} Cannot prompt here; ${option} is missing`, { exit: 2, missingOption: option })

/** Reads one line, unless `over` rejects first. Check `terminal.mayAsk` before. */
export async function askLine(terminal: Terminal, question: string, over?: Promise<never>): Promise<string> {
  const { createInterface } = await import('node:readline')
  const { stdin, stderr } = terminal.streams
  const lines = createInterface({ input: stdin, output: stderr, terminal: stdin.isTTY === true })
  return new Promise((resolve, reject) => {
    let answered = false
    lines.on('SIGINT', () => lines.close())
    over?.catch((reason: unknown) => {
      if (answered) return
      answered = true
      terminal.writeStderr('\n')
      lines.close()
      reject(reason instanceof Error ? reason : cancelled())
    })
    lines.on('close', () => {
      if (answered) return
      // Starts the next output on a new line.
      terminal.writeStderr('\n')
      reject(cancelled())
    })
    lines.question(printable(question), (answer) => {
      answered = true
      lines.close()
      resolve(answer)
    })
  })
}

function cancelled(): CommandError {
  return new CommandError('Cancelled; nothing was changed.', { exit: 130 })
}
