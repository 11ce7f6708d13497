/**
 * Account delegation: lets one account act for another (docs/interface/delegations.md). `B` is the controlled account, `A` its
 * delegate. Each side stores its half of a relationship, which is never replicated.
 */
import { capabilityOf } from './consentAccess.js'
import type { Access } from './access.js'
import type { Seconds } from './event.js'

/** User name and platform of a person; `hostSlug` is the slug of the host of the account's API. */
export interface Identity {
  username: string
  hostSlug: string
}

/** Record of one delegate on the controlled account: the anchor. */
export interface Delegate {
  /** Id of the relationship, the same on both sides. */
  relId: string
  delegate: Identity
  status: 'invite' | 'active'
  requestedAt: Seconds
  activatedAt?: Seconds
  /** Invites only: expiry time. */
  expiresAt?: Seconds
  /** API endpoint with token for notifying the delegate of the end of the relationship. */
  notifyApiEndpoint?: string
  /** Base id of the access with which the delegate's node requests tokens. */
  controlAccessId?: string
  /** Base id of the delegate's personal access, once a token was issued. */
  patAccessId?: string
  lastTokenIssuedAt?: Seconds
}

/** Record of one controlled account on the delegate: the mirror. */
export interface Controlled {
  relId: string
  controlled: Identity
  status: 'invite' | 'active' | 'stale'
  requestedAt: Seconds
  activatedAt?: Seconds
  /** Invites only: API endpoint with token for the answer. */
  capabilityUrl?: string
  /** Active relationships only: API endpoint with token for requesting tokens. */
  controlApiEndpoint?: string
}

/** Content of `clientData.delegation` of an access. Clients can neither set, change nor remove it. */
export type Marker =
  /** On B: answers one invite. */
  | { kind: 'invite-capability'; relId: string }
  /** On B: requests tokens for the delegate. */
  | { kind: 'control'; relId: string; delegate: Identity }
  /** On A: receives the notice of the end. */
  | { kind: 'notify'; relId: string }
  /** On B: the delegate's own token. */
  | { kind: 'delegate-pat'; relId: string; delegate: Identity }
  /** On B: created with the delegate's token, or by an access that has this marker. */
  | { kind: 'delegated-child'; relId: string; delegate: Identity; viaAccessId: string }

/** Name prefix of delegates' tokens. Reserved: no app id, which names a personal access at login, starts with it. */
export const DELEGATE_NAME = 'delegation:'

/** Key of the marker in client data. */
export const MARKER = 'delegation'

/** Kinds of marker that name the delegate. */
const NAMING: readonly unknown[] = ['control', 'delegate-pat', 'delegated-child'] satisfies Marker['kind'][]
const NAMELESS: readonly unknown[] = ['invite-capability', 'notify'] satisfies Marker['kind'][]

/** Returns the marker of an access; undefined without one. Other values under the key were set by apps and are plain data. */
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

/** Returns the delegate who makes the calls of an access; undefined for the owner's accesses and for pending invites. */
export function delegateOf(access: Pick<Access, 'clientData'>): Identity | undefined {
  const marker = markerOf(access)
  return marker !== undefined && 'delegate' in marker ? marker.delegate : undefined
}

/** Checks whether an access implements a relationship; the generic methods neither change nor delete it. */
export function isManaged(access: Pick<Access, 'clientData'>): boolean {
  const marker = markerOf(access)
  return marker !== undefined && marker.kind !== 'delegated-child'
}

/** Checks whether calls of an access are the owner's own: a personal access without delegate. */
export const isGenuine = ({ type, clientData }: Pick<Access, 'type' | 'clientData'>): boolean =>
  // Any value under the key counts, since the token has full rights.
  type === 'personal' && clientData?.[MARKER] === undefined

/**
 * Returns the marker of an access created by another: a delegate's token and the accesses granted with it pass the
 * relationship on. Undefined when the creator has no delegate.
 */
export function inheritedMarker(maker: Pick<Access, 'id' | 'clientData'>): Marker | undefined {
  const marker = markerOf(maker)
  if (marker?.kind !== 'delegate-pat' && marker?.kind !== 'delegated-child') return undefined
  return { kind: 'delegated-child', relId: marker.relId, delegate: marker.delegate, viaAccessId: maker.id }
}

/** Returns client data without the marker, as apps see them; undefined when there are none. */
export function unmarked(clientData: Access['clientData']): Access['clientData'] {
  if (clientData === undefined || !Object.hasOwn(clientData, MARKER)) return clientData
  const { [MARKER]: _, ...rest } = clientData
  return rest
}

/**
 * Checks whether an access is never replicated: sessions, accesses of a delegation, and links to offers, whose single
 * use only one node can track.
 */
export const isNodeLocalAccess = (access: Pick<Access, 'type' | 'clientData'>): boolean =>
  access.type === 'personal' || isManaged(access) || capabilityOf(access) !== undefined

/** Reserved stream of delegations. Relationships are stored outside events, so it is always empty. */
const DELEGATION_ROOT = ':_delegation:'

/** Checks whether a stream id belongs to delegations. */
export const isDelegationStream = (id: string): boolean => id.startsWith(DELEGATION_ROOT)

/** Checks whether an event type belongs to delegations. */
export const isDelegationType = (type: string): boolean => type.startsWith('delegation/')
