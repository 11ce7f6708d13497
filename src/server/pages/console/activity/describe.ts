/** Describes audit records in words: groups them by day, folds similar neighbours, and names streams and accesses. */
import { findEvent } from '../../../../store/events/events.js'
import { isPeopleStream } from '../../../../store/model/peopleStreams.js'
import { streamName } from '../../access/grantedAccesses.js'
import { dayText } from '../../times.js'
import type { ConsoleVisit } from '../consolePage.js'
import { quotedName, type AccessNames } from './accessNames.js'
import { actionOf, type Action, type PhraseId } from './actions.js'
import { signInAccesses, type AuditRecord } from './records.js'
import { activityWords, type ActionDetails } from './words.js'

/** Similar records one after the other. */
export interface Entry {
  /** Times of the latest and the earliest record, in seconds. */
  latest: number
  earliest: number
  text: string
  /** Further actions of the same access at the same time. */
  also: readonly string[]
  /** Number of actions, where the text does not name it. */
  times: number
  isRefused: boolean
  reason?: string
  ip?: string
  /** Id of the access that acted, if it still exists. */
  accessId?: string
}

export interface Day {
  name: string
  entries: Entry[]
}

/** Records that an entry consists of, while it is being folded. */
interface Fold {
  key: string
  records: AuditRecord[]
}

/** Maximum number of streams that a sentence names. */
const MAX_STREAMS = 3

/** Phrases of reading, the most telling first: an entry of several kinds of reading is described by the first. */
const readingRank: readonly PhraseId[] = ['dataRead', 'seriesRead', 'eventRead', 'fileRead', 'streamsRead', 'accessInfoRead']

/** Phrases that contain the number of actions. */
const counting: ReadonlySet<PhraseId> = new Set([
  'eventRead',
  'fileRead',
  'eventAdded',
  'eventChanged',
  'eventDeleted',
  'fileAdded',
  'fileDeleted',
  'streamAdded',
  'streamChanged',
  'streamDeleted',
])

/** Groups records, the latest first, by the day of the reader, and folds similar neighbours. */
export function describeDays(visit: ConsoleVisit, records: readonly AuditRecord[], names: AccessNames): Day[] {
  const days: { name: string; folds: Fold[] }[] = []
  for (const record of records) {
    const name = dayText(record.time, visit)
    let day = days.at(-1)
    if (day?.name !== name) {
      day = { name, folds: [] }
      days.push(day)
    }
    const key = foldKey(record)
    const fold = day.folds.at(-1)
    if (fold?.key === key) fold.records.push(record)
    else day.folds.push({ key, records: [record] })
  }
  return days.map(({ name, folds }) => ({ name, entries: folds.map(({ records }) => entryOf(visit, records, names)) }))
}

function foldKey({ method, access, failure, delegate = '', item = '', time }: AuditRecord): string {
  const { kind, phrase } = actionOf(method)
  if (failure !== undefined) return ['refused', access, delegate, kind, failure.id].join(' ')
  if (kind === 'reading') return ['reading', access, delegate].join(' ')
  // Each access is named.
  const own = phrase === 'accessGiven' || phrase === 'accessChanged' ? item : phrase === 'accessWithdrawn' ? String(time) : ''
  return [phrase, access, delegate, own].join(' ')
}

function entryOf(visit: ConsoleVisit, records: readonly AuditRecord[], names: AccessNames): Entry {
  const words = activityWords[visit.language]
  const [first] = records
  if (first === undefined) throw new Error('an entry has at least one record')
  const { access, failure, ip } = first
  const acting = names.get(access)
  const common = {
    latest: first.time,
    earliest: records.at(-1)?.time ?? first.time,
    ...(ip === undefined || acting?.isOfPages === true ? {} : { ip }),
    ...(acting === undefined || acting.deleted !== undefined || acting.type === 'personal' || acting.isDelegation ? {} : { accessId: acting.id }),
  }
  const by = actorText(visit, first, names)
  const sentence = (text: string): string => (by === '' ? text : `${text} ${by}`)
  if (failure !== undefined) {
    const { kind } = actionOf(first.method)
    const reason = Object.hasOwn(words.reasons, failure.id) ? words.reasons[failure.id] : failure.message || failure.id
    return { ...common, text: sentence(words.attempts[kind]), also: [], times: callsOf(records), isRefused: true, ...(reason === undefined ? {} : { reason }) }
  }
  const byPhrase = new Map<PhraseId, AuditRecord[]>()
  for (const record of records) {
    const { phrase } = actionOf(record.method)
    byPhrase.set(phrase, [...(byPhrase.get(phrase) ?? []), record])
  }
  const texts = [...byPhrase].sort(([a], [b]) => rankOf(a) - rankOf(b)).map(([phrase, of]) => ({ phrase, of, text: words.phrases[phrase](detailsOf(visit, phrase, of, names)) }))
  const [main, ...others] = texts
  const times = main === undefined || counting.has(main.phrase) ? 1 : callsOf(main.of)
  return { ...common, text: sentence(main?.text ?? ''), also: others.map(({ text }) => text), times, isRefused: false }
}

