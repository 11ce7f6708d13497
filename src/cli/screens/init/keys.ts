/** Maps keys to actions of the wizard of `coffer init`; pure. */
import type { Key } from 'ink'
import type { Question } from './questions.js'
import { reduce } from './state.js'
import type { Action, State } from './state.js'

/** A key, or several in one text: pasted, or typed ahead. */
export interface Press {
  input: string
  key: Partial<Key>
}

/** Returns the state after a key. */
export function press(questions: readonly Question[], state: State, input: string, key: Press['key']): State {
  const named = namedKey(key, isTyped(questions[state.at]))
  if (named !== undefined) return reduce(questions, state, named)
  const text = key.ctrl === true ? String.fromCharCode(input.charCodeAt(0) & 0x1f) : key.meta === true ? '' : input
  const parts = text.split(/(\r\n|[\r\n\u0003\u0004\u0008\u0015\u007f])/).filter((part) => part !== '')
  // Each part may lead to another question, which receives the next one.
  return parts.reduce((before, part) => reduce(questions, before, actionOf(part, isTyped(questions[before.at]))), state)
}

function isTyped(question: Question | undefined): boolean {
  return question?.kind === 'text' || question?.kind === 'hidden'
}

function namedKey(key: Press['key'], typed: boolean): Action | undefined {
  if (key.return === true) return { do: 'submit' }
  if (key.escape === true || (key.leftArrow === true && !typed)) return { do: 'back' }
  if (key.upArrow === true) return { do: 'move', by: -1 }
  if (key.downArrow === true) return { do: 'move', by: 1 }
  if (key.backspace === true || key.delete === true) return { do: 'erase' }
  return undefined
}

function actionOf(part: string, typed: boolean): Action {
  return controls[part] ?? (typed ? undefined : letters[part]) ?? { do: 'type', text: part }
}

/** Letters that are commands when no text is typed. */
const letters: Readonly<Record<string, Action>> = { q: { do: 'quit' }, r: { do: 'checkKeychain' } }

const controls: Readonly<Record<string, Action>> = {
  '\u0003': { do: 'quit' },
  '\u0004': { do: 'quit' },
  '\u0008': { do: 'erase' },
  '\u0015': { do: 'clear' },
  '\u007f': { do: 'erase' },
  '\r\n': { do: 'submit' },
  '\r': { do: 'submit' },
  '\n': { do: 'submit' },
}
