/**
 * Plain-text rendering of consents to other accounts, shared by the node's page and the command line. Texts of other
 * accounts are sanitised of disguising characters, and separated from the node's own.
 */
import type { Language } from '../../base/words.js'
import { dateText, inLanguage, rowOf, sanitiseText, type ConsentRow } from './consentWords.js'
import { isUnanswered } from './inviteAnswers.js'
import { OWNER_ONLY, type InviteOffer, type OfferedInvite } from './invites.js'
import { inviteTerms, type InviteProblem, type InviteTerms } from './inviteTerms.js'

/** Text of one invitation. */
export interface InviteText {
  id: string
  title: string
  /** States in words whether the app requires it. */
  badge: string
  isRequired: boolean
  /** The node's statement of the requester and the account concerned. */
  says: string[]
  /** The other account's own texts, one item per paragraph. */
  theirs: { title?: string; about: string[]; consent: string[] }
  /** Heading of the consent in the requester's words. */
  consentHeading: string
  /** Introduction above the rows. */
  intro: string
  rows: ConsentRow[]
  /** Rights included in every consent. */
  more: string[]
  question: string
  agree: string
  decline: string
  /** True when it waits for an answer. */
  isOpen: boolean
  /** True when it was agreed to before. */
  isGiven: boolean
  /** Reasons why it needs no answer. */
  notes: string[]
}

/** Returns the invitations of an offer as texts in a language. */
export const inviteTexts = (invites: readonly OfferedInvite[], language: Language): InviteText[] =>
  invites.map((invite) => inviteText(invite, language))

/** Returns the heading above the invitations. */
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

/** Returns the requester's self-declared display name, else the account. */
const askerOf = ({ asker, displayName = '' }: InviteOffer): string => sanitiseText(displayName).trim() || accountOf(asker)

/** Returns the username with its host; it is never shown without. */
const accountOf = ({ username, host }: InviteOffer['asker']): string => sanitiseText(`${username}@${host}`)

const fromOf = (terms: InviteTerms, { asker, host }: InviteOffer): string =>
  terms.from(accountOf(asker), sanitiseText(host))

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
    .map((line) => sanitiseText(line).trim())
    .filter((line) => line !== '')
}

function moreOf(terms: InviteTerms, { features, isDelegable }: InviteOffer): string[] {
  return [
    ...(isDelegable ? [terms.delegable] : []),
    ...contactRights(terms, features),
  ]
}

/**
 * Lists what the other account of a relationship may write, whatever data it is granted (docs/interface/consents.md#acceptance).
 */
const contactRights = (terms: InviteTerms, { chat, systemMessaging }: { chat: boolean; systemMessaging: boolean }): string[] => [
  ...(chat ? [terms.chat] : []),
  ...(systemMessaging ? [terms.alerts] : []),
  ...[terms.requests, terms.inbox],
]

/** Returns the same with all kinds of messages, in a language. */
export const allContactRights = (language: Language): string[] => contactRights(inviteTerms[language], { chat: true, systemMessaging: true })

function notesOf(terms: InviteTerms, { given, problem, isTemporary, isRequired }: OfferedInvite, language: Language): string[] {
  if (given !== undefined) return [terms.given(dateText(given.at, language))]
  if (problem === undefined) return []
  return [terms.problems[isTemporary === true ? 'unreachable' : kindOf(problem)], ...(isRequired ? [] : [terms.notified])]
}

const KINDS: Readonly<Record<string, InviteProblem>> = {
  'cmc-capability-invalid': 'gone',
  'cmc-capability-empty': 'gone',
  'cmc-handler-offer-read-failed': 'gone',
  'cmc-self-accept-forbidden': 'own',
  [OWNER_ONLY]: 'owner-only',
}

const kindOf = (problem: string): InviteProblem => KINDS[problem] ?? 'impossible'
