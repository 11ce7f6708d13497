/** Access requests of apps and their outcomes (docs/interface/access-requests.md). */
import { LEVELS, type FeaturePermission, type Permission, type RequestedPermission } from './access.js'
import type { ConsentForm } from './consent.js'
import type { ClientData, Seconds } from './event.js'
import { Failure } from './failure.js'
import type { Secret } from './secret.js'

/** An invitation to consent that an app sends with its request (`cmcInvites`). */
export interface Invite {
  capabilityUrl: string
  mandatory: boolean
  for: 'self' | 'target'
  accessName?: string
}

/** Outcome of an invitation. */
export type InviteOutcome =
  | { acceptEventId: string; dataGrantAccessId?: string; acceptedFor?: 'self' }
  | { declined: true }
  | { reason: string }

/** Display hint: the access was granted by a delegate acting for the account. */
export interface DelegationHint {
  isDelegatedAccess: true
  controlledUsername: string
  delegate: { username: string; hostSlug?: string }
}

export interface Accepted {
  status: 'ACCEPTED'
  username: string
  /** Contains the token, unless a hand-off is used. */
  apiEndpoint: Secret<string>
  /** The token itself, or the key of the shared secret from which it is fetched once. */
  grant: { token: Secret<string> } | { handoff: Secret<{ type: 'shared-secret'; key: string }> }
  delegation?: DelegationHint
  cmcInvites?: InviteOutcome[]
}

export interface Declined {
  status: 'REFUSED' | 'ERROR'
  reasonId: string
  message: string
}

/** Another page continues the request, which stays open. */
interface Redirected {
  status: 'REDIRECTED'
  redirectUrl?: string
}

export type Outcome = Accepted | Declined | Redirected

/** Input of an access request. Optional fields that were `null` are absent here. */
export interface AskedAccess {
  requestingAppId: string
  requestedPermissions: readonly RequestedPermission[]
  languageCode: string
  returnURL?: string
  oauthState?: string
  clientData?: ClientData
  serviceInfo?: Readonly<Record<string, unknown>>
  deviceName?: string
  /** Lifetime of the access in seconds, and of the request itself. */
  expireAfter?: number
  /** Token to give to the access. */
  token?: Secret<string>
  referer?: string
  consent?: ConsentForm
  actAs?: string
  actAsManagedOnly?: true
  credentialHandoff?: 'shared-secret'
  cmcInvites?: readonly Invite[]
}

/** A request in the memory of the core on which it was created, or a copy of it on another core. */
export interface AccessRequest extends AskedAccess {
  readonly key: string
  readonly createdAt: Seconds
  readonly expiresAt: Seconds
  readonly pollUrl: string
  readonly authUrl: string
  /** Absent until someone signs in. */
  readonly outcome?: Outcome
  /** Id of the core that has the request, in a copy on another core. */
  readonly heldBy?: string
}

type RequestStatus = 'NEED_SIGNIN' | Outcome['status']

export const statusOfRequest = ({ outcome }: Pick<AccessRequest, 'outcome'>): RequestStatus => outcome?.status ?? 'NEED_SIGNIN'

/** Checks whether a request is decided; it then accepts no other outcome (docs/interface/access-requests.md#flow). */
export const isDecided = ({ outcome }: Pick<AccessRequest, 'outcome'>): boolean =>
  outcome !== undefined && outcome.status !== 'REDIRECTED'

const GRANTING = LEVELS.filter((level) => level !== 'none')
const SETTINGS: readonly FeaturePermission['setting'][] = ['forbidden', 'allowed']

const invalid = (at: number, what: string): Failure =>
  new Failure('invalid-parameters', `requestedPermissions: entry ${at} ${what}.`, { param: 'requestedPermissions' })

/**
 * Converts a requested entry to a permission, without its display members.
 * @throws Failure `invalid-parameters` for a permission that no access can have, such as the level `none`
 */
export function permissionOf(entry: RequestedPermission, at = 0): Permission {
  const { streamId, tag, feature, level, setting, defaultName, streams } = entry
  if (defaultName !== undefined && typeof defaultName !== 'string') throw invalid(at, 'has a defaultName that is not a string')
  if (feature !== undefined) {
    if (typeof feature !== 'string' || feature === '') throw invalid(at, 'has a feature that is not a string')
    const known = SETTINGS.find((one) => one === setting)
    if (known === undefined) throw invalid(at, 'needs the setting forbidden or allowed')
    if (streams === undefined) return { feature, setting: known }
    if (!Array.isArray(streams) || !streams.every((id) => typeof id === 'string')) throw invalid(at, 'has streams that are not strings')
    return { feature, setting: known, streams }
  }
  if (level === 'none') throw invalid(at, 'requests the level none, which grants nothing')
  const known = GRANTING.find((one) => one === level)
  if (known === undefined) throw invalid(at, `needs a level of ${GRANTING.join(', ')}`)
  // null means all streams, as in the first API version.
  if (streamId === null) return { streamId: '*', level: known }
  if (typeof streamId === 'string' && streamId !== '') return { streamId, level: known }
  if (streamId === undefined && typeof tag === 'string' && tag !== '') return { tag, level: known }
  throw invalid(at, 'names neither a streamId nor a feature')
}
