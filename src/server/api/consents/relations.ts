/** Derives the consents between accounts from events and accesses (docs/interface/consents.md#status-of-an-invite). Pure. */
import { parseAccessId } from '../../../store/model/access.js'
import { scopeOf } from '../../../store/model/cmc.js'
import { isJsonObject } from '../../../store/model/json.js'

type Record_ = Readonly<Record<string, unknown>>

const recordOf = (value: unknown): Record_ => (isJsonObject(value) ? { ...value } : {})
/** Returns a text, or a number as text; empty for all other values. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '')
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
const baseId = (id: string): string => parseAccessId(id).base

/** `invite`: request by this account. `given`: accepted by this account. `received`: accepted by another account. */
type Kind = 'invite' | 'given' | 'received'

export interface Consent {
  kind: Kind
  /** Id of the event that identifies it. */
  id: string
  /**
   * `pending`, `accepted`, `refused`, `revoked`, `invalidated`, `expired` for invites; `delivered`, `active`, `ended`,
   * `failed` for consents; empty for events without a state.
   */
  status: string
  title: string
  /** Time of creation, in seconds. */
  time: number
  counterparty?: Account
  scopeStreamId?: string
  /** The access in this account that implements it. */
  accessId?: string
  capabilityId?: string
  mode?: string
  /** Expiry of its link, in seconds. */
  expires?: number
  /** Number of accounts that joined by its link. */
  joined?: number
}

export interface Account {
  username: string
  /** The host of its endpoint, or the domain of its platform. */
  host: string
  /** Set when the name is not proven: anyone with a link can refuse it under any name. */
  unverified?: true
}

/** A consent with the event and access it comes from. */
export interface ConsentRecord {
  consent: Consent
  event: Record_
  /** The access that implements it, while it exists. */
  access?: Record_
  /** The invite of a received consent. */
  invite?: Record_
}

/** Sources in an account: events under `:_cmc:apps` and in the inbox, and accesses. */
export interface Traces {
  apps: readonly Record_[]
  inbox: readonly Record_[]
  accesses: readonly Record_[]
}

export const contentOf = (event: Record_): Record_ => recordOf(event['content'])

/** Returns the consent data of an access. */
const markOf = (access: Record_): Record_ => recordOf(recordOf(access['clientData'])['cmc'])

/** Formats an account as `ana@example.org`, with the host of its endpoint; empty without an account. */
export const accountText = (account: Account | undefined): string =>
  account === undefined ? '' : `${account.username}@${account.host}${account.unverified === true ? ' (unverified)' : ''}`

export function accountOfIdentity(value: unknown): Account | undefined {
  const { username, host } = recordOf(value)
  return typeof username === 'string' && typeof host === 'string' ? { username, host } : undefined
}

/** Returns the text in the given language, else in English, else the first one. */
export function wordsIn(texts: unknown, language = 'en'): string {
  const map = recordOf(texts)
  return textOf(map[language] ?? map['en'] ?? Object.values(map)[0])
}

/** Returns all consents, the latest first. `now` in seconds. */
export function consentsOf(traces: Traces, now: number): ConsentRecord[] {
  const byId = new Map(traces.accesses.map((access) => [baseId(textOf(access['id'])), access]))
  const accessOf = (id: unknown): Record_ | undefined => {
    const access = typeof id === 'string' ? byId.get(baseId(id)) : undefined
    return access === undefined || (numberOf(access['expires']) ?? Infinity) <= now ? undefined : access
  }
  const invites = traces.apps.filter(({ type }) => type === 'consent/request-cmc')
  const found = [
    ...invites.map((event) => inviteOf(event, traces, now)),
    ...traces.apps.filter(({ type }) => type === 'consent/accept-cmc').map((event) => givenOf(event, accessOf)),
    ...latestOfEach(traces.inbox).map((event) => receivedOf(event, invites, accessOf)),
  ]
  return found.sort((a, b) => b.consent.time - a.consent.time)
}

/** Finds the consent by the id of its event, of its access or of its link. */
export function consentNamed(all: readonly ConsentRecord[], word: string): ConsentRecord | undefined {
  return (
    all.find(({ consent }) => consent.id === word) ??
    all.find(({ consent }) => consent.accessId !== undefined && baseId(consent.accessId) === baseId(word)) ??
    all.find(({ consent }) => consent.kind === 'invite' && consent.capabilityId === word)
  )
}

const unverified = (account: Account | undefined): Account | undefined => (account === undefined ? undefined : { ...account, unverified: true })

