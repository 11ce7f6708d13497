/** Access requests: what an app asks for, and what became of it (specification, "Access request"; accounts supplement 12). */
import { LEVELS, type FeaturePermission, type Permission } from './access.js'
import type { ConsentForm } from './consent.js'
import type { ClientData, Seconds } from './event.js'
import { Failure } from './failure.js'
import type { Secret } from './secret.js'

/** A permission as an app asks for it, answered as it came: entries may hold more than is known here. */
export type RequestedPermission = Readonly<Record<string, unknown>>

/** An invitation to consent that an app sends along (`cmcInvites`). */
export interface Invite {
  capabilityUrl: string
  mandatory: boolean
  for: 'self' | 'target'
  accessName?: string
}

/** What became of an invitation. */
export type InviteOutcome =
  | { acceptEventId: string; dataGrantAccessId?: string; acceptedFor?: 'self' }
  | { declined: true }
  | { reason: string }

/** Says, for display alone, that the access was given by somebody who acts for the account. */
export interface DelegationHint {
  isDelegatedAccess: true
  controlledUsername: string
  delegate: { username: string; hostSlug?: string }
}

export interface Accepted {
  status: 'ACCEPTED'
  username: string
  /** Holds the token, unless there is a hand-off. */
  apiEndpoint: Secret<string>
  /** The token itself, or where it is fetched once. */
  grant: { token: Secret<string> } | { handoff: Secret<{ type: 'shared-secret'; key: string }> }
  delegation?: DelegationHint
  cmcInvites?: InviteOutcome[]
}

export interface Declined {
  status: 'REFUSED' | 'ERROR'
  reasonId: string
  message: string
}

/** Another page goes on with the request, which stays open. */
export interface Redirected {
  status: 'REDIRECTED'
  redirectUrl?: string
}

export type Outcome = Accepted | Declined | Redirected

/** What an app asked for; `null` and absence of an optional field mean the same and are absent here. */
export interface AskedAccess {
  requestingAppId: string
  requestedPermissions: readonly RequestedPermission[]
  languageCode: string
  returnURL?: string
  oauthState?: string
  clientData?: ClientData
  serviceInfo?: Readonly<Record<string, unknown>>
  deviceName?: string
  /** Seconds that the access lives; the request itself always lives as long. */
  expireAfter?: number
  /** The token that the access is to have. */
  token?: Secret<string>
  referer?: string
  consent?: ConsentForm
  actAs?: string
  actAsManagedOnly?: true
  credentialHandoff?: 'shared-secret'
  cmcInvites?: readonly Invite[]
}

/** A request in the memory of the core that it was made at. */
export interface AccessRequest extends AskedAccess {
  readonly key: string
  readonly createdAt: Seconds
  readonly expiresAt: Seconds
  readonly pollUrl: string
  readonly authUrl: string
  /** Absent while the app waits for somebody to sign in. */
  readonly outcome?: Outcome
}

export type RequestStatus = 'NEED_SIGNIN' | Outcome['status']

export const statusOfRequest = ({ outcome }: Pick<AccessRequest, 'outcome'>): RequestStatus => outcome?.status ?? 'NEED_SIGNIN'

/** Whether a request has its answer: it takes no other (specification, "Access-request status"). */
export const isDecided = ({ outcome }: Pick<AccessRequest, 'outcome'>): boolean =>
  outcome !== undefined && outcome.status !== 'REDIRECTED'

const GRANTING = LEVELS.filter((level) => level !== 'none')
const SETTINGS: readonly FeaturePermission['setting'][] = ['forbidden', 'allowed']

const invalid = (at: number, what: string): Failure =>
  new Failure('invalid-parameters', `requestedPermissions: entry ${at} ${what}.`, { param: 'requestedPermissions' })

/**
 * The permission that an entry asks for, without what only tells how to show it.
 * @throws Failure `invalid-parameters` for one that no access can have, such as with the level `none`
 */
export function permissionOf(entry: RequestedPermission, at = 0): Permission {
  const { streamId, tag, feature, level, setting, defaultName, streams } = entry
  if (defaultName !== undefined && typeof defaultName !== 'string') throw invalid(at, 'has a defaultName that is no text')
  if (feature !== undefined) {
    if (typeof feature !== 'string' || feature === '') throw invalid(at, 'has a feature that is no text')
    const known = SETTINGS.find((one) => one === setting)
    if (known === undefined) throw invalid(at, 'needs the setting forbidden or allowed')
    if (streams === undefined) return { feature, setting: known }
    if (!Array.isArray(streams) || !streams.every((id) => typeof id === 'string')) throw invalid(at, 'has streams that are no texts')
    return { feature, setting: known, streams }
  }
  if (level === 'none') throw invalid(at, 'asks for the level none, which gives nothing')
  const known = GRANTING.find((one) => one === level)
  if (known === undefined) throw invalid(at, `needs a level of ${GRANTING.join(', ')}`)
  // null stands for all streams, as it did in the first generation.
  if (streamId === null) return { streamId: '*', level: known }
  if (typeof streamId === 'string' && streamId !== '') return { streamId, level: known }
  if (streamId === undefined && typeof tag === 'string' && tag !== '') return { tag, level: known }
  throw invalid(at, 'names neither a streamId nor a feature')
}
