/** The consents to other accounts that an app asks for along with its access, as a person reads and answers them at the terminal. */
import { failureError } from '../../consents/reasons.js'
import { usageError } from '../../framework/exit.js'
import { askLine } from '../../terminal/input/confirm.js'
import { listOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import type { Terminal } from '../../terminal/terminal.js'
import { storedBy, rowLine, textsOf } from './consent.js'

/** The invitations of a consent. */
export const invitesOf = (consent: Record_): Record_[] => listOf(recordOf(consent['invites'])['entries'])

const idOf = (invite: Record_): string => textOf(invite['id'])

/** The lines of all of them, each with its number, by which it is answered; none without any. */
export function inviteLines(consent: Record_, answers?: Answers): string[] {
  const { title, about } = recordOf(consent['invites'])
  const invites = invitesOf(consent)
  if (invites.length === 0) return []
  return ['', textOf(title), textOf(about), ...invites.flatMap((invite) => linesOf(invite, answers?.[idOf(invite)]?.kept))]
}

function linesOf(invite: Record_, stored?: readonly string[]): string[] {
  const theirs = recordOf(invite['theirs'])
  const rows = listOf(invite['rows'])
  const hasChoice = rows.some((row) => row['isLocked'] !== true)
  const isTicked = (row: Record_): boolean => stored?.includes(textOf(row['id'])) ?? row['isTicked'] === true
  const quoted = (texts: string[]): string[] => texts.map((text) => `  | ${text}`)
  const consent = textsOf(theirs['consent'])
  return [
    '',
    `${idOf(invite)}. ${textOf(invite['title'])} (${textOf(invite['badge'])})`,
    ...textsOf(invite['says']).map((text) => `  ${text}`),
    ...quoted([...(theirs['title'] === undefined ? [] : [textOf(theirs['title'])]), ...textsOf(theirs['about'])]),
    ...(rows.length === 0 ? [] : [`  ${textOf(invite['intro'])}`]),
    ...rows.map((row) => `  ${rowLine(row, hasChoice ? (isTicked(row) ? '[x]' : '[ ]') : '-')}`),
    ...textsOf(invite['more']).map((what) => `    - ${what}`),
    ...(consent.length === 0 ? [] : [`  ${textOf(invite['consentHeading'])}:`, ...quoted(consent)]),
    ...textsOf(invite['notes']).map((note) => `  ${note}`),
  ]
}

/** What is answered, by the numbers of those that wait for an answer. */
export type Answers = Record<string, { agrees: boolean; kept: string[] }>

/** What was typed about them. */
export interface TypedAnswers {
  agree: readonly string[]
  decline: readonly string[]
  /** Entries left out or added, as `<n>:<entry>`. */
  without: readonly string[]
  also: readonly string[]
}

const NUMBERED = /^([1-8]):(.+)$/s

/** Whether a word names an entry of an invitation: `2:diary`. What the app itself asks for goes first. */
export function isOfInvite(consent: Record_, word: string): boolean {
  if (listOf(consent['rows']).some((row) => textOf(row['id']) === word)) return false
  const id = NUMBERED.exec(word)?.[1]
  return id !== undefined && invitesOf(consent).some((invite) => idOf(invite) === id)
}

const entriesOf = (words: readonly string[], id: string): string[] =>
  words.flatMap((word) => {
    const [, of, entry] = NUMBERED.exec(word) ?? []
    return of === id && entry !== undefined ? [entry] : []
  })

/**
 * The answers as far as they were typed. Those that the app requires are agreed to by whoever approves its request; of the
 * others, `undecided` are the ones that nothing was said of.
 * @throws CommandError 2 for a number that there is none of, and for what cannot be answered so
 */
export function answersOf(consent: Record_, typed: TypedAnswers): { answers: Answers; undecided: Record_[] } {
  const invites = invitesOf(consent)
  const { agree, decline } = typed
  const ids = invites.map(idOf)
  const unknown = [...agree, ...decline].find((word) => !ids.includes(word))
  if (unknown !== undefined) {
    const hint = ids.length === 0 ? 'The app asks for none' : `There are: ${ids.join(', ')}`
    throw usageError(`The app asks for no consent ${JSON.stringify(unknown)}`, hint)
  }
  const both = agree.find((word) => decline.includes(word))
  if (both !== undefined) throw usageError(`Consent ${both} is both agreed to and declined`)
  const answers: Answers = {}
  const undecided: Record_[] = []
  for (const invite of invites) {
    const id = idOf(invite)
    if (invite['isOpen'] !== true) {
      assertUnanswered(invite, agree)
      continue
    }
    const stored = storedBy(invite, entriesOf(typed.without, id), entriesOf(typed.also, id), `Consent ${id}`)
    const isRequired = invite['isRequired'] === true
    if (isRequired && decline.includes(id)) throw usageError(`The app requires consent ${id}`, 'Without it there is nothing to approve: refuse the request')
    if (isRequired || agree.includes(id)) answers[id] = { agrees: true, kept: stored }
    else if (decline.includes(id)) answers[id] = { agrees: false, kept: [] }
    else undecided.push({ ...invite, kept: stored })
  }
  return { answers, undecided }
}

/** One that was agreed to before may be agreed to again: nothing follows from it. */
function assertUnanswered(invite: Record_, agree: readonly string[]): void {
  const id = idOf(invite)
  const isGiven = invite['isGiven'] === true
  if (!isGiven && agree.includes(id)) throw usageError(`Consent ${id} cannot be given. ${textsOf(invite['notes'])[0] ?? ''}`)
}

/**
 * Asks about those that nothing was said of.
 * @throws CommandError 2 when nobody is to be asked, 130 when the person leaves
 */
export async function askedAbout(terminal: Terminal, undecided: readonly Record_[], isSilent: boolean): Promise<Answers> {
  const answers: Answers = {}
  for (const invite of undecided) {
    const id = idOf(invite)
    if (isSilent || !terminal.mayAsk) {
      const flags = undecided.map((one) => `--agree ${idOf(one)} or --decline ${idOf(one)}`).join(', ')
      throw usageError(`It is for you to say whether you agree to consent ${id}. Nobody can be asked here`, `Say so: ${flags}`)
    }
    const answer = await askLine(terminal, `${textOf(invite['title'])}. Do you agree to consent ${id}? [y/N] `)
    const agrees = /^y(es)?$/i.test(answer.trim())
    answers[id] = { agrees, kept: agrees ? textsOf(invite['kept']) : [] }
  }
  return answers
}

/** What came of them, one a line. */
export const outcomeLines = (answer: Record_): string[] =>
  listOf(answer['cmcInvites']).map((outcome, at) => {
    const id = `Consent ${at + 1}`
    if (outcome['declined'] === true) return `${id} was declined.`
    if (outcome['reason'] === undefined) return `${id} was given: they have the access ${textOf(outcome['dataGrantAccessId'])}.`
    return `${id} could not be given: ${failureError({ reason: outcome['reason'] }).message}`
  })
