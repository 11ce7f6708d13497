/**
 * The consent itself: the data-grant access in the person's account, valid until either side ends it
 * (docs/interface/oauth.md#consent).
 */
import { isDeepStrictEqual } from 'node:util'
import { listRelations, type LiveAccess } from '../../../store/accesses/accesses.js'
import { accessIdOf, isExpired, type Permission } from '../../../store/model/access.js'
import { identityOf } from '../../../store/model/consent.js'
import { appStreamOf, CMC_APPS } from '../../../store/model/cmc.js'
import { counterpartyOf, peerSlug } from '../../../store/model/consentAccess.js'
import { Failure } from '../../../store/model/failure.js'
import { lesser } from '../../../store/model/grant.js'
import { update } from '../accesses/update.js'
import type { AskedPermission } from '../accesses/schema.js'
import { callToken, withTrail } from '../../dispatch/call.js'
import { writeWithinQuota } from '../../dispatch/accountWrite.js'
import { ensureStream } from '../consents/streams.js'
import { acceptOffer } from '../consents/delivery/acceptOffer.js'
import { provideGranted } from '../consents/delivery/dataGrant.js'
import type { Call } from '../../call/method.js'
import { OAuthError } from './errors.js'
import type { OAuthOffer } from './offer.js'
import type { PeerDeps } from '../consents/delivery/peerClient.js'

const TIMEOUT_MS = 10_000

/** Parent stream of consents to OAuth clients, with one child stream per client. */
const ROOT = appStreamOf('oauth')
const ROOT_NAME = 'OAuth2 grants'

/** Client, offer and link of a consent. */
interface Consented {
  clientId: string
  offer: OAuthOffer
  /** Link of the offer, with its token. */
  capabilityUrl: string
}

/**
 * Returns the base id of the consent's access: the existing one, extended by missing permissions, or a new one.
 * @throws OAuthError `invalid_grant` when the other side rejects the consent
 */
export async function durableConsent(
  call: Call<PeerDeps>,
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
  throw new Error(`the consent is not completed yet: ${String(status)}`)
}

/** Returns the permissions whose streams the offer has names for. */
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

/** Failures without a decision of the other side: it was unreachable, or this side failed. */
const UNDECIDED: readonly string[] = ['cmc-handler-delivery-failed', 'cmc-handler-threw']

const refusalFor = (reason: string): Error => (UNDECIDED.includes(reason) ? new Error(`the consent failed: ${reason}`) : rejected(reason))

const rejected = (id: string): OAuthError => new OAuthError('invalid_grant', `consent accept rejected: ${id}`)

/** Returns the consent error id of a failure, if any. */
function consentErrorOf(error: unknown): string | undefined {
  const data: unknown = error instanceof Failure ? error.data : undefined
  if (typeof data !== 'object' || data === null || !('id' in data) || typeof data.id !== 'string') return undefined
  return data.id.startsWith('cmc-') ? data.id : undefined
}

/**
 * Finds the existing consent of a person to an offer; an ended one is restored when granted again. Other accounts choose their
 * event ids, so the requester must match too.
 */
async function consentTo({ account, node }: Call, { offerEventId, requester }: OAuthOffer): Promise<LiveAccess | undefined> {
  const relations = await listRelations(account, node.store.seal, peerSlug(requester))
  const consents = relations.filter(({ access }) => counterpartyOf(access)?.offerEventId === offerEventId)
  return consents.find(({ access }) => !isExpired(access, node.clock.now())) ?? consents[0]
}

async function widen(call: Call<PeerDeps>, { access }: LiveAccess, permissions: readonly Permission[]): Promise<void> {
  const before = access.permissions ?? []
  const after = widened(before, permissions)
  const isOver = isExpired(access, call.node.clock.now())
  if (!isOver && isDeepStrictEqual(after, before)) return
  const changes = { permissions: after, ...(isOver ? { expires: null } : {}) }
  await callToken(withTrail(call, update), update, { id: accessIdOf(access), update: changes })
}

/** Merges permissions with additional ones; of two levels on one stream, the higher one wins. */
function widened(before: readonly Permission[], permissions: readonly Permission[]): Permission[] {
  const after = [...before]
  const known = new Set(before.map(identityOf))
  for (const permission of permissions) {
    if (known.has(identityOf(permission))) continue
    const at = 'streamId' in permission ? after.findIndex((one) => 'streamId' in one && one.streamId === permission.streamId) : -1
    const previous = after[at]
    if (previous === undefined || !('streamId' in previous) || !('streamId' in permission)) after.push(permission)
    else if (lesser(previous.level, permission.level) === previous.level) after[at] = permission
  }
  return after
}