function inviteOf(event: Record_, { accesses }: Traces, now: number): ConsentRecord {
  const content = contentOf(event)
  const { capabilityId, capabilityExpiresAt, status, acceptedBy, refusedBy } = content
  const expires = numberOf(capabilityExpiresAt)
  const isOver = status === 'pending' && expires !== undefined && expires <= now
  const joined = accesses.filter((access) => {
    const mark = markOf(access)
    return mark['role'] === 'counterparty' && capabilityId !== undefined && mark['capabilityId'] === capabilityId
  }).length
  const mode = textOf(recordOf(content['capability'])['mode']) === 'open-link' ? 'open-link' : 'single-use'
  const consent: Consent = {
    ...common('invite', event),
    status: isOver ? 'expired' : textOf(status),
    title: wordsIn(recordOf(content['request'])['title']),
    ...optional('counterparty', accountOfIdentity(acceptedBy) ?? unverified(accountOfIdentity(refusedBy))),
    ...optional('scopeStreamId', scopeOf(idsOf(event))),
    ...(typeof capabilityId === 'string' ? { capabilityId, mode, joined } : {}),
    ...optional('expires', expires),
  }
  return { consent, event }
}

function givenOf(event: Record_, accessOf: (id: unknown) => Record_ | undefined): ConsentRecord {
  const { status, dataGrantAccessId, from, acceptedBy, accessName, offerTitle, withdrawal } = contentOf(event)
  const access = withdrawal === undefined ? accessOf(dataGrantAccessId) : undefined
  const isOver = status === 'completed' && access === undefined
  const consent: Consent = {
    ...common('given', event),
    status: isOver ? 'ended' : status === 'completed' ? 'active' : textOf(status),
    // The title is unknown for offers that other nodes accepted.
    title: wordsIn(offerTitle) || textOf(access?.['name'] ?? accessName),
    ...optional('counterparty', accountOfIdentity(from) ?? accountOfIdentity(acceptedBy)),
    ...optional('scopeStreamId', textIn(access, 'scopeStreamId') ?? scopeOf(idsOf(event))),
    ...optional('accessId', typeof dataGrantAccessId === 'string' ? dataGrantAccessId : undefined),
  }
  return { consent, event, ...optional('access', access) }
}

function receivedOf(
  event: Record_,
  invites: readonly Record_[],
  accessOf: (id: unknown) => Record_ | undefined,
): ConsentRecord {
  const { from, backChannelAccessId, inviteEventId, requesterOriginStreamId } = contentOf(event)
  const access = accessOf(backChannelAccessId)
  const invite = invites.find(({ id }) => id === inviteEventId)
  const scope = typeof requesterOriginStreamId === 'string' ? requesterOriginStreamId : undefined
  const consent: Consent = {
    ...common('received', event),
    status: access === undefined ? 'ended' : 'active',
    title: invite === undefined ? '' : wordsIn(recordOf(contentOf(invite)['request'])['title']),
    ...optional('counterparty', accountOfIdentity(from)),
    ...optional('scopeStreamId', textIn(access, 'scopeStreamId') ?? scope),
    ...optional('accessId', typeof backChannelAccessId === 'string' ? backChannelAccessId : undefined),
  }
  return { consent, event, ...optional('access', access), ...optional('invite', invite) }
}

/** Returns the accepts of an inbox; a new one of the same account and scope replaces an earlier one. */
function latestOfEach(inbox: readonly Record_[]): Record_[] {
  const latest = new Map<string, Record_>()
  for (const event of inbox) {
    if (event['type'] !== 'consent/accept-cmc') continue
    const key = textOf(contentOf(event)['backChannelAccessId']) || textOf(event['id'])
    const before = latest.get(key)
    if (before === undefined || timeOf(before) <= timeOf(event)) latest.set(key, event)
  }
  return [...latest.values()]
}

const common = (kind: Kind, event: Record_): Pick<Consent, 'kind' | 'id' | 'time'> => ({ kind, id: textOf(event['id']), time: timeOf(event) })
const timeOf = (event: Record_): number => numberOf(event['time']) ?? 0
const idsOf = ({ streamIds }: Record_): string[] => (Array.isArray(streamIds) ? streamIds.map(textOf) : [])
const textIn = (access: Record_ | undefined, name: string): string | undefined => {
  const value = access === undefined ? undefined : markOf(access)[name]
  return typeof value === 'string' ? value : undefined
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })
}

/** Returns the accounts that joined by a link and have not left. */
export function joinedBy({ consent }: ConsentRecord, accesses: readonly Record_[]): Account[] {
  const ofLink = accesses.filter((access) => markOf(access)['capabilityId'] === consent.capabilityId && markOf(access)['role'] === 'counterparty')
  return ofLink.flatMap((access) => accountOfIdentity(markOf(access)['counterparty']) ?? [])
}
