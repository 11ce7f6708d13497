/**
 * Accepting and refusing a request by the node itself, for the owner of an account: on the node's page, or at the
 * terminal. Never without a person's word: whoever calls this has it.
 */
import { findAccessByToken, type LiveAccess } from '../../store/accesses/accesses.js'
import type { Permission } from '../../store/model/access.js'
import { isDecided, type Accepted, type AccessRequest, type InviteOutcome } from '../../store/model/accessRequest.js'
import { checkGrant } from '../../store/model/consent.js'
import { Failure } from '../../store/model/failure.js'
import { accessOfName } from '../accesses/appAccess.js'
import { revokeWithManaged } from '../accesses/revoke.js'
import type { Call } from '../method.js'
import type { Node } from '../node.js'
import { serialiseByKey } from '../base/concurrency.js'
import { refusalOfGrant } from './consentCheck.js'
import { decideRequest } from './notifyApp.js'
import { carryOut } from './inviteAccepts.js'
import { planned, type InviteAnswers, type Plan } from './inviteAnswers.js'
import { offeredIn, offerFor, type Offer } from './offer.js'
import type { OfferEntry } from './offerEntry.js'
import { acceptance, provideAccess, rehearse, type GrantedEntries } from './provisioning.js'

/** A request that was accepted. */
export interface Approval {
  request: AccessRequest
  /** Base id of the access that the app has now. */
  accessId: string
  permissions: Permission[]
  /** Whether the access was made for this, rather than found. */
  isNew: boolean
}

/** A request that was refused after all: for a consent to another account that its app cannot do without. */
export interface Unapproved {
  request: AccessRequest
  accessId?: never
  permissions?: never
  isNew?: never
}

/** Who decides, and on what beside the access itself. */
export interface Decision {
  /** On the consents that the app asks for along with it. */
  answers?: InviteAnswers
  /** The call of whoever answers, where that is not the owner of the account. */
  person?: Call
}

/**
 * Gives an app what its owner consents to: the entries of the offer with these ids, and those that are locked. Consents to
 * other accounts come first; then the access is made, or one that is the same is used, one of the app that differs ends,
 * and the request is accepted: all of it or nothing, also of the consents. Simultaneous calls take turns; the same again
 * answers the same.
 * @throws Failure `unknown-access-key`; `invalid-operation` when the request is answered otherwise or cannot be
 * accepted; `invalid-parameters` for an id of no entry, and for a consent without an answer; `invalid-consent-grant` for a
 * choice that does not fit; and what accesses.create throws
 */
export function approve(
  call: Call,
  key: string,
  stored: readonly string[],
  { answers = {}, person = call }: Decision = {},
): Promise<Approval | Unapproved> {
  const { node } = call
  return serialiseByKey(node.accessRequests, key, async () => {
    const request = node.accessRequests.find(key)
    const earlier = isDecided(request) ? earlierApproval(call, request) : undefined
    if (earlier !== undefined) return earlier
    const offer = await offerFor(call, request, person)
    const [obstacle] = offer.obstacles
    if (obstacle !== undefined) {
      throw new Failure('invalid-operation', obstacle.detail ?? 'This request cannot be accepted here.', {
        reasonId: obstacle.reasonId,
      })
    }
    const entries = chosenFrom(call, offer, stored)
    const plan = planned({ person, target: call }, request, offer.invites, answers)
    // Others are told of consents: whatever else can stand in the way is to be known before.
    if (plan.length > 0) await rehearse(call, request, { entries, outcomes: plan.map(likely) })
    const carried = await carryOut(plan)
    if ('refusal' in carried) return { request: await decideRequest(node, request, carried.refusal) }
    try {
      return await given(call, request, { entries, outcomes: carried.outcomes })
    } catch (error) {
      await carried.undo()
      throw error
    }
  })
}

/** The outcome of a step, as long as it can be. */
function likely(step: Plan[number]): InviteOutcome {
  if (step.is === 'settled') return step.outcome
  const id = 'c'.repeat(32)
  return step.is === 'declined' ? { declined: true } : { acceptEventId: id, dataGrantAccessId: id, ...step.acceptedFor }
}

async function given(call: Call, request: AccessRequest, grants: GrantedEntries): Promise<Approval> {
  const { node } = call
  const { live, isNew } = await provideAccess(call, request, grants)
  const outcome = acceptance(call, request, live.token.reveal(), grants.outcomes)
  try {
    return { ...approvalOf(live, isNew), request: await decideRequest(node, request, outcome) }
  } catch (error) {
    // The request has ended meanwhile: nobody would come for this token.
    if (isNew) await call.account.write((t) => revokeWithManaged(node, t, live, []))
    throw error
  }
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

function chosenFrom({ account }: Call, offer: Offer, stored: readonly string[]): OfferEntry[] {
  const { entries } = offer
  const unknown = stored.find((id) => !entries.some((entry) => entry.id === id))
  if (unknown !== undefined) throw new Failure('invalid-parameters', 'The request asks for no such thing.', { id: unknown })
  const chosen = entries.filter(({ id, isLocked }) => isLocked || stored.includes(id))
  // An app may ask for nothing but to know who somebody is.
  if (entries.length === 0) return chosen
  const permissions = chosen.map(({ permission }) => permission)
  const refusal = checkGrant(permissions, offeredIn(offer), offer.allowsChoice, account.tree)
  if (refusal !== undefined) throw refusalOfGrant(refusal)
  return chosen
}
