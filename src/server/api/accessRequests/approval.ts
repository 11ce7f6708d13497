/**
 * Accepts and refuses access requests on behalf of the account's owner, from the node's page or the terminal.
 * Callers must have the person's explicit decision.
 */
import { findAccessByToken, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Permission } from '../../../store/model/access.js'
import { isDecided, type Accepted, type AccessRequest, type InviteOutcome } from '../../../store/model/accessRequest.js'
import { checkGrant } from '../../../store/model/consent.js'
import { Failure } from '../../../store/model/failure.js'
import { accessOfName } from '../accesses/appAccess.js'
import { revokeWithManaged } from '../accesses/revoke.js'
import type { Call } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { serialiseByKey } from '../../base/concurrency.js'
import { refusalOfGrant } from './consentCheck.js'
import type { CoreCallDeps } from '../../platform/cores/coreCalls.js'
import { findRequest, isCopy } from './copies.js'
import { decideRequest } from './notifyApp.js'
import { executePlan } from './inviteAccepts.js'
import { planAnswers, type InviteAnswers, type Plan } from './inviteAnswers.js'
import { offeredIn, offerFor, type Offer } from './offer.js'
import type { OfferEntry } from './offerEntry.js'
import { acceptance, provideAccess, rehearse, type GrantedEntries } from './provisioning.js'
import type { AccessRequestDeps } from './requests.js'
import type { CoresDeps } from '../../platform/cores/cores.js'
import type { PeerDeps } from '../consents/delivery/peerClient.js'

/** An accepted request. */
interface Approval {
  request: AccessRequest
  /** Base id of the access granted to the app. */
  accessId: string
  permissions: Permission[]
  /** True when the access was created by this approval, false when an existing one was reused. */
  isNew: boolean
}

/** A request refused despite approval, because a mandatory consent to another account was declined or failed. */
interface Unapproved {
  request: AccessRequest
  accessId?: never
  permissions?: never
  isNew?: never
}

/** Decision on a request beyond the selected entries. */
interface Decision {
  /** Answers to the consents requested along with the access. */
  answers?: InviteAnswers
  /** Call of the person who answers, when that is not the owner of the account. */
  person?: Call<PeerDeps>
}

/**
 * Grants an app the selected entries of its offer, plus the locked ones. Consents to other accounts are carried out first;
 * then the access is created (replacing a differing one) or an identical one reused, and the request is accepted.
 * All or nothing, consents included. Simultaneous calls are serialised; repeating a call returns the same result.
 * @throws Failure `unknown-access-key`; `invalid-operation` when the request has another answer or cannot be accepted;
 * `invalid-parameters` for an unknown entry id or an unanswered consent; `invalid-consent-grant` for a selection that does
 * not fit; and everything accesses.create throws
 */
export function approve(
  call: Call<AccessRequestDeps & CoreCallDeps & PeerDeps>,
  key: string,
  selected: readonly string[],
  { answers = {}, person = call }: Decision = {},
): Promise<Approval | Unapproved> {
  const { node } = call
  return serialiseByKey(node.accessRequests, key, async () => {
    const request = await findRequest(node, key)
    const earlier = isDecided(request) ? earlierApproval(call, request) : undefined
    if (earlier !== undefined) return earlier
    const offer = await offerFor(call, request, person)
    const [obstacle] = offer.obstacles
    if (obstacle !== undefined) {
      throw new Failure('invalid-operation', obstacle.detail ?? 'This request cannot be accepted here.', {
        reasonId: obstacle.reasonId,
      })
    }
    const entries = chosenFrom(call, offer, selected)
    const plan = planAnswers({ person, target: call }, request, offer.invites, answers)
    // Consents notify other accounts, so check everything else that could fail first.
    if (plan.length > 0) await rehearse(call, request, { entries, outcomes: plan.map(longestOutcome) })
    const carried = await executePlan(plan)
    if ('refusal' in carried) return { request: await decideRequest(node, request, carried.refusal) }
    try {
      return await grantAndAccept(call, request, { entries, outcomes: carried.outcomes })
    } catch (error) {
      if (!mayBeAnswered(request, error)) await carried.undo()
      throw error
    }
  })
}

