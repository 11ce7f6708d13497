/**
 * Plain-text rendering of an offer, shared by the node's page and the command line (docs/interface/access-requests.md#pages).
 * Names from apps and users are sanitised of characters that could disguise them.
 */
import type { GrantReason } from '../../../store/model/consent.js'
import type { Permission, StreamPermission } from '../../../store/model/access.js'
import { channelOf, CMC_INBOX } from '../../../store/model/cmc.js'
import type { Language } from '../../base/words.js'
import { consentTerms, type ConsentTerms } from './consentTerms.js'
import type { Offer } from './offer.js'
import type { OfferEntry } from './offerEntry.js'

/** One entry: `what` completes the intro; `details` are remarks on it. */
export interface ConsentRow {
  id: string
  what: string
  /** Remarks such as "does not exist yet" or "required". */
  details: string[]
  isRequired: boolean
  isTicked: boolean
  isLocked: boolean
}

export interface ConsentText {
  title: string
  /** The app's name, and the operator's description of it. */
  app: { name: string; description?: string; note: string }
  /** The app's own message, under a heading that marks it as such. */
  message?: { heading: string; text: string }
  /** Introduction above the rows. */
  intro: string
  rows: ConsentRow[]
  /** Notes on duration, replaced access and name conflicts. */
  notes: string[]
  /** Reasons why it can only be refused; empty when it can be accepted. */
  obstacles: string[]
  accept: string
  refuse: string
}

/** Returns the text of an offer in a language. */
export function consentText(offer: Offer, language: Language): ConsentText {
  const terms = consentTerms[language]
  const app = appText(offer.app, language)
  return {
    title: terms.title(app.name, offer.username),
    app,
    ...(offer.message === undefined ? {} : { message: { heading: terms.message, text: sanitiseText(offer.message) } }),
    intro: introOf(terms, offer),
    rows: offer.entries.map((each) => rowOf(each, language)),
    notes: notesOf(terms, offer, language),
    obstacles: offer.obstacles.map(({ kind, detail }) =>
      detail === undefined ? terms.obstacles[kind] : `${terms.obstacles[kind]} (${sanitiseText(detail)})`,
    ),
    accept: terms.accept,
    refuse: terms.refuse,
  }
}

/** Describes an app in a language: by its entry in the operator's directory, else by its self-declared id. */
export function appText({ id, entry }: Offer['app'], language: Language): ConsentText['app'] {
  const terms = consentTerms[language]
  const description = inLanguage(entry?.description, language)
  return {
    name: inLanguage(entry?.displayName, language) ?? (sanitiseText(id) || '\ufffd'),
    ...(description === undefined ? {} : { description }),
    note: entry === undefined ? terms.unlistedApp(sanitiseText(id)) : terms.listedApp(sanitiseText(id)),
  }
}

/** Describes in lower case what a permission allows or forbids; `name` is the name of its stream. */
export const permissionText = (permission: Permission, name: string | undefined, language: Language): string =>
  whatOf(consentTerms[language], permission, name)

/** Describes a consent permission that lets the other account write; undefined for permissions on data. */
export const contactPermissionText = (permission: Permission, language: Language): string | undefined =>
  'streamId' in permission ? contactText(consentTerms[language], permission, undefined) : undefined

/** Returns the reason why a selection cannot be granted, in a language. */
export const grantProblemText = (reason: GrantReason, language: Language): string => consentTerms[language].problems[reason]

function introOf(terms: ConsentTerms, { entries, allowsChoice }: Offer): string {
  if (entries.length === 0) return terms.nothing
  if (allowsChoice) return terms.choose
  return entries.length === 1 ? terms.will : terms.willOnly
}

