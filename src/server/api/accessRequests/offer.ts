/**
 * Offer: everything the owner must see of an access request before consenting, on the node's page or at the terminal
 * (docs/interface/access-requests.md#pages).
 */
import { listManaged } from '../../../store/accesses/accesses.js'
import type { Permission } from '../../../store/model/access.js'
import { permissionOf, type AccessRequest } from '../../../store/model/accessRequest.js'
import type { OfferedPermission } from '../../../store/model/consent.js'
import { inheritedMarker } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { checkInput } from '../../../store/model/validation.js'
import { appAccess, checkedPermissions, isEqualAccess } from '../accesses/appAccess.js'
import { assertMayGrant } from '../accesses/createAccess.js'
import { assertStreamCreatable } from '../accesses/permissions.js'
import { PermissionInput, type AskedPermission, type NewAccessInput } from '../accesses/schema.js'
import type { Call } from '../../call/method.js'
import { findApp, type App } from '../register/appDirectory.js'
import { CONSENT_FAILED, invitesFor, type OfferedInvite } from './invites.js'
import { idsOf, type OfferEntry } from './offerEntry.js'
import type { PeerDeps } from '../consents/delivery/peerClient.js'

/** Obstacle that makes a request impossible to accept, with the reason id of the refusal. */
export interface Obstacle {
  kind: 'managed-account' | 'mandatory-invite' | 'impossible'
  reasonId: string
  /** Error in English, for kind `impossible`. */
  detail?: string
}

export interface Offer {
  key: string
  /** The granting account. */
  username: string
  /** The app: its self-declared id, and its entry in the operator's directory if any. */
  app: { id: string; entry?: App }
  /** The app's own message; unverified. */
  message?: string
  /** True when entries may be left out. */
  allowsChoice: boolean
  entries: OfferEntry[]
  deviceName?: string
  /** Lifetime of the access in seconds; absent: until it is withdrawn. */
  expireAfter?: number
  /** Set when the app already has an identical access, which is reused. `until` in seconds, absent: no expiry. */
  granted?: { accessId: string; until?: number }
  /** Set when the app has a different access, which is replaced; `shares` counts the accesses revoked with it. */
  replaces?: { accessId: string; shares: number }
  /** The requested stream name when it is taken, so that the new stream gets another. */
  nameConflict?: string
  /** Consents to other accounts requested along with the access. */
  invites: OfferedInvite[]
  obstacles: Obstacle[]
}

/**
 * Builds the offer of a request to the account of an owner's call. `person` is the call of the person who answers and gives
 * the consents, who may act for that account. Fetches the offers of other accounts, also remotely.
 */
export async function offerFor(call: Call<PeerDeps>, request: AccessRequest, person = call): Promise<Offer> {
  const invites = await invitesFor({ person, target: call }, request)
  await call.account.settledStructure()
  const { entries, conflict, problem } = entriesFor(call, request)
  const entry = await findApp(call.node, request.requestingAppId)
  const message = messageOf(request)
  const { deviceName, expireAfter } = request
  return {
    key: request.key,
    username: call.user.username,
    app: { id: request.requestingAppId, ...(entry === undefined ? {} : { entry }) },
    ...(message === undefined ? {} : { message }),
    allowsChoice: request.consent?.allowUserChoice === true,
    entries,
    ...(deviceName === undefined ? {} : { deviceName }),
    ...(expireAfter === undefined ? {} : { expireAfter }),
    ...(await presentAccess(call, request, entries)),
    ...(conflict === undefined ? {} : { nameConflict: conflict }),
    invites,
    obstacles: [
      ...obstaclesOf(call, request, invites),
      ...(problem === undefined ? [] : [{ kind: 'impossible', reasonId: 'IMPOSSIBLE_PERMISSIONS', detail: problem } as const]),
    ],
  }
}

/** Converts a request with these permissions to the input of access creation. */
export function accessOf(request: AccessRequest, permissions: AskedPermission[]): NewAccessInput {
  const { requestingAppId, deviceName, expireAfter, clientData, token } = request
  return {
    name: requestingAppId,
    type: 'app',
    permissions,
    ...(deviceName === undefined ? {} : { deviceName }),
    ...(expireAfter === undefined ? {} : { expireAfter }),
    ...(clientData === undefined ? {} : { clientData }),
    ...(token === undefined ? {} : { token: token.reveal() }),
  }
}

/** Converts the entries of an offer for comparison with a grant. */
export const offeredIn = ({ entries }: Offer): OfferedPermission[] =>
  entries.map(({ permission, isRequired }) => ({ permission, isMandatory: isRequired }))

