/** What holds for several methods of delegations (consent supplement 6.2, 6.3). */
import * as z from 'zod'
import { controlleds, delegates, isNamed } from '../../store/accesses/delegations.js'
import type { Controlled, Delegate } from '../../store/model/delegation.js'
import { Failure } from '../../store/model/failure.js'
import type { Call } from '../method.js'
import type { Node } from '../node.js'
import type { Answer } from './delivery.js'
import { presentIdentity, presentName } from './identity.js'

/** An invite lives 30 days. */
export const INVITE_SECONDS = 2_592_000

/** A user name as a parameter: a missing one is the empty text. */
export const Username = z.string().nullish().transform((name) => name ?? '')

export const OtherUsername = z.object({ username: Username.describe('User name of the other account.') })

/** What is told of a relationship to the delegate. */
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

/** A mirror without what only nodes may know. */
export const viewOfControlled = ({ relId, controlled, status, requestedAt, activatedAt }: Controlled): z.output<typeof ControlledView> => ({
  relId,
  controlled,
  status,
  requestedAt,
  ...(activatedAt === undefined ? {} : { activatedAt }),
})

/** What is answered of a relationship that has become active. */
export const viewOfActive = ({ relId, controlled, activatedAt }: Controlled): z.output<typeof ControlledView> => ({
  relId,
  controlled,
  status: 'active',
  ...(activatedAt === undefined ? {} : { activatedAt }),
})

/** Whether an invite can no longer be answered at `now`, in seconds. */
export const isOver = ({ status, expiresAt }: Delegate, now: number): boolean =>
  status === 'invite' && expiresAt !== undefined && expiresAt <= now

type Place = Pick<Call, 'node' | 'account'>

/** The caller's relationships to accounts that it may act for, or is asked to, by their present names; oldest first. */
export async function controlledsOf({ node, account }: Place): Promise<Controlled[]> {
  const all = await controlleds.list(account, node.store.seal)
  return Promise.all(all.map(async (mirror) => ({ ...mirror, controlled: await presentIdentity(node, mirror.controlled) })))
}

/** The relationships to delegates of an account, by their present names; oldest first. */
export async function delegatesOf({ node, account }: Place): Promise<Delegate[]> {
  const all = await delegates.list(account, node.store.seal)
  return Promise.all(all.map(async (anchor) => ({ ...anchor, delegate: await presentIdentity(node, anchor.delegate) })))
}

/**
 * The caller's relationship to an account that it may act for, or is asked to, by any name that the account has or had.
 * @throws Failure `delegation-not-found`
 */
export async function controlledNamed(place: Place, username: string): Promise<Controlled> {
  const name = await presentName(place.node, username)
  const found = (await controlledsOf(place)).find(({ controlled }) => isNamed(controlled.username, name))
  if (found === undefined) throw new Failure('delegation-not-found')
  return found
}

/** The relationship to a delegate, by any name that it has or had; undefined when there is none. */
export async function delegateNamed(place: Place, username: string): Promise<Delegate | undefined> {
  const name = await presentName(place.node, username)
  return (await delegatesOf(place)).find(({ delegate }) => isNamed(delegate.username, name))
}

/** That the other side did not do what it was asked for, and why. */
export function undelivered(answer: Answer): Failure {
  const data = 'cause' in answer ? { cause: answer.cause } : { peerStatus: answer.status }
  return new Failure('delegation-delivery-failed', undefined, data)
}

/** That the other side did what it was asked for, and did not say what is needed of it. */
export const incomplete = (): Failure =>
  new Failure('delegation-delivery-failed', 'The other account answered without what was asked for.', undefined, 'incomplete')

/** Logs that the other side of a relationship could not be told; its end is told again when it is asked for something. */
export function logUndelivered(node: Node, what: string, relId: string, answer: Answer): void {
  const data = 'cause' in answer ? { cause: answer.cause } : { peerStatus: answer.status }
  node.log.warn(`the other account of a delegation was not told: ${what}`, { relId, ...data })
}
