/** Who takes part in a delegation, as each side knows the other (consent supplement 1.3, 6.1). */
import * as z from 'zod'
import { hostSlug } from '../../store/model/hostSlug.js'
import type { Identity } from '../../store/model/delegation.js'
import { isNamed } from '../../store/accesses/delegations.js'
import type { User } from '../../store/accounts/users.js'
import { ownHost } from '../apiEndpoint.js'
import type { Node } from '../node.js'

/** The slug of this platform. */
export const ownSlug = (node: Pick<Node, 'config' | 'publicBase'>): string =>
  hostSlug(ownHost(node))

/** An account of this node, for others. */
export const identityOf = (node: Node, { username }: Pick<User, 'username'>): Identity => ({
  username,
  hostSlug: ownSlug(node),
})

/** Returns the present name of an account of this platform; a name that leads to no account is returned as it is. */
export async function presentName({ cores }: Pick<Node, 'cores'>, username: string): Promise<string> {
  return (await cores.ofAccount(username).catch(() => undefined))?.username ?? username
}

/**
 * Returns an identity with the present name of its account. Relationships keep the name that the other side had when they
 * began, and a former name leads on to its account; names on other platforms stay as they were given.
 */
export async function presentIdentity(node: Node, identity: Identity): Promise<Identity> {
  return identity.hostSlug === ownSlug(node) ? { ...identity, username: await presentName(node, identity.username) } : identity
}

/** Checks that two identities are one account; user names are compared without their case. */
export const isSameIdentity = (a: Identity, b: Identity): boolean => a.hostSlug === b.hostSlug && isNamed(a.username, b.username)

export const IdentityShape = z.object({
  username: z.string().min(1).max(256).describe('User name.'),
  hostSlug: z.string().max(256).describe("Host of the account's platform, as a slug."),
})

/** An id of a relationship, as the other side gives it. */
export const RelationId = z.string().regex(/^[a-z0-9]{16,64}$/)
