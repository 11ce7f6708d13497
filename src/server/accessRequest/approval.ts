/**
 * Accepting and refusing a request by the node itself, for the owner of an account: on the node's page, or at the
 * terminal. Never without a person's word: whoever calls this has it.
 */
import { findAccessByToken, listManaged, type LiveAccess } from '../../store/accesses.js'
import { isExpired, type Permission } from '../../store/model/access.js'
import { isDecided, type Accepted, type AccessRequest, type DelegationHint } from '../../store/model/accessRequest.js'
import { checkGrant } from '../../store/model/consent.js'
import { handedDown } from '../../store/model/delegation.js'
import { Failure } from '../../store/model/failure.js'
import { Secret } from '../../store/model/secret.js'
import { accessOfName, isEqualAccess } from '../accesses/appAccess.js'
import { create } from '../accesses/create.js'
import { remove } from '../accesses/delete.js'
import { makeAccess } from '../accesses/make.js'
import { withdrawWithManaged } from '../accesses/withdraw.js'
import { apiEndpoint } from '../apiEndpoint.js'
import { withTrail } from '../call.js'
import { changeAlone, growing } from '../change.js'
import type { Call } from '../method.js'
import type { Node } from '../node.js'
import { inTurn } from '../turns.js'
import { refusalOfGrant } from './consentCheck.js'
import { decideRequest } from './decided.js'
import { accessOf, offeredIn, offerFor, type Offer, type OfferEntry } from './offer.js'

export interface Approval {
  /** The request, accepted. */
  request: AccessRequest
  /** Base id of the access that the app has now. */
  accessId: string
  permissions: Permission[]
  /** Whether the access was made for this, rather than found. */
  isNew: boolean
}

/**
 * Gives an app what its owner consents to: the entries of the offer with these ids, and those that are locked. The
 * access is made, or one that is the same is used, one of the app that differs ends, and the request is accepted: all of
 * it or nothing. Simultaneous calls take turns; the same again answers the same.
 * @throws Failure `unknown-access-key`; `invalid-operation` when the request is answered otherwise or cannot be
 * accepted; `invalid-parameters` for an id of no entry; `invalid-consent-grant` for a choice that does not fit; and what
 * accesses.create throws
 */
export function approve(call: Call, key: string, kept: readonly string[]): Promise<Approval> {
  const { node } = call
  return inTurn(node.accessRequests, key, async () => {
    const request = node.accessRequests.find(key)
    const earlier = isDecided(request) ? earlierApproval(call, request) : undefined
    if (earlier !== undefined) return earlier
    const offer = await offerFor(call, request)
    const [obstacle] = offer.obstacles
    if (obstacle !== undefined) {
      throw new Failure('invalid-operation', obstacle.detail ?? 'This request cannot be accepted here.', {
        reasonId: obstacle.reasonId,
      })
    }
    const chosen = chosenFrom(call, offer, kept)
    const { live, isNew } = await providedAccess(call, request, chosen)
    const outcome = acceptance(call, request, live.token.reveal())
    try {
      return { ...approvalOf(live, isNew), request: await decideRequest(node, request, outcome) }
    } catch (error) {
      // The request has ended meanwhile: nobody would come for this token.
      if (isNew) await call.account.write((t) => withdrawWithManaged(node, t, live, []))
      throw error
    }
  })
}

/**
 * Refuses a request in the name of whoever was asked.
 * @throws Failure `unknown-access-key`, `invalid-operation` when it is answered otherwise
 */
export function refuse(node: Node, key: string, reasonId = 'USER_DENIED', message = 'The user refused.'): AccessRequest {
  return node.accessRequests.decide(key, { status: 'REFUSED', reasonId, message })
}

const approvalOf = ({ access }: LiveAccess, isNew: boolean): Omit<Approval, 'request'> => ({
  accessId: access.id,
  permissions: access.permissions ?? [],
  isNew,
})