const callsOf = (records: readonly AuditRecord[]): number => records.reduce((sum, { calls }) => sum + calls, 0)

function rankOf(phrase: PhraseId): number {
  const rank = readingRank.indexOf(phrase)
  return rank < 0 ? readingRank.length : rank
}

function detailsOf(visit: ConsoleVisit, phrase: PhraseId, records: readonly AuditRecord[], names: AccessNames): ActionDetails {
  const ids = new Set<string>()
  let isAll = false
  let unlisted = 0
  for (const { streams, streamCount } of records) {
    isAll ||= streams.includes('*')
    unlisted = Math.max(unlisted, streamCount - streams.length)
    for (const id of streams) if (id !== '*' && isPeopleStream(id)) ids.add(id)
  }
  if (phrase === 'eventAdded' || phrase === 'eventChanged') for (const id of streamsOfEvents(visit, records)) ids.add(id)
  const top = withoutDescendants(visit, ids)
  const shown = top.slice(0, MAX_STREAMS).map((id) => quotedName(streamName(visit, id), visit))
  const more = top.length - shown.length + unlisted
  const { names: join } = activityWords[visit.language]
  return { streams: join(shown, more), isPlural: shown.length + more > 1, isAll, name: nameOfTarget(phrase, records, names), count: callsOf(records) }
}

/** Returns the streams of written events. Reads the store, since each call would add a record to the list it is made for. */
function streamsOfEvents({ session }: ConsoleVisit, records: readonly AuditRecord[]): string[] {
  const { db, prefix } = session.account
  const items = new Set(records.flatMap(({ item }) => (item === undefined ? [] : [item])))
  return [...items].flatMap((id) => findEvent(db, prefix, id)?.streamIds ?? []).filter(isPeopleStream)
}

/** Leaves out streams below others of a set. */
function withoutDescendants({ session }: ConsoleVisit, ids: ReadonlySet<string>): string[] {
  const { tree } = session.account
  return [...ids].filter((id) => {
    const parent = tree.parent(id)?.id
    return parent === undefined || !ids.has(parent)
  })
}

/** Maximum distance between the record of a deletion and the time stored with the deleted access, in seconds. */
const DELETION_SECONDS = 1

/** Returns the name of the access that an action gave, changed or withdrew. */
function nameOfTarget(phrase: PhraseId, records: readonly AuditRecord[], names: AccessNames): string {
  const [first] = records
  if (first === undefined) return ''
  if (phrase !== 'accessWithdrawn') return first.item === undefined ? '' : (names.get(first.item)?.name ?? '')
  // Records of deletions do not name the access. Its own deletion has the same time.
  let nearest: { distance: number; name: string } = { distance: DELETION_SECONDS, name: '' }
  for (const { deleted = -Infinity, name } of names.values()) {
    const distance = Math.abs(deleted - first.time)
    if (distance < nearest.distance) nearest = { distance, name }
  }
  return nearest.name
}

/** Describes who acted, to follow a phrase; empty where the phrase says so itself. */
function actorText({ language }: ConsoleVisit, { access, delegate, isTerminal, method }: AuditRecord, names: AccessNames): string {
  const { by } = activityWords[language]
  if (delegate !== undefined) return by.delegate(`\u2068${delegate}\u2069`)
  if (isTerminal || access === 'system') return by.terminal
  if (access === 'invalid') return by.unknown
  if (access === 'admin') return by.operator
  if (access === 'public') return by.public
  if (signInAccesses.includes(access) || access === 'email-verification-token' || isOwnPhrase(actionOf(method))) return ''
  const acting = names.get(access)
  if (acting === undefined) return by.gone
  if (acting.isOfPages) return by.you
  return { personal: by.session, app: by.app, shared: by.link }[acting.type](acting.name)
}

const isOwnPhrase = ({ phrase }: Action): boolean => phrase === 'signedOut'
