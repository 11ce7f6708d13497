/** The wizard of `coffer init` on the screen. Its rules are in questions.ts and state.ts. */
import { Box, Text, useApp, useInput } from 'ink'
import { useEffect, useReducer } from 'react'
import type { ReactNode } from 'react'
import { Answered, Choices, Heading, Typed } from '../parts.js'
import type { Style } from '../parts.js'
import { press } from './keys.js'
import type { Press } from './keys.js'
import { steps, summary } from './questions.js'
import type { Answers, Question } from './questions.js'
import { choicesOf, firstState } from './state.js'
import type { State } from './state.js'

export interface WizardProps {
  questions: readonly Question[]
  answers: Answers
  style: Style
  /** What is going to be made, shown before it is. */
  plan(answers: Answers): string[]
  /** Called once, with the answers, or undefined when the person quit. */
  onEnd(answers: Answers | undefined): void
}

export function Wizard({ questions, answers, style, plan, onEnd }: WizardProps): ReactNode {
  const { exit } = useApp()
  // What a key means is decided by the state it meets: the next key may come before the screen was drawn anew.
  const [state, act] = useReducer(
    (before: State, { input, key }: Press) => press(questions, before, input, key),
    answers,
    (given) => firstState(questions, given),
  )
  const { outcome } = state
  useEffect(() => {
    if (outcome === undefined) return
    onEnd(outcome === 'make' ? state.answers : undefined)
    exit()
  }, [outcome])
  const question = questions[state.at]
  useInput((input, key) => act({ input, key }))
  if (question === undefined || outcome === 'leave') return null
  const shown = outcome === 'make' ? steps : question.step
  return (
    <Box flexDirection="column" paddingX={1}>
      <Heading title="coffer: a home for your data" place={`step ${question.step} of ${steps}`} style={style} />
      {summary(state.answers, shown).map(([label, value]) => (
        <Answered key={label} label={label} value={value} style={style} />
      ))}
      {outcome === undefined && <Asked question={question} state={state} style={style} plan={plan} />}
    </Box>
  )
}

interface AskedProps {
  question: Question
  state: State
  style: Style
  plan(answers: Answers): string[]
}

function Asked({ question, state, style, plan }: AskedProps): ReactNode {
  const { kind, asks, about, step } = question
  const { draft, problem, answers } = state
  return (
    <Box flexDirection="column">
      <Text>
        ? <Text {...style.strong}>{asks}</Text>
      </Text>
      {about !== undefined && <Text {...style.faint}>{`  ${about}`}</Text>}
      {kind === 'choice' && <Choices choices={choicesOf(question, state)} at={draft} style={style} />}
      {kind === 'review' && plan(answers).map((line) => <Text key={line}>{`  ${line}`}</Text>)}
      {(kind === 'text' || kind === 'hidden') && <Typed text={draft} isHidden={kind === 'hidden'} />}
      {problem !== undefined && <Text {...style.bad}>{`  ✖ ${problem}`}</Text>}
      <Box marginTop={1}>
        <Text {...style.faint}>{keysOf(kind, step)}</Text>
      </Box>
    </Box>
  )
}

function keysOf(kind: Question['kind'], step: number): string {
  const notYet = step < steps ? `, nothing is written before step ${steps}` : ', nothing is written yet'
  if (kind === 'choice') return `↑↓ choose   ⏎ take   ← back   q quit${notYet}`
  if (kind === 'review') return `⏎ make it   ← back   q quit${notYet}`
  return `⏎ take   esc back   ctrl-c quit${notYet}`
}
