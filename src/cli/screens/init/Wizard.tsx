/** Wizard of `coffer init` on the screen. Its rules are in questions.ts and state.ts. */
import { Box, Text, useInput } from 'ink'
import { useEffect, useReducer } from 'react'
import type { ReactNode } from 'react'
import { Answered, Choices, Heading, Indented, Typed } from '../parts.js'
import type { Style } from '../parts.js'
import { press } from './keys.js'
import type { Press } from './keys.js'
import { steps, summary } from './questions.js'
import type { Answers, Keychain, Question } from './questions.js'
import { choicesOf, firstState, reduce } from './state.js'
import type { Action, State } from './state.js'

export interface WizardProps {
  questions: readonly Question[]
  answers: Answers
  style: Style
  /** Returns the lines that describe the node before it is created. */
  plan(answers: Answers): string[]
  /** Checks whether the system keychain is available; takes two seconds at most. */
  checkKeychain(): Promise<Keychain>
  /** Called once, with the answers, or undefined when the user quit. */
  onEnd(answers: Answers | undefined): void
}

export function Wizard({ questions, answers, style, plan, checkKeychain, onEnd }: WizardProps): ReactNode {
  // The reducer decides on keys by the current state: the next key may arrive before the screen is redrawn.
  const [state, act] = useReducer(
    (before: State, event: Press | Action) =>
      'do' in event ? reduce(questions, before, event) : press(questions, before, event.input, event.key),
    answers,
    (given) => firstState(questions, given),
  )
  const { outcome, keychainChecks } = state
  useEffect(() => {
    if (outcome === undefined) return
    onEnd(outcome === 'create' ? state.answers : undefined)
  }, [outcome])
  useEffect(() => {
    if (keychainChecks > 0) void checkKeychain().then((keychain) => act({ do: 'keychainChecked', check: keychainChecks, keychain }))
  }, [keychainChecks])
  const question = questions[state.at]
  useInput((input, key) => act({ input, key }))
  if (question === undefined || outcome === 'quit') return null
  const answeredSteps = outcome === 'create' ? steps : question.step
  return (
    <Box flexDirection="column" paddingX={1}>
      <Heading title="coffer: a home for your data" place={`step ${question.step} of ${steps}`} style={style} />
      {summary(state.answers, answeredSteps).map(([label, value]) => (
        <Answered key={label} label={label} value={value} style={style} />
      ))}
      {outcome === undefined && <QuestionView question={question} state={state} style={style} plan={plan} />}
    </Box>
  )
}

interface QuestionProps {
  question: Question
  state: State
  style: Style
  plan(answers: Answers): string[]
}

function QuestionView({ question, state, style, plan }: QuestionProps): ReactNode {
  const { kind, name, title, about } = question
  const { draft, problem, answers, keychain } = state
  return (
    <Box flexDirection="column">
      <Text>
        ? <Text {...style.strong}>{title}</Text>
      </Text>
      {about !== undefined && (
        <Indented>
          <Text {...style.faint}>{about}</Text>
        </Indented>
      )}
      {kind === 'choice' && <Choices choices={choicesOf(question, state)} at={draft} style={style} />}
      {name === 'keyStorage' && <KeychainNotice keychain={keychain} style={style} />}
      {kind === 'review' && (
        <Indented>
          {plan(answers).map((line) => (
            <Text key={line}>{line}</Text>
          ))}
        </Indented>
      )}
      {(kind === 'text' || kind === 'hidden') && <Typed text={draft} isHidden={kind === 'hidden'} />}
      {problem !== undefined && (
        <Indented>
          <Text {...style.bad}>{`✖ ${problem}`}</Text>
        </Indented>
      )}
      <Box marginTop={1}>
        <Text {...style.faint}>{keysOf(question)}</Text>
      </Box>
    </Box>
  )
}

function KeychainNotice({ keychain, style }: { keychain: Keychain; style: Style }): ReactNode {
  if (keychain.is === 'available') return null
  if (keychain.is === 'checking') {
    return (
      <Indented>
        <Text>Looking for the keychain of this machine …</Text>
      </Indented>
    )
  }
  return (
    <Indented>
      <Text>No keychain is available on this machine.</Text>
      <Text {...style.faint} wrap="truncate">
        {keychain.why}
      </Text>
      <Text>Choose another place, or start a keychain and press r to look again.</Text>
    </Indented>
  )
}

function keysOf({ kind, step }: Question): string {
  const writeNote = step < steps ? `, nothing is written before step ${steps}` : ', nothing is written yet'
  if (kind === 'choice') return `↑↓ choose   ⏎ select   ← back   q quit${writeNote}`
  if (kind === 'review') return `⏎ create it   ← back   q quit${writeNote}`
  return `⏎ continue   esc back   ctrl-c quit${writeNote}`
}
