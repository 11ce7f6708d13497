/** The consent itself: the data-grant access in the person's account, which lasts until one of both ends it (consent supplement 4.6 a). */
import { isDeepStrictEqual } from 'node:util'
import { listRelations, type LiveAccess } from '../../store/accesses/accesses.js'
import { accessIdOf, isExpired, type Permission } from '../../store/model/access.js'
import { identityOf } from '../../store/model/consent.js'
import { appStreamOf, CMC_APPS } from '../../store/model/cmc.js'
import { counterpartyOf, peerSlug } from '../../store/model/consentAccess.js'
import { Failure } from '../../store/model/failure.js'
import { lesser } from '../../store/model/grant.js'
import { update } from '../accesses/update.js'
import type { AskedPermission } from '../accesses/schema.js'
import { callToken, withTrail } from '../call.js'
import { writeWithinQuota } from '../accountWrite.js'
import { ensureStream } from '../consent/streams.js'
import { acceptOffer } from '../messaging/acceptOffer.js'
import { provideGranted } from '../messaging/dataGrant.js'
import type { Call } from '../method.js'
import { OAuthError } from './errors.js'
import type { OAuthOffer } from './offer.js'

const TIMEOUT_MS = 10_000

/** Where consents to OAuth clients lie among a person's streams: below it, one stream for each client. */
const ROOT = appStreamOf('oauth')
const ROOT_NAME = 'OAuth2 grants'

/** Client, offer and link that a person consents to. */
export interface Consented {
  clientId: string
  offer: OAuthOffer
  /** The link of the offer, with its token. */
  capabilityUrl: string
}

/**
 * The base id of the access that the consent to an offer is: the one that is there, widened by what it lacks, or a new one.
 * @throws OAuthError `invalid_grant` when the other side does not take the consent
 */
export async function durableConsent(
  call: Call,
  { clientId, offer, capabilityUrl }: Consented,
  permissions: readonly Permission[],
): Promise<string> {
  const found = await consentTo(call, offer)
  if (found !== undefined) {
    await writeWithinQuota(call, (t) => provideGranted(call, t, namedIn(offer, permissions)))
    await widen(call, found, permissions)
    return found.access.id
  }
  await writeWithinQuota(call, (t) => {
    ensureStream(call, t, { id: ROOT, name: ROOT_NAME, parentId: CMC_APPS, clientData: { cmc: { kind: 'app-scope-root', autoProvisioned: true } } })
  })
  const { content } = await acceptOffer(call, {
    capabilityUrl,
    grantedPermissions: [...permissions],
    streamId: `${ROOT}:${clientId}`,
    timeoutMs: TIMEOUT_MS,
  }).catch((error: unknown): never => {
    const id = consentErrorOf(error)
    if (id !== undefined) throw rejected(id)
    throw error
  })
  const { status, dataGrantAccessId, failure } = content
  if (status === 'failed') throw refusalFor(reasonIn(failure))
  if (status === 'completed' && typeof dataGrantAccessId === 'string') return dataGrantAccessId
  throw new Error(`the consent is not made yet: ${String(status)}`)
}

/** Those of the permissions for whose streams the offer has a name to make them with. */
function namedIn({ permissions: offered }: OAuthOffer, permissions: readonly Permission[]): AskedPermission[] {
  return permissions.flatMap((permission) => {
    if (!('streamId' in permission)) return []
    const { streamId, level } = permission
    const { defaultName } = offered.find((one) => one['streamId'] === streamId && one['level'] === level) ?? {}
    return typeof defaultName === 'string' ? [{ streamId, level, defaultName }] : []
  })
}

const reasonIn = (failure: unknown): string =>
  typeof failure === 'object' && failure !== null && 'reason' in failure ? String(failure.reason) : 'unknown'

/** Failures in which the other side has refused nothing: it could not be reached, or this one broke. */
const UNDECIDED: readonly string[] = ['cmc-handler-delivery-failed', 'cmc-handler-threw']

const refusalFor = (reason: string): Error => (UNDECIDED.includes(reason) ? new Error(`the consent is not made: ${reason}`) : rejected(reason))

const rejected = (id: string): OAuthError => new OAuthError('invalid_grant', `consent accept rejected: ${id}`)

/** The id by which consents say what is wrong, of a failure that has one. */
function consentErrorOf(error: unknown): string | undefined {
  const data: unknown = error instanceof Failure ? error.data : undefined
  if (typeof data !== 'object' || data === null || !('id' in data) || typeof data.id !== 'string') return undefined
  return data.id.startsWith('cmc-') ? data.id : undefined
}

/**
 * Finds the consent to an offer that a person has given already; one that is over comes back when it is given again. Other
 * accounts choose the ids of their events: only the account that makes this offer has the consent to it.
 */
async function consentTo({ account, node }: Call, { offerEventId, requester }: OAuthOffer): Promise<LiveAccess | undefined> {
  const relations = await listRelations(account, node.store.seal, peerSlug(requester))
  const given = relations.filter(({ access }) => counterpartyOf(access)?.offerEventId === offerEventId)
  return given.find(({ access }) => !isExpired(access, node.clock.now())) ?? given[0]
}

async function widen(call: Call, { access }: LiveAccess, permissions: readonly Permission[]): Promise<void> {
  const before = access.permissions ?? []
  const after = widened(before, permissions)
  const isOver = isExpired(access, call.node.clock.now())
  if (!isOver && isDeepStrictEqual(after, before)) return
  const changes = { permissions: after, ...(isOver ? { expires: null } : {}) }
  await callToken(withTrail(call, update), update, { id: accessIdOf(access), update: changes })
}

/** Permissions with those that they lack; of two levels on one stream the one that lets do all that the other does. */
function widened(before: readonly Permission[], permissions: readonly Permission[]): Permission[] {
  const after = [...before]
  const known = new Set(before.map(identityOf))
  for (const permission of permissions) {
    if (known.has(identityOf(permission))) continue
    const at = 'streamId' in permission ? after.findIndex((one) => 'streamId' in one && one.streamId === permission.streamId) : -1
    const held = after[at]
    if (held === undefined || !('streamId' in held) || !('streamId' in permission)) after.push(permission)
    else if (lesser(held.level, permission.level) === held.level) after[at] = permission
  }
  return after
}
