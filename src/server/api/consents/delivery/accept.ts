/**
 * Acceptance of an offer: creates the grant and sends the response to the account that made the offer
 * (docs/interface/consents.md#acceptance).
 */
import { listRelations, type LiveAccess } from '../../../../store/accesses/accesses.js'
import { isSameHost } from '../../../../store/model/accountAddress.js'
import { appCodeOf, responsesStreamOf, type CmcIdentity } from '../../../../store/model/cmc.js'
import { counterpartyOf, isSameAccount, peerSlug, type Features } from '../../../../store/model/consentAccess.js'
import { checkInput } from '../../../../store/model/validation.js'
import { apiEndpoint } from '../../../config/apiEndpoint.js'
import { Localized } from '../content.js'
import { identityOf } from '../identity.js'
import { objectOf, textOf } from '../objects.js'
import { ACCEPT } from '../types.js'
import { withoutToken } from '../../../base/endpointParts.js'
import type { Call } from '../../../call/method.js'
import { terminalCall } from '../../../dispatch/terminalCaller.js'
import { earlierGrant, grantOf, GrantRefused, makeGrant, withdrawGrant } from './dataGrant.js'
import { grantedOf, scopeFor } from './offered.js'
import { readOffer, type OfferRead } from './offer.js'
import { deliver, messageId } from './peerClient.js'
import { undelivered, unreadableOffer } from './undelivered.js'
import { failed, type Outcome, type Job } from './jobTypes.js'
import { writerOf } from './writers.js'

type Offer = Extract<OfferRead, { ok: true }>

/** The handler of `consent/accept-cmc`. A retry reuses the grant of an earlier attempt. */
export async function accept(work: Job): Promise<Outcome> {
  const outcome = await attempted(work)
  if (outcome.is === 'completed' || outcome.mayRetry) return outcome
  const grant = await earlierGrant(work)
  const mark = grant === undefined ? undefined : counterpartyOf(grant)
  if (grant === undefined || mark === undefined) return outcome
  if (typeof mark.backChannelApiEndpoint === 'string') {
    // An earlier response was accepted, but its reply was lost.
    const { username, host } = mark.counterparty
    return { is: 'completed', stamps: { dataGrantAccessId: grant.id, offerEventId: mark.offerEventId, from: { username, host } } }
  }
  await withdrawGrant(work, grant.id)
  return outcome
}

async function attempted(work: Job): Promise<Outcome> {
  // The owner revoked the grant before the other account received the response.
  if (objectOf(work.event.content)['withdrawal'] !== undefined) return failed('cmc-handler-withdrawn')
  const url = textOf(work.task.payload?.['capabilityUrl'])
  if (url === undefined) return failed('cmc-handler-missing-capability-url')
  const offer = await readOffer(work, url)
  if (!offer.ok) return unreadableOffer(offer)
  const peer = offer.requester
  const own = identityOf(work.node, work.user.username)
  if (isSameAccount(own, peer)) return failed('cmc-self-accept-forbidden')
  const scope = scopeFor(offer.content, work.event.streamIds)
  if (await isPlaceTaken(work, peer, scope)) return failed('cmc-handler-counterparty-unknown', { cause: 'another account maps to the same streams' })
  try {
    const grant = (await grantOf(work, peer)) ?? (await madeGrant(work, offer, peer, scope))
    return 'is' in grant ? grant : await delivered(work, url, offer, { own, peer, scope, grant })
  } catch (error) {
    if (!(error instanceof GrantRefused)) throw error
    return failed(error.reason, error.detail)
  }
}

/**
 * Checks whether an account of another host maps to the same streams as this one, since stream ids contain host names without
 * punctuation. The two must not read each other's messages, nor end each other's consent.
 */
async function isPlaceTaken({ node, account }: Job, peer: CmcIdentity, scope: string | undefined): Promise<boolean> {
  const relations = await listRelations(account, node.store.seal, peerSlug(peer))
  return relations.some(({ access }) => {
    const mark = counterpartyOf(access)
    return mark !== undefined && mark.scopeStreamId === scope && !isSameHost('https:', mark.counterparty.host, peer.host)
  })
}

