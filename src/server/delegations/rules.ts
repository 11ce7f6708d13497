/** What holds for several methods of delegations (consent supplement 6.2, 6.3). */
import * as z from 'zod'
import { controlleds, delegates, isNamed } from '../../store/delegations.js'
import type { Controlled, Delegate } from '../../store/model/delegation.js'
import { Failure } from '../../store/model/failure.js'
import type { Call } from '../method.js'
import type { Node } from '../node.js'
import type { Answer } from './delivery.js'

/** An invite lives 30 days. */
export const INVITE_SECONDS = 2_592_000

/** A user name as a parameter: a missing one is the empty text. */
export const Username = z.string().nullish().transform((name) => name ?? '')

export const OtherUsername = z.object({ username: Username })

/** What is told of a relationship to the delegate. */
export const ControlledView = z.object({
  relId: z.string(),
  controlled: z.object({ username: z.string(), hostSlug: z.string() }),
  status: z.enum(['invite', 'active', 'stale']),
  requestedAt: z.number().optional(),
  activatedAt: z.number().optional(),
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

/**
 * The caller's relationship to an account that it may act for, or is asked to.
 * @throws Failure `delegation-not-found`
 */
export async function controlledNamed({ node, account }: Call, username: string): Promise<Controlled> {
  const all = await controlleds.list(account, node.store.seal)
  const found = all.find(({ controlled }) => isNamed(controlled.username, username))
  if (found === undefined) throw new Failure('delegation-not-found')
  return found
}

/** The relationship to a delegate; undefined when there is none. */
export async function delegateNamed({ node, account }: Pick<Call, 'node' | 'account'>, username: string): Promise<Delegate | undefined> {
  const all = await delegates.list(account, node.store.seal)
  return all.find(({ delegate }) => isNamed(delegate.username, username))
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
export function noteUntold(node: Node, what: string, relId: string, answer: Answer): void {
  const data = 'cause' in answer ? { cause: answer.cause } : { peerStatus: answer.status }
  node.log.warn(`the other account of a delegation was not told: ${what}`, { relId, ...data })
}
