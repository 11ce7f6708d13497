/** Repeats a prompt after an answer that is refused. */
import { Failure } from '../../../store/model/failure.js'
import { CommandError } from '../../framework/exit.js'
import { describedFailure, failureText } from '../output/failure.js'
import type { Terminal } from '../terminal.js'

/** Number of times that a person may answer a prompt. */
const ATTEMPTS = 3

/** Failures about an answer: another one may be accepted. */
const isAboutAnswer = (error: unknown): boolean =>
  error instanceof CommandError
    ? error.exit === 2
    : error instanceof Failure && ['invalid-parameters-format', 'invalid-operation', 'item-already-exists'].includes(error.id)

/**
 * Calls `ask` until it accepts an answer, at most three times; prints why it refused the others.
 * @throws the refusal of the last attempt, and errors of other kinds at once
 */
export async function askAgain<T>(terminal: Terminal, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (attempt === ATTEMPTS || !isAboutAnswer(error)) throw error
      const described = describedFailure(error, (...words) => ['coffer', ...words].join(' '))
      terminal.writeStderr(failureText(described, { json: false, verbose: false, paint: terminal.paintErr }))
    }
  }
}
