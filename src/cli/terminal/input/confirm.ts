/** Confirmation prompts before irreversible actions. */
import { CommandError, usageError } from '../../framework/exit.js'
import { printable } from '../output/text.js'
import type { Terminal } from '../terminal.js'

/**
 * Asks a yes/no question; any answer but yes means no.
 * @param isConfirmed value of `--yes`; `flag` is named in the error when no prompt is possible
 * @param over rejects when the question is obsolete, which ends the prompt
 * @throws CommandError 2 when no prompt is possible, 130 on no
 */
export async function confirm(
  terminal: Terminal,
  question: string,
  isConfirmed: boolean,
  flag = '--yes',
  over?: Promise<never>,
): Promise<void> {
  if (isConfirmed) return
  if (!terminal.mayAsk) throw usageError(`${question} Cannot prompt here; ${flag} is missing`)
  const answer = await askLine(terminal, `${question} [y/N] `, over)
  if (!/^y(es)?$/i.test(answer.trim())) throw cancelled()
}

/**
 * Confirms a destructive action by the typed name of its object. Scripts pass `--accept-risk=<risk>`.
 * @param accepted the values of `--accept-risk`
 * @throws CommandError 2 without prompt and accepted risk, 130 when another name is typed
 */
export async function confirmByName(
  terminal: Terminal,
  what: { warning: string; name: string; risk: string },
  accepted: readonly string[],
): Promise<void> {
  if (accepted.includes(what.risk)) return
  const flag = `--accept-risk=${what.risk}`
  if (!terminal.mayAsk) throw usageError(`${what.warning} Cannot prompt here; ${flag} is missing`)
  terminal.writeStderr(`${printable(what.warning)}\n`)
  const typed = await askLine(terminal, `Type ${what.name} to confirm: `)
  if (typed.trim() !== what.name) throw cancelled()
}

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
