/**
 * The streams by which accounts message each other and agree on consents (consent supplement 1.2, 1.3). Pure names: who
 * may do what with them is in server/consent.
 */
import type { Stream } from './stream.js'
import { UNKNOWN_DATE } from './systemStreams.js'

export const CMC_ROOT = ':_cmc:'
export const CMC_INBOX = ':_cmc:inbox'
export const CMC_APPS = ':_cmc:apps'
export const CMC_INTERNAL = ':_cmc:_internal'
const RETRIES = ':_cmc:_internal:retries'

const OFFERS = `${CMC_INTERNAL}:offer:`
const RESPONSES = `${CMC_INTERNAL}:responses:`

const reserved = (id: string, name: string, parentId: string | null): Stream => ({
  id,
  name,
  parentId,
  clientData: { cmc: { kind: 'reserved-parent', autoProvisioned: true } },
  created: UNKNOWN_DATE,
  createdBy: 'system',
  modified: UNKNOWN_DATE,
  modifiedBy: 'system',
})

/** What every account has from its beginning, without a record: no node writes them, so copies cannot disagree on them. */
export const reservedStreams: readonly Stream[] = [
  reserved(CMC_ROOT, 'CMC', null),
  reserved(CMC_INBOX, 'CMC inbox', CMC_ROOT),
  reserved(CMC_APPS, 'CMC apps', CMC_ROOT),
  reserved(CMC_INTERNAL, 'CMC plugin-internal', CMC_ROOT),
  reserved(RETRIES, 'CMC retry queue', CMC_INTERNAL),
]

const reservedIds = new Set(reservedStreams.map(({ id }) => id))

/** Whether an id is one of the streams that every account has. */
export const isReservedStream = (id: string): boolean => reservedIds.has(id)

/** Whether an id lies in the area of messages and consents. */
export const isCmcStream = (id: string): boolean => id.startsWith(CMC_ROOT)

/** Whether an id lies in the part that the node keeps for itself. */
export const isInternalStream = (id: string): boolean => id === CMC_INTERNAL || id.startsWith(`${CMC_INTERNAL}:`)

/** Where the offer of a capability is read, and where its answers are written. */
export const offerStreamOf = (capabilityId: string): string => OFFERS + capabilityId
export const responsesStreamOf = (capabilityId: string): string => RESPONSES + capabilityId

/** The capability whose answers are written to a stream; undefined for other streams. */
export const capabilityOfResponses = (id: string): string | undefined =>
  id.startsWith(RESPONSES) ? id.slice(RESPONSES.length) : undefined

const APP_PREFIX = `${CMC_APPS}:`
const APP = /^[a-z0-9-]+$/

/**
 * Whether only the node makes items of an id: what begins with `:_` is its own, except the streams of apps. Items of
 * clients that are there already stay readable.
 */
export const isReservedForNode = (id: string): boolean => id.startsWith(':_') && !id.startsWith(APP_PREFIX)
const CHANNELS = ['chats', 'collectors'] as const

export type ChannelKind = (typeof CHANNELS)[number]

const isChannelSegment = (segment: string): segment is ChannelKind => (CHANNELS as readonly string[]).includes(segment)

/** The segments of an id under `:_cmc:apps:`, the app's code first; undefined for other ids. */
function segmentsOf(id: string): string[] | undefined {
  return id.startsWith(APP_PREFIX) ? id.slice(APP_PREFIX.length).split(':') : undefined
}

/** The app code of an id under `:_cmc:apps:`; undefined where there is none. */
export function appCodeOf(id: string): string | undefined {
  const [app] = segmentsOf(id) ?? []
  return app !== undefined && APP.test(app) ? app : undefined
}

export const appStreamOf = (app: string): string => APP_PREFIX + app

/** The stream that a person answers an offer in: that of its scope, else of the app that it names. */
export const answerStreamOf = (scope: string | undefined, appId: unknown): string =>
  scope ?? appStreamOf(typeof appId === 'string' && APP.test(appId) ? appId : 'coffer')

/** A stream in which two accounts message each other: `<scope>:chats:<peer>` or `<scope>:collectors:<peer>`. */
export interface Channel {
  scope: string
  kind: ChannelKind
  /** Slug of the other account; absent for the stream above those of all. */
  peer?: string
}

/** What channel an id names, by its first segment `chats` or `collectors`; undefined for other ids. */
export function channelOf(id: string): Channel | undefined {
  const segments = segmentsOf(id)
  const at = segments?.findIndex((segment, index) => index > 0 && isChannelSegment(segment)) ?? -1
  const kind = segments?.[at]
  if (segments === undefined || kind === undefined || !isChannelSegment(kind)) return undefined
  const scope = APP_PREFIX + segments.slice(0, at).join(':')
  const peer = segments.slice(at + 1).join(':')
  return peer === '' ? { scope, kind } : { scope, kind, peer }
}

export const channelStreamOf = (scope: string, kind: ChannelKind, peer: string): string => `${scope}:${kind}:${peer}`

/** The first id of an app's, without what follows it as a channel: the scope of a relationship. */
export function scopeOf(streamIds: readonly string[]): string | undefined {
  const first = streamIds.find((id) => appCodeOf(id) !== undefined)
  return first === undefined ? undefined : (channelOf(first)?.scope ?? first)
}

/** The ids from an app's root down to `scope`, the root first. */
export function scopeChain(scope: string): string[] {
  const segments = segmentsOf(scope) ?? []
  return segments.map((_, at) => APP_PREFIX + segments.slice(0, at + 1).join(':'))
}

/** An account as others name it. */
export interface CmcIdentity {
  username: string
  host: string
}
