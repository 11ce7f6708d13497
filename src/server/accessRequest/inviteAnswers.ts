/** What a person answers to the consents that an app asks for along with its access (consent supplement 7.1). */
import type { AccessRequest, Invite, InviteOutcome } from '../../store/model/accessRequest.js'
import { checkGrant } from '../../store/model/consent.js'
import type { Permission } from '../../store/model/access.js'
import { Failure } from '../../store/model/failure.js'
import type { Call } from '../method.js'
import { callFor, type Deciding, type InviteOffer, type OfferedInvite } from './invites.js'

/** The answer to one invitation; `kept` are the ids of the entries that are given, those that are locked aside. */
export interface InviteAnswer {
  agrees: boolean
  kept: readonly string[]
}

/** Answers by the ids of invitations. */
export type InviteAnswers = Readonly<Record<string, InviteAnswer>>

/** What is to be done about one invitation. */
export type Step = { id: string; isRequired: boolean } & (
  | { is: 'settled'; outcome: InviteOutcome }
  | { is: 'declined'; call: Call; invite: Invite }
  | { is: 'agreed'; call: Call; invite: Invite; offer: InviteOffer; permissions: Permission[]; acceptedFor: { acceptedFor?: 'self' } }
)

export type Plan = readonly Step[]

/** Whether an invitation still waits for an answer: one that was agreed to before, or cannot be, has none. */
export const isUnanswered = ({ given, problem }: OfferedInvite): boolean => given === undefined && problem === undefined

/**
 * What follows from the answers; nothing is done yet.
 * @throws Failure `invalid-parameters` for an invitation that is not answered, or an answer to none; `invalid-consent-grant`
 * for a choice that does not fit its offer. Data name the `invite`.
 */
export function planned(deciding: Deciding, { cmcInvites = [] }: AccessRequest, offered: readonly OfferedInvite[], answers: InviteAnswers): Plan {
  const unknown = Object.keys(answers).find((id) => !offered.some((one) => one.id === id && isUnanswered(one)))
  if (unknown !== undefined) throw new Failure('invalid-parameters', `The request has no consent ${unknown} to answer.`, { invite: unknown })
  return offered.flatMap((one, at): Step[] => {
    const invite = cmcInvites[at]
    return invite === undefined ? [] : [stepFor(deciding, invite, one, answers[one.id])]
  })
}

function stepFor(deciding: Deciding, invite: Invite, offered: OfferedInvite, answer: InviteAnswer | undefined): Step {
  const { id, isRequired, offer, given, problem } = offered
  const call = callFor(deciding, invite)
  // Apps look for a consent where they have their access, unless they are told that it is elsewhere.
  const acceptedFor = call.account === deciding.target.account ? {} : ({ acceptedFor: 'self' } as const)
  const step = { id, isRequired }
  if (given !== undefined) {
    const { acceptEventId, dataGrantAccessId } = given
    return { ...step, is: 'settled', outcome: { acceptEventId, dataGrantAccessId, ...acceptedFor } }
  }
  if (problem !== undefined || offer === undefined) return { ...step, is: 'settled', outcome: { reason: problem ?? 'cmc-capability-invalid' } }
  if (answer === undefined) throw new Failure('invalid-parameters', `Consent ${id} is not answered.`, { invite: id })
  if (!answer.agrees) return { ...step, is: 'declined', call, invite }
  return { ...step, is: 'agreed', call, invite, offer, permissions: storedOf(call, id, offer, answer.kept), acceptedFor }
}

function storedOf({ account }: Call, invite: string, { entries, allowsChoice }: InviteOffer, stored: readonly string[]): Permission[] {
  const unknown = stored.find((id) => !entries.some((entry) => entry.id === id))
  if (unknown !== undefined) throw new Failure('invalid-parameters', `Consent ${invite} asks for no such thing.`, { invite, id: unknown })
  const given = entries.filter(({ id, isLocked }) => isLocked || stored.includes(id)).map(({ permission }) => permission)
  const offered = entries.map(({ permission, isRequired }) => ({ permission, isMandatory: isRequired }))
  const refusal = checkGrant(given, offered, allowsChoice, account.tree)
  if (refusal !== undefined) throw new Failure('invalid-consent-grant', undefined, { ...refusal, invite })
  return given
}
