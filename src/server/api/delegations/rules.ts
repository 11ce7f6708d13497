/**
 * Shared schemas and helpers of the delegation methods (docs/interface/delegations.md#callers,
 * docs/interface/delegations.md#life-of-a-delegation).
 */
import * as z from 'zod'
import { controlledAccounts, delegates, isNamed } from '../../../store/accesses/delegations.js'
import type { Controlled, Delegate } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import type { Call } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import type { Answer } from './delivery.js'
import { presentIdentity, presentName } from './identity.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

/** Lifetime of an invite: 30 days. */
export const INVITE_SECONDS = 2_592_000

/** A username parameter; a missing one becomes the empty text. */
export const Username = z.string().nullish().transform((name) => name ?? '')

export const OtherUsername = z.object({ username: Username.describe('User name of the other account.') })

/** The delegate's view of a relationship. */
export const ControlledView = z.object({
  relId: z.string().describe('Id of the delegation.'),
  controlled: z.object({
    username: z.string().describe('User name of the controlled account.'),
    hostSlug: z.string().describe("Host of the controlled account's platform, as a slug."),
  }).describe('The controlled account.'),
  status: z.enum(['invite', 'active', 'stale']).describe('invite until it is accepted, then active; stale once the other side has ended it.'),
  requestedAt: z.number().optional().describe('Time of the invitation, in seconds since 1970.'),
  activatedAt: z.number().optional().describe('Time of the acceptance, in seconds since 1970.'),
})

/** Returns the public view of a mirror, without internal members. */
export const viewOfControlled = ({ relId, controlled, status, requestedAt, activatedAt }: Controlled): z.output<typeof ControlledView> => ({
  relId,
  controlled,
  status,
  requestedAt,
  ...(activatedAt === undefined ? {} : { activatedAt }),
})

/** Returns the view of a relationship that just became active. */
export const viewOfActive = ({ relId, controlled, activatedAt }: Controlled): z.output<typeof ControlledView> => ({
  relId,
  controlled,
  status: 'active',
  ...(activatedAt === undefined ? {} : { activatedAt }),
})

/** Checks whether an invite has expired at `now`, in seconds. */
export const isOver = ({ status, expiresAt }: Delegate, now: number): boolean =>
  status === 'invite' && expiresAt !== undefined && expiresAt <= now

/** Account of a call, and what reading its delegations needs. */
type AccountCall = Pick<Call<CoresDeps>, 'node' | 'account'>

/** Returns the caller's relationships and invites to controlled accounts, with their current usernames; oldest first. */
export async function controlledsOf({ node, account }: AccountCall): Promise<Controlled[]> {
  const all = await controlledAccounts.list(account, node.store.seal)
  return Promise.all(all.map(async (mirror) => ({ ...mirror, controlled: await presentIdentity(node, mirror.controlled) })))
}

/** Returns the relationships to the delegates of an account, with their current usernames; oldest first. */
export async function delegatesOf({ node, account }: AccountCall): Promise<Delegate[]> {
  const all = await delegates.list(account, node.store.seal)
  return Promise.all(all.map(async (anchor) => ({ ...anchor, delegate: await presentIdentity(node, anchor.delegate) })))
}

/**
 * Returns the caller's relationship or invite to a controlled account, by its current or a former username.
 * @throws Failure `delegation-not-found`
 */
export async function controlledNamed(place: AccountCall, username: string): Promise<Controlled> {
  const name = await presentName(place.node, username)
  const found = (await controlledsOf(place)).find(({ controlled }) => isNamed(controlled.username, name))
  if (found === undefined) throw new Failure('delegation-not-found')
  return found
}

/** Returns the relationship to a delegate, by its current or a former username; undefined when there is none. */
export async function delegateNamed(place: AccountCall, username: string): Promise<Delegate | undefined> {
  const name = await presentName(place.node, username)
  return (await delegatesOf(place)).find(({ delegate }) => isNamed(delegate.username, name))
}

/** Returns the failure for a failed call of the other side, with its cause. */
export function undelivered(answer: Answer): Failure {
  const data = 'cause' in answer ? { cause: answer.cause } : { peerStatus: answer.status }
  return new Failure('delegation-delivery-failed', undefined, data)
}

/** Returns the failure for a successful answer that lacks required data. */
export const incomplete = (): Failure =>
  new Failure('delegation-delivery-failed', 'The answer of the other account is incomplete.', undefined, 'incomplete')

/**
 * Logs that the other side of a relationship could not be notified. Its next call is rejected, which ends the relationship there.
 */
export function logUndelivered(node: Context, event: string, relId: string, answer: Answer): void {
  const data = 'cause' in answer ? { cause: answer.cause } : { peerStatus: answer.status }
  node.log.warn(`could not notify the other account of a delegation: ${event}`, { relId, ...data })
}
