/**
 * Ids of the streams for messages and consents between accounts (docs/interface/consents.md#streams,
 * docs/interface/consents.md#identities). Pure; their access rules are in src/server.
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

/** Streams that every account has implicitly. They are never stored, so replicas cannot diverge on them. */
export const reservedStreams: readonly Stream[] = [
  reserved(CMC_ROOT, 'CMC', null),
  reserved(CMC_INBOX, 'CMC inbox', CMC_ROOT),
  reserved(CMC_APPS, 'CMC apps', CMC_ROOT),
  reserved(CMC_INTERNAL, 'CMC plugin-internal', CMC_ROOT),
  reserved(RETRIES, 'CMC retry queue', CMC_INTERNAL),
]

const reservedIds = new Set(reservedStreams.map(({ id }) => id))

/** Checks whether an id is one of the implicit streams. */
export const isReservedStream = (id: string): boolean => reservedIds.has(id)

/** Checks whether an id is in the area of messages and consents. */
export const isCmcStream = (id: string): boolean => id.startsWith(CMC_ROOT)

/** Checks whether an id is in the part reserved for the node. */
export const isInternalStream = (id: string): boolean => id === CMC_INTERNAL || id.startsWith(`${CMC_INTERNAL}:`)

/** Returns the stream in which the offer of a capability is read; `responsesStreamOf` that for its answers. */
export const offerStreamOf = (capabilityId: string): string => OFFERS + capabilityId
export const responsesStreamOf = (capabilityId: string): string => RESPONSES + capabilityId

/** Returns the capability whose answers are written to a stream; undefined for other streams. */
export const capabilityOfResponses = (id: string): string | undefined =>
  id.startsWith(RESPONSES) ? id.slice(RESPONSES.length) : undefined

const APP_PREFIX = `${CMC_APPS}:`
const APP = /^[a-z0-9-]+$/

/**
 * Checks whether only the node creates items with an id: those with prefix `:_`, except app streams. Existing items of
 * clients stay readable.
 */
export const isReservedForNode = (id: string): boolean => id.startsWith(':_') && !id.startsWith(APP_PREFIX)
const CHANNELS = ['chats', 'collectors'] as const

export type ChannelKind = (typeof CHANNELS)[number]

const isChannelSegment = (segment: string): segment is ChannelKind => (CHANNELS as readonly string[]).includes(segment)

/** Splits an id under `:_cmc:apps:` into segments, app code first; undefined for other ids. */
function segmentsOf(id: string): string[] | undefined {
  return id.startsWith(APP_PREFIX) ? id.slice(APP_PREFIX.length).split(':') : undefined
}

/** Returns the app code of an id under `:_cmc:apps:`; undefined without one. */
export function appCodeOf(id: string): string | undefined {
  const [app] = segmentsOf(id) ?? []
  return app !== undefined && APP.test(app) ? app : undefined
}

export const appStreamOf = (app: string): string => APP_PREFIX + app

/** Returns the stream for the answer to an offer: that of its scope, else of the app that the offer names. */
export const answerStreamOf = (scope: string | undefined, appId: unknown): string =>
  scope ?? appStreamOf(typeof appId === 'string' && APP.test(appId) ? appId : 'coffer')

/** A message stream of two accounts: `<scope>:chats:<peer>` or `<scope>:collectors:<peer>`. */
interface Channel {
  scope: string
  kind: ChannelKind
  /** Slug of the other account; absent for the parent stream of all peers. */
  peer?: string
}

/** Parses the channel of an id at its first segment `chats` or `collectors`; undefined for other ids. */
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

/** Returns the scope of a relationship: the first id of an app, without its channel part. */
export function scopeOf(streamIds: readonly string[]): string | undefined {
  const first = streamIds.find((id) => appCodeOf(id) !== undefined)
  return first === undefined ? undefined : (channelOf(first)?.scope ?? first)
}

/** Lists the ids from an app's root stream down to `scope`, root first. */
export function scopeChain(scope: string): string[] {
  const segments = segmentsOf(scope) ?? []
  return segments.map((_, at) => APP_PREFIX + segments.slice(0, at + 1).join(':'))
}

/** User name and host of an account, as used between accounts. */
export interface CmcIdentity {
  username: string
  host: string
}