/** Returns the grant for an event, created if needed, or the reason that it cannot be created. */
async function madeGrant(work: Job, offer: Offer, peer: CmcIdentity, scope: string | undefined): Promise<LiveAccess | Outcome> {
  const { event } = work
  const { request, requesterMeta } = offer.content
  const { accessType = 'shared' } = objectOf(request)
  if (accessType !== 'shared' && accessType !== 'app') return failed('cmc-offer-invalid-access-type')
  const { grantedPermissions, accessName } = objectOf(event.content)
  const call = callOf(work)
  const permissions = grantedOf(call, offer.content, grantedPermissions)
  if ('is' in permissions) return permissions
  if (writerOf(work, work.account.db)?.type !== 'personal') return failed('cmc-insufficient-permissions')
  const appId = textOf(objectOf(requesterMeta)['appId']) ?? 'app'
  const appCode = scope === undefined ? undefined : appCodeOf(scope)
  return makeGrant(call, event, {
    ...{ type: accessType, name: textOf(accessName) ?? `cmc:${appId}:${peer.username}@${peer.host}`, peer, permissions },
    mark: {
      role: 'counterparty',
      ...(appCode === undefined ? {} : { appCode }),
      ...(scope === undefined ? {} : { scopeStreamId: scope }),
      counterparty: { ...peer },
      offerEventId: offer.eventId,
      acceptEventId: event.id,
      backChannelApiEndpoint: null,
      features: featuresOf(event.content),
    },
  })
}

/** Returns the call that creates the grant of an event, in its author's name. */
const callOf = ({ node, account, user, event }: Job): Call => ({
  ...terminalCall(node, { account, user, tokens: new Map() }),
  author: event.createdBy,
})

/** Returns the channels that the accepting account requests. */
function featuresOf(content: unknown): Features | null {
  const { features } = objectOf(content)
  return typeof features === 'object' && features !== null ? objectOf(features) : null
}

interface Parties {
  own: CmcIdentity
  peer: CmcIdentity
  scope: string | undefined
  grant: LiveAccess
}

/** Sends the response to the other account. */
async function delivered(work: Job, url: string, offer: Offer, { own, peer, scope, grant }: Parties): Promise<Outcome> {
  const { node, user, event } = work
  const capabilityId = String(offer.content['capabilityId'])
  const endpoint = apiEndpoint(node, user.username, grant.token.reveal())
  const features = featuresOf(event.content)
  const appCode = scope === undefined ? undefined : appCodeOf(scope)
  const answer = await deliver(work, url, {
    id: messageId('accept', own.username, own.host, event.id),
    streamIds: [responsesStreamOf(capabilityId)],
    type: ACCEPT,
    content: {
      ...{ from: own, capabilityId, grantedAccess: { apiEndpoint: endpoint } },
      ...(features === null ? {} : { features }),
      ...(appCode === undefined ? {} : { requesterAppCode: appCode }),
      ...(scope === undefined ? {} : { requesterOriginStreamId: scope }),
      originalEventId: offer.eventId,
    },
  })
  if (answer.is !== 'taken') return undelivered(answer)
  const acceptedBy = { apiEndpoint: withoutToken(endpoint) }
  return {
    is: 'completed',
    stamps: { dataGrantAccessId: grant.access.id, offerEventId: offer.eventId, capabilityId, acceptedBy, from: peer, offerTitle: titleOf(offer) },
  }
}

const MAX_TITLE = 1024

/** Returns the title of the offer, stored with the grant because the link may expire. */
function titleOf({ content }: Offer): unknown {
  const title = checkInput(Localized, objectOf(content['request'])['title'])
  return title.success && JSON.stringify(title.data).length <= MAX_TITLE ? title.data : undefined
}
