/**
 * What `clientData.cmc` says of an access: that it is the link of an offer, or one of the two by which accounts that
 * agreed reach each other (consent supplement 1.6, 1.8, 1.10). Clients never set it; what cannot be read is none.
 */
import type { Access } from './access.js'
import type { CmcIdentity } from './cmc.js'
import { hostSlug } from './hostSlug.js'

/** The member of client data that is kept here. */
export const CMC = 'cmc'

export type CapabilityMode = 'single-use' | 'open-link'
export type CapabilityState = 'open' | 'consumed' | 'invalidated'

/** The access whose endpoint is the link to an offer. */
export interface CapabilityMark {
  kind: 'capability'
  capabilityId: string
  /** The event that asked for it, on this account. */
  requestEventId?: string
  singleUse: boolean
  capability: { mode: CapabilityMode; state: CapabilityState; stateChangedAt: number }
}

/** Which channels a relationship has; one that nothing is said of is on. */
export interface Features {
  chat?: boolean
  systemMessaging?: boolean
}

/** The other account of a relationship, and how it is reached, as far as it has said. */
export interface Counterparty extends CmcIdentity {
  apiEndpoint?: string
  remoteChatStreamId?: string
  remoteCollectorStreamId?: string
}

/** The access of one relationship: a data-grant on the account that accepted, a back channel on the one that asked. */
export interface CounterpartyMark {
  role: 'counterparty'
  appCode?: string
  scopeStreamId?: string
  counterparty: Counterparty
  /** The offer, on the account that asked. */
  offerEventId?: string
  /** Of a data-grant: the event by which it was accepted, on this account. */
  acceptEventId?: string
  /** Of a data-grant: how the other account is written to; null until it has said. */
  backChannelApiEndpoint?: string | null
  features?: Features | null
  /** Of a back channel: the link it was accepted by, and the event that asked for that. */
  capabilityId?: string
  inviteEventId?: string
}

type Marked = Pick<Access, 'clientData'>

const memberOf = (access: Marked): Record<string, unknown> | undefined => {
  const mark = access.clientData?.[CMC]
  return typeof mark === 'object' && mark !== null && !Array.isArray(mark) ? (mark as Record<string, unknown>) : undefined
}

/** Ids of links are made by nodes; they are parts of keys and of ids of streams. */
const CAPABILITY_ID = /^[a-z0-9-]{1,64}$/

const isText = (value: unknown): value is string => typeof value === 'string'

/** The link to an offer that an access is; undefined for others. */
export function capabilityOf(access: Marked): CapabilityMark | undefined {
  const mark = memberOf(access)
  const id = mark?.['capabilityId']
  if (mark?.['kind'] !== 'capability' || !isText(id) || !CAPABILITY_ID.test(id)) return undefined
  const capability = mark['capability'] as Partial<CapabilityMark['capability']> | undefined
  if (!isText(capability?.mode) || !isText(capability.state)) return undefined
  return mark as unknown as CapabilityMark
}

/** The relationship that an access is of; undefined for others. */
export function counterpartyOf(access: Marked): CounterpartyMark | undefined {
  const mark = memberOf(access)
  if (mark?.['role'] !== 'counterparty') return undefined
  const peer = mark['counterparty'] as Partial<Counterparty> | undefined
  return isText(peer?.username) && isText(peer.host) ? (mark as unknown as CounterpartyMark) : undefined
}

/** Whether an access is of a relationship, also one that does not say with whom. */
export const isCounterparty = (access: Marked): boolean => memberOf(access)?.['role'] === 'counterparty'

/** The event by which the person of this account gave the consent that an access is of; undefined where there is none. */
export function acceptEventOf(access: Marked): string | undefined {
  const id = isCounterparty(access) ? memberOf(access)?.['acceptEventId'] : undefined
  return isText(id) ? id : undefined
}

/** The mark of an OAuth client's session that was made by right of a consent. */
export const sessionMark = (dataGrantAccessId: string): Record<string, string> => ({ kind: 'oauth-session', dataGrantAccessId })

/** The base id of the consent by whose right an OAuth client's session was made; undefined for other accesses. */
export function sessionConsentOf(access: Marked): string | undefined {
  const mark = memberOf(access)
  const id = mark?.['kind'] === 'oauth-session' ? mark['dataGrantAccessId'] : undefined
  return isText(id) ? id : undefined
}

/** Whether an id has the form of a link's. */
export const isCapabilityId = (id: unknown): id is string => isText(id) && CAPABILITY_ID.test(id)

/** An account in ids of streams: `<username>--<host slug>`, by which accounts are also compared. */
export const peerSlug = ({ username, host }: CmcIdentity): string => `${username.toLowerCase()}--${hostSlug(host)}`

const HALF = /^(?!.*--)[a-z0-9-]{1,128}$/

/** Whether an account can be named in ids of streams. */
export const hasPeerSlug = ({ username, host }: CmcIdentity): boolean =>
  HALF.test(username.toLowerCase()) && HALF.test(hostSlug(host))

/** Whether two identities are of one account. */
export const isSameAccount = (a: CmcIdentity, b: CmcIdentity): boolean => peerSlug(a) === peerSlug(b)
