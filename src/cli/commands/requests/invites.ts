/** Display and answers, on the terminal, of the consents to other accounts that an app requests with its access. */
import { textsOf } from '../../client/answer.js'
import { failureError } from '../consents/shared/reasons.js'
import { usageError } from '../../framework/exit.js'
import { askLine } from '../../terminal/input/confirm.js'
import type { ResultOf } from '../../client/nodeClient.js'
import type { Terminal } from '../../terminal/terminal.js'
import { entriesToGrant, rowLine, type Consent } from './consent.js'

/** Consent to another account that an app requests. */
type Invite = Consent['invites']['entries'][number]

/** A consent without an answer, and the entries that consenting grants. */
type Undecided = Invite & { kept: string[] }

/** Returns the invitations of a consent. */
const invitesOf = (consent: Consent): Invite[] => consent.invites.entries

const idOf = (invite: Invite): string => invite.id

/** Formats all invitations, each with the number by which it is answered; empty without any. */
export function inviteLines(consent: Consent, answers?: Answers): string[] {
  const { title, about } = consent.invites
  const invites = invitesOf(consent)
  if (invites.length === 0) return []
  return ['', title, about, ...invites.flatMap((invite) => linesOf(invite, answers?.[idOf(invite)]?.kept))]
}

function linesOf(invite: Invite, granted?: readonly string[]): string[] {
  const { theirs } = invite
  const { rows } = invite
  const hasChoice = rows.some((row) => !row.isLocked)
  const isTicked = (row: Consent['rows'][number]): boolean => granted?.includes(row.id) ?? row.isTicked
  const quoted = (texts: string[]): string[] => texts.map((text) => `  | ${text}`)
  const consent = textsOf(theirs.consent)
  return [
    '',
    `${idOf(invite)}. ${invite.title} (${invite.badge})`,
    ...textsOf(invite.says).map((text) => `  ${text}`),
    ...quoted([...(theirs.title === undefined ? [] : [theirs.title]), ...textsOf(theirs.about)]),
    ...(rows.length === 0 ? [] : [`  ${invite.intro}`]),
    ...rows.map((row) => `  ${rowLine(row, hasChoice ? (isTicked(row) ? '[x]' : '[ ]') : '-')}`),
    ...textsOf(invite.more).map((what) => `    - ${what}`),
    ...(consent.length === 0 ? [] : [`  ${invite.consentHeading}:`, ...quoted(consent)]),
    ...textsOf(invite.notes).map((note) => `  ${note}`),
  ]
}

/** Answers by the number of the invitation. `kept` lists the ids of the granted entries. */
type Answers = Record<string, { agrees: boolean; kept: string[] }>

/** Options typed about invitations. */
interface TypedAnswers {
  agree: readonly string[]
  decline: readonly string[]
  /** Entries left out or added, as `<n>:<entry>`. */
  without: readonly string[]
  also: readonly string[]
}

const NUMBERED = /^([1-8]):(.+)$/s

/** Checks whether a word names an entry of an invitation, such as `2:diary`. Entries of the request itself take precedence. */
export function isOfInvite(consent: Consent, word: string): boolean {
  if (consent.rows.some((row) => row.id === word)) return false
  const id = NUMBERED.exec(word)?.[1]
  return id !== undefined && invitesOf(consent).some((invite) => idOf(invite) === id)
}

const entriesOf = (words: readonly string[], id: string): string[] =>
  words.flatMap((word) => {
    const [, of, entry] = NUMBERED.exec(word) ?? []
    return of === id && entry !== undefined ? [entry] : []
  })

/**
 * Returns the answers given by options. Required invitations are accepted with the request; of the
 * others, `undecided` lists those without an answer.
 * @throws CommandError 2 for an unknown number, and for an answer that is not possible
 */
export function answersOf(consent: Consent, typed: TypedAnswers): { answers: Answers; undecided: Undecided[] } {
  const invites = invitesOf(consent)
  const { agree, decline } = typed
  const ids = invites.map(idOf)
  const unknown = [...agree, ...decline].find((word) => !ids.includes(word))
  if (unknown !== undefined) {
    const hint = ids.length === 0 ? 'The app requests no consents' : `Consents: ${ids.join(', ')}`
    throw usageError(`Unknown consent ${JSON.stringify(unknown)}`, hint)
  }
  const both = agree.find((word) => decline.includes(word))
  if (both !== undefined) throw usageError(`Consent ${both} is both accepted and declined`)
  const answers: Answers = {}
  const undecided: Undecided[] = []
  for (const invite of invites) {
    const id = idOf(invite)
    if (!invite.isOpen) {
      assertUnanswered(invite, agree)
      continue
    }
    const granted = entriesToGrant(invite, entriesOf(typed.without, id), entriesOf(typed.also, id), `Consent ${id}`)
    const isRequired = invite.isRequired
    if (isRequired && decline.includes(id)) throw usageError(`The app requires consent ${id}`, 'To decline it, refuse the whole request')
    if (isRequired || agree.includes(id)) answers[id] = { agrees: true, kept: granted }
    else if (decline.includes(id)) answers[id] = { agrees: false, kept: [] }
    else undecided.push({ ...invite, kept: granted })
  }
  return { answers, undecided }
}

/**
 * Checks that a closed invitation is not accepted; accepting a consent that was given before has no effect.
 * @throws CommandError 2
 */
function assertUnanswered(invite: Invite, agree: readonly string[]): void {
  const id = idOf(invite)
  const isGiven = invite.isGiven
  if (!isGiven && agree.includes(id)) throw usageError(`Consent ${id} cannot be given. ${textsOf(invite.notes)[0] ?? ''}`)
}

/**
 * Prompts for the invitations without an answer.
 * @throws CommandError 2 without a terminal, 130 when the person cancels
 */
export async function promptForAnswers(terminal: Terminal, undecided: readonly Undecided[], skipPrompts: boolean): Promise<Answers> {
  const answers: Answers = {}
  for (const invite of undecided) {
    const id = idOf(invite)
    if (skipPrompts || !terminal.mayAsk) {
      const flags = undecided.map((one) => `--agree ${idOf(one)} or --decline ${idOf(one)}`).join(', ')
      throw usageError(`An answer to consent ${id} is required, and there is no terminal to prompt on`, `Answer with: ${flags}`)
    }
    const answer = await askLine(terminal, `${invite.title}. Accept consent ${id}? [y/N] `)
    const agrees = /^y(es)?$/i.test(answer.trim())
    answers[id] = { agrees, kept: agrees ? invite.kept : [] }
  }
  return answers
}

/** Formats the outcome of each invitation, one per line. */
export const outcomeLines = (answer: ResultOf<'requests.approve'>): string[] =>
  (answer.cmcInvites ?? []).map((outcome, at) => {
    const id = `Consent ${at + 1}`
    if ('declined' in outcome) return `${id} was declined.`
    if ('reason' in outcome) return `${id} could not be given: ${failureError({ reason: outcome.reason }).message}`
    return `${id} was given; the other account has the access ${outcome.dataGrantAccessId ?? ''}.`
  })
