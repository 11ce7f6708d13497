/** Consent before what cannot be taken back. */
import { CommandError, usageError } from '../../framework/exit.js'
import { printable } from '../output/text.js'
import type { Terminal } from '../terminal.js'

/**
 * A question with yes or no; anything but yes is no.
 * @param given what `--yes` said; `flag` is named when nobody can be asked.
 * @param over rejects when there is nothing to ask about any more; the question ends with that.
 * @throws CommandError 2 when nobody can be asked, 130 on no.
 */
export async function confirm(
  terminal: Terminal,
  question: string,
  given: boolean,
  flag = '--yes',
  over?: Promise<never>,
): Promise<void> {
  if (given) return
  if (!terminal.mayAsk) throw usageError(`${question} Nobody can be asked here; ${flag} is missing`)
  const answer = await askLine(terminal, `${question} [y/N] `, over)
  if (!/^y(es)?$/i.test(answer.trim())) throw cancelled()
}

/**
 * For what destroys: the person types the name of the thing. A script says with `--accept-risk=<risk>` what it accepts.
 * @param accepted the values of `--accept-risk`.
 * @throws CommandError 2 when nobody can be asked and the risk is not accepted, 130 when another name is typed.
 */
export async function confirmByName(
  terminal: Terminal,
  what: { warning: string; name: string; risk: string },
  accepted: readonly string[],
): Promise<void> {
  if (accepted.includes(what.risk)) return
  const flag = `--accept-risk=${what.risk}`
  if (!terminal.mayAsk) throw usageError(`${what.warning} Nobody can be asked here; ${flag} is missing`)
  terminal.writeStderr(`${printable(what.warning)}\n`)
  const typed = await askLine(terminal, `Type ${what.name} to go on: `)
  if (typed.trim() !== what.name) throw cancelled()
}

/** One line typed by the person, unless `over` rejects first. Only after `terminal.mayAsk` was looked at. */
export async function askLine(terminal: Terminal, question: string, over?: Promise<never>): Promise<string> {
  const { createInterface } = await import('node:readline')
  const { stdin, stderr } = terminal.streams
  const lines = createInterface({ input: stdin, output: stderr, terminal: stdin.isTTY === true })
  return new Promise((give, fail) => {
    let answered = false
    lines.on('SIGINT', () => lines.close())
    over?.catch((reason: unknown) => {
      if (answered) return
      answered = true
      terminal.writeStderr('\n')
      lines.close()
      fail(reason instanceof Error ? reason : cancelled())
    })
    lines.on('close', () => {
      if (answered) return
      // What is told next begins on a line of its own.
      terminal.writeStderr('\n')
      fail(cancelled())
    })
    lines.question(printable(question), (answer) => {
      answered = true
      lines.close()
      give(answer)
    })
  })
}

function cancelled(): CommandError {
  return new CommandError('Cancelled; nothing was changed.', { exit: 130 })
}
