/** A person's answers to the consents requested along with an app's access (docs/interface/access-requests.md#invitations). */
import type { AccessRequest, Invite, InviteOutcome } from '../../../store/model/accessRequest.js'
import { checkGrant } from '../../../store/model/consent.js'
import type { Permission } from '../../../store/model/access.js'
import { Failure } from '../../../store/model/failure.js'
import type { Call } from '../../call/method.js'
import { callFor, type Deciding, type InviteOffer, type OfferedInvite } from './invites.js'
import type { PeerDeps } from '../consents/delivery/peerClient.js'

/** Answer to one invitation; `kept` holds the ids of the granted entries, except locked ones. */
interface InviteAnswer {
  agrees: boolean
  kept: readonly string[]
}

/** Answers by invitation id. */
export type InviteAnswers = Readonly<Record<string, InviteAnswer>>

/** Action to take for one invitation. */
export type InviteAction = { id: string; isRequired: boolean } & (
  | { is: 'settled'; outcome: InviteOutcome }
  | { is: 'declined'; call: Call<PeerDeps>; invite: Invite }
  | { is: 'agreed'; call: Call<PeerDeps>; invite: Invite; offer: InviteOffer; permissions: Permission[]; acceptedFor: { acceptedFor?: 'self' } }
)

export type Plan = readonly InviteAction[]

/** True when an invitation still needs an answer: neither given before nor impossible. */
export const isUnanswered = ({ given, problem }: OfferedInvite): boolean => given === undefined && problem === undefined

/**
 * Plans the steps that follow from the answers, without side effects.
 * @throws Failure `invalid-parameters` for an unanswered invitation or an answer to an unknown one; `invalid-consent-grant`
 * for a selection that does not fit its offer. The data name the `invite`.
 */
export function planAnswers(deciding: Deciding, { cmcInvites = [] }: AccessRequest, offered: readonly OfferedInvite[], answers: InviteAnswers): Plan {
  const unknown = Object.keys(answers).find((id) => !offered.some((one) => one.id === id && isUnanswered(one)))
  if (unknown !== undefined) throw new Failure('invalid-parameters', `The request has no consent ${unknown} to answer.`, { invite: unknown })
  return offered.flatMap((one, at): InviteAction[] => {
    const invite = cmcInvites[at]
    return invite === undefined ? [] : [stepFor(deciding, invite, one, answers[one.id])]
  })
}

function stepFor(deciding: Deciding, invite: Invite, offered: OfferedInvite, answer: InviteAnswer | undefined): InviteAction {
  const { id, isRequired, offer, given, problem } = offered
  const call = callFor(deciding, invite)
  // Apps look for a consent in the account of their access, unless the outcome says otherwise.
  const acceptedFor = call.account === deciding.target.account ? {} : ({ acceptedFor: 'self' } as const)
  const step = { id, isRequired }
  if (given !== undefined) {
    const { acceptEventId, dataGrantAccessId } = given
    return { ...step, is: 'settled', outcome: { acceptEventId, dataGrantAccessId, ...acceptedFor } }
  }
  if (problem !== undefined || offer === undefined) return { ...step, is: 'settled', outcome: { reason: problem ?? 'cmc-capability-invalid' } }
  if (answer === undefined) throw new Failure('invalid-parameters', `Consent ${id} is not answered.`, { invite: id })
  if (!answer.agrees) return { ...step, is: 'declined', call, invite }
  return { ...step, is: 'agreed', call, invite, offer, permissions: selectedPermissions(call, id, offer, answer.kept), acceptedFor }
}

function selectedPermissions({ account }: Call, invite: string, { entries, allowsChoice }: InviteOffer, selected: readonly string[]): Permission[] {
  const unknown = selected.find((id) => !entries.some((entry) => entry.id === id))
  if (unknown !== undefined) throw new Failure('invalid-parameters', `Consent ${invite} has no such entry.`, { invite, id: unknown })
  const given = entries.filter(({ id, isLocked }) => isLocked || selected.includes(id)).map(({ permission }) => permission)
  const offered = entries.map(({ permission, isRequired }) => ({ permission, isMandatory: isRequired }))
  const refusal = checkGrant(given, offered, allowsChoice, account.tree)
  if (refusal !== undefined) throw new Failure('invalid-consent-grant', undefined, { ...refusal, invite })
  return given
}