interface Entries {
  entries: OfferEntry[]
  conflict: string | undefined
  /** Reason why no access can be created from them. */
  problem: string | undefined
}

function entriesFor(call: Call, request: AccessRequest): Entries {
  const { consent, requestedPermissions } = request
  const permissions = requestedPermissions.map((entry, at) => permissionOf(entry, at))
  const ids = idsOf(permissions)
  const allowsChoice = consent?.allowUserChoice === true
  const named = permissions.map((permission, at) => withName(permission, requestedPermissions[at]?.['defaultName']))
  const { checked, conflict } = checkedPermissions(call, named)
  const entries = checked.map((input, at): OfferEntry => {
    const { mandatory, optIn } = consent?.permissions[at] ?? {}
    const permission = permissions[at] ?? { streamId: '*', level: 'none' }
    return {
      id: ids[at] ?? '',
      permission,
      ...provided(call, input),
      isRequired: allowsChoice && mandatory === true,
      isTicked: !(allowsChoice && optIn === true),
      isLocked: !allowsChoice || mandatory === true,
    }
  })
  return { entries, conflict, problem: problemOf(call, request, entries) }
}

const NAME = /[\p{L}\p{N}_]/u

/** Adds the name for a stream to be created: the app's `defaultName`, else the stream id. */
function withName(permission: Permission, defaultName: unknown): AskedPermission {
  if (!('streamId' in permission)) return permission as AskedPermission
  const name = typeof defaultName === 'string' && NAME.test(defaultName) ? defaultName : permission.streamId
  return { ...permission, defaultName: name }
}

function provided({ account }: Call, input: AskedPermission): Pick<OfferEntry, 'asked' | 'stream'> {
  if (!('streamId' in input) || input.streamId === null || input.streamId === '*') return { asked: input }
  const { streamId, level, name, defaultName } = input
  if (name === undefined) return { asked: input, stream: { name: defaultName ?? streamId, state: 'new' } }
  const isTrashed = account.tree.get(streamId)?.trashed === true
  // defaultName restores a trashed stream.
  const restoring: AskedPermission = isTrashed ? { streamId, level, defaultName: name } : { streamId, level, name }
  return { asked: restoring, stream: { name, state: isTrashed ? 'trashed' : 'there' } }
}

function problemOf(call: Call, request: AccessRequest, entries: readonly OfferEntry[]): string | undefined {
  const permissions = entries.map(({ asked: input }) => input)
  if (!permissions.every((input) => checkInput(PermissionInput, input).success)) {
    return 'The app requests an invalid permission.'
  }
  try {
    assertMayGrant(call, 'app', accessOf(request, permissions))
    for (const { permission, stream } of entries) {
      if (stream?.state === 'new' && 'streamId' in permission) assertStreamCreatable(permission.streamId)
    }
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}

function obstaclesOf({ caller }: Call, { actAsManagedOnly }: AccessRequest, invites: readonly OfferedInvite[]): Obstacle[] {
  const obstacles: Obstacle[] = []
  const isOwn = inheritedMarker(caller.access) === undefined
  if (actAsManagedOnly === true && isOwn) obstacles.push({ kind: 'managed-account', reasonId: 'MANAGED_ACCOUNT_UNAVAILABLE' })
  if (invites.some(({ isRequired, problem }) => isRequired && problem !== undefined)) {
    obstacles.push({ kind: 'mandatory-invite', reasonId: CONSENT_FAILED })
  }
  return obstacles
}

async function presentAccess(
  call: Call,
  request: AccessRequest,
  entries: readonly OfferEntry[],
): Promise<Pick<Offer, 'granted' | 'replaces'>> {
  const live = appAccess(call, request)
  if (live === undefined) return {}
  const { id, expires } = live.access
  if (isEqualAccess(live, entries.map(({ permission }) => permission), request.clientData)) {
    return { granted: { accessId: id, ...(expires === undefined ? {} : { until: expires }) } }
  }
  const shares = await listManaged(call.account, call.node.store.seal, id)
  return { replaces: { accessId: id, shares: shares.length } }
}

const DESCRIPTION = 'app-web-auth:description'

/** Returns the app's message, which apps put into their client data as `{ type: 'note/txt', content }`. */
function messageOf({ clientData }: AccessRequest): string | undefined {
  const note: unknown = clientData?.[DESCRIPTION]
  if (typeof note !== 'object' || note === null || !('type' in note) || !('content' in note)) return undefined
  const { type, content } = note
  return type === 'note/txt' && typeof content === 'string' && content.trim() !== '' ? content.slice(0, 2000) : undefined
}
