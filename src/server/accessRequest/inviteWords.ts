/**
 * Consents to other accounts in words, as plain text, for the node's page and the command line alike. What other accounts
 * say is shown without characters that could disguise it, and apart from what the node says.
 */
import type { Language } from '../base/words.js'
import { dateText, inLanguage, rowOf, displayed, type ConsentRow } from './consentWords.js'
import { isUnanswered } from './inviteAnswers.js'
import { OWNER_ONLY, type InviteOffer, type OfferedInvite } from './invites.js'
import { inviteTerms, type InviteProblem, type InviteTerms } from './inviteTerms.js'

/** One invitation. */
export interface InviteText {
  id: string
  title: string
  /** Whether the app can do without it, in words. */
  badge: string
  isRequired: boolean
  /** Who asks, and about which account: what the node says. */
  says: string[]
  /** What the other account says, paragraph by paragraph. */
  theirs: { title?: string; about: string[]; consent: string[] }
  /** Stands before what would be agreed to, in their words. */
  consentHeading: string
  /** Stands before the rows. */
  intro: string
  rows: ConsentRow[]
  /** What comes with every consent. */
  more: string[]
  question: string
  agree: string
  decline: string
  /** Whether it waits for an answer. */
  isOpen: boolean
  /** Whether it was agreed to before. */
  isGiven: boolean
  /** Why it waits for none. */
  notes: string[]
}

/** The invitations of an offer in a language. */
export const inviteTexts = (invites: readonly OfferedInvite[], language: Language): InviteText[] =>
  invites.map((invite) => inviteText(invite, language))

/** What stands above the invitations. */
export const invitesHeading = ({ length }: readonly unknown[], language: Language): { title: string; about: string } => {
  const { heading, about } = inviteTerms[language]
  return { title: heading(length), about }
}

function inviteText(invite: OfferedInvite, language: Language): InviteText {
  const terms = inviteTerms[language]
  const { id, isRequired, username, offer } = invite
  return {
    id,
    title: offer === undefined ? terms.unreadable : terms.title(askerOf(offer)),
    badge: isRequired ? terms.required : terms.optional,
    isRequired,
    says: [...(offer === undefined ? [] : [fromOf(terms, offer)]), terms.forAccount(username)],
    theirs: theirsOf(offer, language),
    consentHeading: terms.consent,
    intro: offer?.allowsChoice === true ? terms.they : terms.theyOnly,
    rows: (offer?.entries ?? []).map((entry) => rowOf(entry, language)),
    more: offer === undefined ? [] : moreOf(terms, offer),
    question: terms.question,
    agree: terms.agree,
    decline: isRequired ? terms.declineRequired : terms.decline,
    isOpen: isUnanswered(invite),
    isGiven: invite.given !== undefined,
    notes: notesOf(terms, invite, language),
  }
}

/** What those who ask are called: by themselves, as far as they say it. */
const askerOf = ({ asker, displayName = '' }: InviteOffer): string => displayed(displayName).trim() || accountOf(asker)

/** A user name never stands without its host. */
const accountOf = ({ username, host }: InviteOffer['asker']): string => displayed(`${username}@${host}`)

const fromOf = (terms: InviteTerms, { asker, host }: InviteOffer): string =>
  terms.from(accountOf(asker), displayed(host))

function theirsOf(offer: InviteOffer | undefined, language: Language): InviteText['theirs'] {
  const { title, description, consent } = offer?.texts ?? {}
  const heading = inLanguage(title, language)
  return {
    ...(heading === undefined || heading === '' ? {} : { title: heading }),
    about: paragraphs(description, language),
    consent: paragraphs(consent, language),
  }
}

function paragraphs(texts: Readonly<Record<string, string>> | undefined, language: Language): string[] {
  const text = texts?.[language] ?? texts?.['en'] ?? Object.values(texts ?? {})[0] ?? ''
  return text
    .split(/\n+/)
    .map((line) => displayed(line).trim())
    .filter((line) => line !== '')
}

function moreOf(terms: InviteTerms, { features, isDelegable }: InviteOffer): string[] {
  return [
    ...(isDelegable ? [terms.delegable] : []),
    ...contactRights(terms, features),
  ]
}

/** What the other account of a relationship may write to this one, whatever data it is given (consent supplement 1.8). */
const contactRights = (terms: InviteTerms, { chat, systemMessaging }: { chat: boolean; systemMessaging: boolean }): string[] => [
  ...(chat ? [terms.chat] : []),
  ...(systemMessaging ? [terms.alerts] : []),
  ...[terms.requests, terms.inbox],
]

/** The same with all kinds of messages, in a language. */
export const allContactRights = (language: Language): string[] => contactRights(inviteTerms[language], { chat: true, systemMessaging: true })

function notesOf(terms: InviteTerms, { given, problem, isPassing, isRequired }: OfferedInvite, language: Language): string[] {
  if (given !== undefined) return [terms.given(dateText(given.at, language))]
  if (problem === undefined) return []
  return [terms.problems[isPassing === true ? 'unreachable' : kindOf(problem)], ...(isRequired ? [] : [terms.notified])]
}

const KINDS: Readonly<Record<string, InviteProblem>> = {
  'cmc-capability-invalid': 'gone',
  'cmc-capability-empty': 'gone',
  'cmc-handler-offer-read-failed': 'gone',
  'cmc-self-accept-forbidden': 'own',
  [OWNER_ONLY]: 'owner-only',
}

const kindOf = (problem: string): InviteProblem => KINDS[problem] ?? 'impossible'
