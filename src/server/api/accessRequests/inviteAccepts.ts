/**
 * Carries out the answers to consents requested by an app (docs/interface/access-requests.md#invitations): sends refusals first,
 * then accepts, mandatory ones first.
 */
import type { Declined, InviteOutcome } from '../../../store/model/accessRequest.js'
import { answerStreamOf } from '../../../store/model/cmc.js'
import { Failure, type FailureId } from '../../../store/model/failure.js'
import { callToken, withTrail } from '../../dispatch/call.js'
import { namedScope } from '../consents/channels.js'
import { objectOf, textOf } from '../consents/objects.js'
import { REFUSE } from '../consents/types.js'
import { create } from '../events/create.js'
import { acceptOffer } from '../consents/delivery/acceptOffer.js'
import { recentOffer } from '../consents/delivery/recentOffer.js'
import { rollBack } from '../consents/delivery/rollback.js'
import type { Call } from '../../call/method.js'
import type { Plan, InviteAction } from './inviteAnswers.js'
import { CONSENT_FAILED, CONSENT_REFUSED, findEarlierConsent } from './invites.js'
import type { PeerDeps } from '../consents/delivery/peerClient.js'

/** Result of a plan: one outcome per invitation, or the refusal sent to the app. */
type CarriedOut = { outcomes: InviteOutcome[] } | { refusal: Declined }

/** Revokes the consents that a plan created. */
type Undo = () => Promise<void>

type Agreed = Extract<InviteAction, { is: 'agreed' }>

const REASON = 256

const refusedWith = (reasonId: string, message: string): { refusal: Declined } => ({ refusal: { status: 'REFUSED', reasonId, message } })

/**
 * Carries out a plan. Revokes its consents when a mandatory one is declined or fails, and when this throws.
 * @throws Failure when an account cannot be written to, such as `user-intervention-required` over its limits
 */
export async function executePlan(plan: Plan): Promise<CarriedOut & { undo: Undo }> {
  const accepts: { call: Call<PeerDeps>; eventId: string }[] = []
  const undo = async (): Promise<void> => {
    for (const { call, eventId } of accepts.splice(0).reverse()) await rollBack(call, eventId)
  }
  const outcomes = new Map<InviteAction, InviteOutcome>()
  try {
    for (const step of plan) {
      if (step.is === 'settled') outcomes.set(step, step.outcome)
      if (step.is === 'declined') outcomes.set(step, await declined(step))
    }
    const refused = plan.find(({ is, isRequired }) => is === 'declined' && isRequired)
    if (refused !== undefined) return { ...refusedWith(CONSENT_REFUSED, `Consent ${refused.id}, which the app requires, was refused.`), undo }
    const agreed = plan.filter((step): step is Agreed => step.is === 'agreed')
    for (const step of [...agreed.filter(({ isRequired }) => isRequired), ...agreed.filter(({ isRequired }) => !isRequired)]) {
      const outcome = await accepted(step, (eventId) => accepts.push({ call: step.call, eventId }))
      outcomes.set(step, outcome)
      if (!('reason' in outcome) || !step.isRequired) continue
      await undo()
      return { ...refusedWith(CONSENT_FAILED, `Consent ${step.id}, which the app requires, could not be given: ${outcome.reason}.`), undo }
    }
    return { outcomes: plan.flatMap((step) => outcomes.get(step) ?? []), undo }
  } catch (error) {
    await undo()
    throw error
  }
}

/** Sends a refusal to the other account. Delivery is best effort. */
async function declined({ call, invite: { capabilityUrl } }: Extract<InviteAction, { is: 'declined' }>): Promise<InviteOutcome> {
  const streamIds = [await answerStream(call, capabilityUrl)]
  try {
    await callToken(withTrail(call, create), create, { streamIds, type: REFUSE, content: { capabilityUrl } })
  } catch (error) {
    reasonOf(error)
  }
  return { declined: true }
}

async function accepted(step: Agreed, onCreated: (eventId: string) => void): Promise<InviteOutcome> {
  const { call, invite, offer, permissions, acceptedFor } = step
  const { capabilityUrl, accessName } = invite
  const read = await recentOffer(call.node, capabilityUrl)
  // Two invitations may share a link.
  const consent = read.ok ? await findEarlierConsent(call, read) : undefined
  if (consent !== undefined) return { acceptEventId: consent.acceptEventId, dataGrantAccessId: consent.dataGrantAccessId, ...acceptedFor }
  const { features } = offer
  const input = { capabilityUrl, features, grantedPermissions: permissions, ...(accessName === undefined ? {} : { accessName }) }
  try {
    const { eventId, content } = await acceptOffer(call, { ...input, streamId: await answerStream(call, capabilityUrl) })
    const { status, dataGrantAccessId, failure } = content
    if (status === 'completed' && typeof dataGrantAccessId === 'string') {
      onCreated(eventId)
      return { acceptEventId: eventId, dataGrantAccessId, ...acceptedFor }
    }
    await rollBack(call, eventId)
    return { reason: (textOf(objectOf(failure)['reason']) ?? 'cmc-handler-delivery-failed').slice(0, REASON) }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

/** Failures caused by the offer rather than by the account or the node. */
const OF_THE_OFFER: readonly FailureId[] = [
  'invalid-operation',
  'invalid-parameters-format',
  'invalid-request-structure',
  'unknown-referenced-resource',
]

/** Returns the reason reported to apps when an offer cannot be answered. Rethrows errors not caused by the offer. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Failure) || !OF_THE_OFFER.includes(error.id)) throw error
  const id = textOf(objectOf(error.data)['id'])
  return (id?.startsWith('cmc-') === true ? id : error.id).slice(0, REASON)
}

/** Returns the stream of the caller's account in which an offer is answered. */
async function answerStream({ node }: Call<PeerDeps>, capabilityUrl: string): Promise<string> {
  const read = await recentOffer(node, capabilityUrl)
  const { originStreamId, requesterMeta } = read.ok ? read.content : {}
  return answerStreamOf(namedScope(originStreamId), objectOf(requesterMeta)['appId'])
}