/** Returns the longest possible outcome of a step, for size checks. */
function longestOutcome(step: Plan[number]): InviteOutcome {
  if (step.is === 'settled') return step.outcome
  const id = 'c'.repeat(32)
  return step.is === 'declined' ? { declined: true } : { acceptEventId: id, dataGrantAccessId: id, ...step.acceptedFor }
}

async function grantAndAccept(call: Call<AccessRequestDeps & CoreCallDeps & PeerDeps>, request: AccessRequest, grants: GrantedEntries): Promise<Approval> {
  const { node } = call
  const { live, isNew } = await provideAccess(call, request, grants)
  const outcome = acceptance(call, request, live.token.reveal(), grants.outcomes)
  try {
    return { ...approvalOf(live, isNew), request: await decideRequest(node, request, outcome) }
  } catch (error) {
    // Request expired; the token would never be fetched.
    if (isNew && !mayBeAnswered(request, error)) await call.account.write((t) => revokeWithManaged(node, t, live, []))
    throw error
  }
}

/**
 * Checks whether the core of a copy may have accepted the answer, although its own answer was lost. What was granted then stays:
 * repeating the approval finds it, and sends the same answer.
 */
const mayBeAnswered = (request: AccessRequest, error: unknown): boolean =>
  isCopy(request) && error instanceof Failure && error.id === 'platform-unavailable'

/**
 * Refuses a request on behalf of the person asked.
 * @throws Failure `unknown-access-key`, `invalid-operation` when it has another answer
 */
export async function refuse(
  node: Context & AccessRequestDeps & CoreCallDeps & CoresDeps,
  key: string,
  reasonId = 'USER_DENIED',
  message = 'The user refused.',
): Promise<AccessRequest> {
  return decideRequest(node, await findRequest(node, key), { status: 'REFUSED', reasonId, message })
}

const approvalOf = ({ access }: LiveAccess, isNew: boolean): Omit<Approval, 'request'> => ({
  accessId: access.id,
  permissions: access.permissions ?? [],
  isNew,
})

/** Returns the earlier approval of the request by this account. @throws Failure `invalid-operation` when it has another answer */
function earlierApproval(call: Call, request: AccessRequest): Approval | undefined {
  const { outcome } = request
  const isOwn = outcome?.status === 'ACCEPTED' && outcome.username === call.user.username
  const live = isOwn ? grantedAccess(call, request, outcome) : undefined
  if (live === undefined) throw new Failure('invalid-operation', 'This access request has been answered already.')
  return { ...approvalOf(live, false), request }
}

/** Returns the granted access: found by its token, or by the app's name when the token was handed off. */
function grantedAccess(call: Call, request: AccessRequest, { grant }: Accepted): LiveAccess | undefined {
  const { account, node } = call
  if (!('token' in grant)) return accessOfName(call, request)
  return findAccessByToken(node.store.db, node.store.seal, account.prefix, grant.token.reveal())
}

function chosenFrom({ account }: Call, offer: Offer, selected: readonly string[]): OfferEntry[] {
  const { entries } = offer
  const unknown = selected.find((id) => !entries.some((entry) => entry.id === id))
  if (unknown !== undefined) throw new Failure('invalid-parameters', 'The request has no such entry.', { id: unknown })
  const chosen = entries.filter(({ id, isLocked }) => isLocked || selected.includes(id))
  // An app may request no permissions at all, only the user's identity.
  if (entries.length === 0) return chosen
  const permissions = chosen.map(({ permission }) => permission)
  const refusal = checkGrant(permissions, offeredIn(offer), offer.allowsChoice, account.tree)
  if (refusal !== undefined) throw refusalOfGrant(refusal)
  return chosen
}