/** What a request was accepted with by this account before; undefined when it was answered otherwise. */
function earlierApproval(call: Call, request: AccessRequest): Approval | undefined {
  const { outcome } = request
  const isOwn = outcome?.status === 'ACCEPTED' && outcome.username === call.user.username
  const live = isOwn ? grantedAccess(call, request, outcome) : undefined
  if (live === undefined) throw new Failure('invalid-operation', 'This access request has been answered already.')
  return { ...approvalOf(live, false), request }
}

/** The access that an answer gave: by its token, or, where that was handed off, as what the app has here now. */
function grantedAccess(call: Call, request: AccessRequest, { grant }: Accepted): LiveAccess | undefined {
  const { account, node } = call
  if (!('token' in grant)) return accessOfName(call, request)
  return findAccessByToken(node.store.db, node.store.seal, account.prefix, grant.token.reveal())
}

function chosenFrom({ account }: Call, offer: Offer, kept: readonly string[]): OfferEntry[] {
  const { entries } = offer
  const unknown = kept.find((id) => !entries.some((entry) => entry.id === id))
  if (unknown !== undefined) throw new Failure('invalid-parameters', 'The request asks for no such thing.', { id: unknown })
  const chosen = entries.filter(({ id, isLocked }) => isLocked || kept.includes(id))
  // An app may ask for nothing but to know who somebody is.
  if (entries.length === 0) return chosen
  const permissions = chosen.map(({ permission }) => permission)
  const refusal = checkGrant(permissions, offeredIn(offer), offer.allowsChoice, account.tree)
  if (refusal !== undefined) throw refusalOfGrant(refusal)
  return chosen
}

/** The access that the app is to have: as it is there, or made, in place of one that differs. */
async function providedAccess(
  call: Call,
  request: AccessRequest,
  chosen: readonly OfferEntry[],
): Promise<{ live: LiveAccess; isNew: boolean }> {
  const { account, node } = call
  const permissions = chosen.map(({ permission }) => permission)
  const making = withTrail(call, create)
  return changeAlone(making, async (write) => {
    const former = accessOfName(call, request)
    const isAlive = former !== undefined && !isExpired(former.access, node.clock.now())
    if (isAlive && isEqualAccess(former, permissions, request.clientData)) return { live: former, isNew: false }
    const managed = former === undefined ? [] : await listManaged(account, node.store.seal, former.access.id)
    const removing = former === undefined ? undefined : withTrail(call, remove).trail
    try {
      const live = await write(
        growing(making, (t) => {
          if (former !== undefined) withdrawWithManaged(node, t, former, managed)
          const made = makeAccess(making, t, 'app', accessOf(request, chosen.map(({ asked }) => asked)))
          // Refused before anything is on disk, as far as that can be known.
          node.accessRequests.refuseUndecidable(request.key, acceptance(call, request, made.token.reveal()))
          removing?.stage(t)
          return made
        }),
      )
      removing?.succeeded()
      making.trail?.succeeded()
      return { live, isNew: true }
    } catch (error) {
      making.trail?.failed(error)
      throw error
    }
  })
}

/** Why an invitation was not accepted: this release has no consent between accounts. */
const NO_CONSENT = 'unavailable-method'

function acceptance(call: Call, { cmcInvites }: AccessRequest, token: string): Accepted {
  const { node, user: { username } } = call
  const delegation = hintOf(call)
  return {
    status: 'ACCEPTED',
    username,
    apiEndpoint: new Secret(apiEndpoint(node, username, token)),
    grant: { token: new Secret(token) },
    ...(delegation === undefined ? {} : { delegation }),
    ...(cmcInvites === undefined ? {} : { cmcInvites: cmcInvites.map(() => ({ reason: NO_CONSENT })) }),
  }
}

/** That somebody acts for the account, by what the node itself has noted of the caller; undefined for its owner. */
function hintOf({ caller, user: { username } }: Call): DelegationHint | undefined {
  const marker = handedDown(caller.access)
  if (marker?.kind !== 'delegated-child') return undefined
  return { isDelegatedAccess: true, controlledUsername: username, delegate: { ...marker.delegate } }
}