/** Returns the row of an entry in a language. */
export function rowOf(entry: OfferEntry, language: Language): ConsentRow {
  const terms = consentTerms[language]
  const { id, permission, stream, isRequired, isTicked, isLocked } = entry
  const details: string[] = []
  if (stream?.state === 'new') details.push(terms.newStream)
  if (stream?.state === 'trashed') details.push(terms.trashedStream)
  // Streams may share a name; the id disambiguates.
  if (stream !== undefined && 'streamId' in permission && stream.name !== permission.streamId) details.push(sanitiseText(permission.streamId))
  if (isRequired) details.push(terms.required)
  return { id, what: whatOf(terms, permission, stream?.name), details, isRequired, isTicked, isLocked }
}

function whatOf(terms: ConsentTerms, permission: Permission, name: string | undefined): string {
  if ('tag' in permission) return terms.levels[permission.level](terms.tagged(sanitiseText(permission.tag)))
  if ('streamId' in permission) {
    const isAll = permission.streamId === '*'
    const contact = contactText(terms, permission, name)
    if (contact !== undefined) return contact
    return terms.levels[permission.level](isAll ? terms.everything : terms.quoted(sanitiseText(name ?? permission.streamId)))
  }
  const { feature, setting, streams } = permission
  if (streams !== undefined) return terms.forcedStreams(streams.map((id) => terms.quoted(sanitiseText(id))).join(', '))
  const known = Object.hasOwn(terms.features, feature) ? terms.features[feature] : undefined
  return known?.[setting] ?? terms.otherFeature(sanitiseText(feature), setting)
}

/** Describes a permission on the inbox or on a relationship's channel; undefined for other permissions. */
function contactText(terms: ConsentTerms, { streamId, level }: StreamPermission, name: string | undefined): string | undefined {
  if (streamId === CMC_INBOX) return level === 'create-only' ? terms.inbox : undefined
  const channel = channelOf(streamId)
  return channel?.peer === undefined || level !== 'contribute' ? undefined : terms[channel.kind](sanitiseText(name ?? channel.peer))
}

function notesOf(terms: ConsentTerms, offer: Offer, language: Language): string[] {
  const { granted, replaces, expireAfter, nameConflict, deviceName } = offer
  const notes: string[] = []
  if (deviceName !== undefined) notes.push(terms.device(sanitiseText(deviceName)))
  if (granted !== undefined) {
    notes.push(terms.granted)
    if (granted.until !== undefined) notes.push(terms.grantedUntil(dateText(granted.until, language)))
  } else notes.push(expireAfter === undefined ? terms.lastsOn : terms.lasts(spanText(expireAfter, language)))
  if (replaces !== undefined) {
    notes.push(terms.replaces)
    if (replaces.shares > 0) notes.push(terms.sharesEnd(replaces.shares))
  }
  if (nameConflict !== undefined) notes.push(terms.nameConflict(sanitiseText(nameConflict)))
  return notes
}

const UNITS = [
  ['year', 365 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** Formats a duration in the largest unit with a count of at least two, or exactly one: `30 days`, `90 minutes`. */
export function spanText(seconds: number, language: Language): string {
  const [unit, size] = UNITS.find(([, size]) => seconds === size || seconds >= 2 * size) ?? (['second', 1] as const)
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 })
  return format.format(seconds / size)
}

/** Formats the day of a time in seconds. */
export function dateText(time: number, language: Language): string {
  const date = new Date(time * 1000)
  if (Number.isNaN(date.getTime())) return String(time)
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
}

/** Replaces whitespace runs with a space, and removes control and text-direction characters. */
export function sanitiseText(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(/[\p{Cc}\p{Cf}\p{Surrogate}]/gu, '')
}

/** Returns a directory text in a language, else in English, else in any. */
export function inLanguage(words: string | Record<string, string> | undefined, language: Language): string | undefined {
  if (words === undefined || typeof words === 'string') return words === undefined ? undefined : sanitiseText(words)
  const found = words[language] ?? words['en'] ?? Object.values(words)[0]
  return found === undefined ? undefined : sanitiseText(found)
}
