/** State machine of the wizard of `coffer init`; pure. */
import type { Choice } from '../parts.js'
import type { Answers, Keychain, Question } from './questions.js'

export interface State {
  answers: Answers
  /** Index of the current question. */
  at: number
  /** Typed text or selected choice, before it is submitted. */
  draft: string
  keychain: Keychain
  /** Number of keychain checks so far. */
  keychainChecks: number
  /** Reason why the last answer is invalid. */
  problem?: string
  /** `create` when the last step was confirmed, `quit` when the user quit. */
  outcome?: 'create' | 'quit'
}

export type Action =
  | { do: 'type'; text: string }
  /** Deletes one character. */
  | { do: 'erase' }
  /** Deletes the line. */
  | { do: 'clear' }
  /** Moves between choices. */
  | { do: 'move'; by: 1 | -1 }
  | { do: 'submit' }
  /** Checks for the keychain again. */
  | { do: 'checkKeychain' }
  /** Result of the keychain check with that number. */
  | { do: 'keychainChecked'; check: number; keychain: Keychain }
  | { do: 'back' }
  | { do: 'quit' }

/** Returns the questions to ask, without those answered by flags. */
export function openQuestions(questions: readonly Question[], given: ReadonlySet<string>): Question[] {
  return questions.filter(({ name }) => !given.has(name))
}

/** Returns the initial state. */
export function firstState(questions: readonly Question[], answers: Answers): State {
  const keychainChecks = questions.some(({ name }) => name === 'keyStorage') ? 1 : 0
  return goTo({ answers, at: 0, draft: '', keychain: { is: 'checking' }, keychainChecks }, questions, next(questions, answers, -1))
}

/** Returns the state after an action. */
export function reduce(questions: readonly Question[], state: State, action: Action): State {
  const question = questions[state.at]
  if (question === undefined || state.outcome !== undefined) return state
  const isTyped = question.kind === 'text' || question.kind === 'hidden'
  switch (action.do) {
    case 'quit':
      return { ...state, outcome: 'quit' }
    case 'type':
      return isTyped ? typed(state, state.draft + action.text.replace(/\p{Cc}/gu, '')) : state
    case 'erase':
      return isTyped ? typed(state, [...state.draft].slice(0, -1).join('')) : state
    case 'clear':
      return isTyped ? typed(state, '') : state
    case 'move':
      return question.kind === 'choice' ? { ...state, draft: moved(choicesOf(question, state), state.draft, action.by) } : state
    case 'checkKeychain':
      return question.name === 'keyStorage' ? { ...withoutProblem(state), keychain: { is: 'checking' }, keychainChecks: state.keychainChecks + 1 } : state
    case 'keychainChecked':
      return action.check === state.keychainChecks ? { ...withoutProblem(state), keychain: action.keychain } : state
    case 'back': {
      const before = previous(questions, state.answers, state.at)
      return before < 0 ? state : goTo(state, questions, before)
    }
    case 'submit':
      return submit(questions, state, question)
  }
}

/** Returns the choices of a question; empty for other kinds. */
export function choicesOf(question: Question, { answers }: State): Choice[] {
  return question.choices?.(answers) ?? []
}

function submit(questions: readonly Question[], state: State, question: Question): State {
  if (question.name === 'review') return { ...state, outcome: 'create' }
  const value = question.kind === 'hidden' ? state.draft : state.draft.trim()
  const problem = question.check?.(value, state.answers, state.keychain)
  // Hidden input is cleared, since the user cannot see the mistake.
  if (problem !== undefined) return { ...state, draft: question.kind === 'hidden' ? '' : state.draft, problem }
  const answers = { ...state.answers, [question.name]: value }
  return goTo({ ...state, answers }, questions, next(questions, answers, state.at))
}

/** Moves to a question and restores its previous answer, except for secrets. */
function goTo(state: State, questions: readonly Question[], at: number): State {
  const { name, kind } = questions[at] ?? { name: 'review' }
  return { ...withoutProblem(state), at, draft: name === 'review' || kind === 'hidden' ? '' : state.answers[name] }
}

const typed = (state: State, draft: string): State => ({ ...withoutProblem(state), draft })

function withoutProblem({ problem: _, ...state }: State): State {
  return state
}

function next(questions: readonly Question[], answers: Answers, after: number): number {
  return questions.findIndex((each, index) => index > after && each.when?.(answers) !== false)
}

function previous(questions: readonly Question[], answers: Answers, before: number): number {
  return questions.findLastIndex((each, index) => index < before && each.when?.(answers) !== false)
}

function moved(choices: readonly Choice[], from: string, by: 1 | -1): string {
  const index = choices.findIndex((each) => each.value === from)
  const to = Math.min(Math.max(index + by, 0), choices.length - 1)
  return choices[to]?.value ?? from
}
