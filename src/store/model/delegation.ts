/**
 * Account delegation: who may act for an account (specification, "Account delegation"; consent supplement 6). `B` is the
 * controlled account, `A` its delegate. Each side keeps its half of a relationship; both stay with their node.
 */
import { capabilityOf } from './consentAccess.js'
import type { Access } from './access.js'
import type { Seconds } from './event.js'

/** Who somebody is, on this platform or another: `hostSlug` is the host of the account's API, as a slug. */
export interface Identity {
  username: string
  hostSlug: string
}

/** What a controlled account keeps of one delegate: the anchor. */
export interface Delegate {
  /** Id of the relationship, the same on both sides. */
  relId: string
  delegate: Identity
  status: 'invite' | 'active'
  requestedAt: Seconds
  activatedAt?: Seconds
  /** Of invites: when they end. */
  expiresAt?: Seconds
  /** Where the delegate is told of the end of the relationship: an API endpoint with a token. */
  notifyApiEndpoint?: string
  /** Base id of the access by which the delegate's node asks for tokens. */
  controlAccessId?: string
  /** Base id of the delegate's personal access, once a token was asked for. */
  patAccessId?: string
  lastTokenIssuedAt?: Seconds
}

/** What a delegate keeps of one account that it may act for: the mirror. */
export interface Controlled {
  relId: string
  controlled: Identity
  status: 'invite' | 'active' | 'stale'
  requestedAt: Seconds
  activatedAt?: Seconds
  /** Of invites: the API endpoint, with a token, at which they are answered. */
  capabilityUrl?: string
  /** Of active ones: the API endpoint, with a token, at which tokens are asked for. */
  controlApiEndpoint?: string
}

/** What `clientData.delegation` of an access says. Clients can neither set it, nor change it, nor take it away. */
export type Marker =
  /** On B: answers one invite. */
  | { kind: 'invite-capability'; relId: string }
  /** On B: asks for tokens of the delegate. */
  | { kind: 'control'; relId: string; delegate: Identity }
  /** On A: is told of the end. */
  | { kind: 'notify'; relId: string }
  /** On B: the delegate's own token. */
  | { kind: 'delegate-pat'; relId: string; delegate: Identity }
  /** On B: made by the delegate's token, or by an access that has this marker. */
  | { kind: 'delegated-child'; relId: string; delegate: Identity; viaAccessId: string }

/** What names of delegates' tokens begin with. Ids of apps that log in are names of personal accesses too: none begins so. */
export const DELEGATE_NAME = 'delegation:'

/** The name of the marker among client data. */
export const MARKER = 'delegation'

/** The kinds of marker that name the delegate. */
const NAMING: readonly unknown[] = ['control', 'delegate-pat', 'delegated-child'] satisfies Marker['kind'][]
const NAMELESS: readonly unknown[] = ['invite-capability', 'notify'] satisfies Marker['kind'][]

/**
 * What the marker of an access says; undefined of an access that has none. Anything else under its name is what an app
 * once put there: data as any other.
 */
export function markerOf({ clientData }: Pick<Access, 'clientData'>): Marker | undefined {
  const marker = clientData?.[MARKER]
  return marker !== undefined && isMarker(marker) ? marker : undefined
}

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

function isMarker(value: unknown): value is Marker {
  if (!isMembers(value) || typeof value['relId'] !== 'string') return false
  const { kind, delegate, viaAccessId } = value
  if (NAMELESS.includes(kind)) return true
  return NAMING.includes(kind) && isIdentity(delegate) && (kind !== 'delegated-child' || typeof viaAccessId === 'string')
}

const isIdentity = (value: unknown): value is Identity =>
  isMembers(value) && typeof value['username'] === 'string' && typeof value['hostSlug'] === 'string'

/** The delegate by whose right the calls of an access are made; undefined when they are the owner's, or nobody's yet. */
export function delegateOf(access: Pick<Access, 'clientData'>): Identity | undefined {
  const marker = markerOf(access)
  return marker !== undefined && 'delegate' in marker ? marker.delegate : undefined
}

/** Whether an access is the work of a relationship itself: it is neither changed nor deleted by the generic methods. */
export function isManaged(access: Pick<Access, 'clientData'>): boolean {
  const marker = markerOf(access)
  return marker !== undefined && marker.kind !== 'delegated-child'
}

/** Whether calls of an access are those of the owner in person: a personal access that no delegate acts by. */
export const isGenuine = ({ type, clientData }: Pick<Access, 'type' | 'clientData'>): boolean =>
  // Whatever lies there: a doubt is decided against a token that may do everything.
  type === 'personal' && clientData?.[MARKER] === undefined

/**
 * The marker of an access that is made by another: the delegate's token, and accesses that were granted with it, hand
 * the relationship down. Undefined when its maker acts for nobody.
 */
export function inheritedMarker(maker: Pick<Access, 'id' | 'clientData'>): Marker | undefined {
  const marker = markerOf(maker)
  if (marker?.kind !== 'delegate-pat' && marker?.kind !== 'delegated-child') return undefined
  return { kind: 'delegated-child', relId: marker.relId, delegate: marker.delegate, viaAccessId: maker.id }
}

/** Client data without the marker, as apps know them; undefined when there are none. */
export function unmarked(clientData: Access['clientData']): Access['clientData'] {
  if (clientData === undefined || !Object.hasOwn(clientData, MARKER)) return clientData
  const { [MARKER]: _, ...rest } = clientData
  return rest
}

/**
 * Whether an access stays with its node when accounts are kept in sync: those of persons, which are sessions, those that
 * are the work of a delegation, and links to offers, which one node alone can see used up.
 */
export const isNodeLocalAccess = (access: Pick<Access, 'type' | 'clientData'>): boolean =>
  access.type === 'personal' || isManaged(access) || capabilityOf(access) !== undefined

/** The reserved stream of delegations. Relationships are kept apart from events, so that nothing is ever in it. */
export const DELEGATION_ROOT = ':_delegation:'

/** Whether a stream id belongs to delegations. */
export const isDelegationStream = (id: string): boolean => id.startsWith(DELEGATION_ROOT)

/** Whether a type of events belongs to delegations. */
export const isDelegationType = (type: string): boolean => type.startsWith('delegation/')
