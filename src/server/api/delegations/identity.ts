/**
 * Identities of the participants of a delegation (docs/interface/consents.md#identities,
 * docs/interface/delegations.md#reserved-items).
 */
import * as z from 'zod'
import { hostSlug, platformHost } from '../../../store/model/hostSlug.js'
import type { Identity } from '../../../store/model/delegation.js'
import { isNamed } from '../../../store/accesses/delegations.js'
import type { User } from '../../../store/accounts/users.js'
import { hostDomain, ownHost } from '../../config/apiEndpoint.js'
import type { Context } from '../../call/context.js'
import { accountTemplates, type CoresDeps } from '../../platform/cores/cores.js'

/** The slug of this platform; on one whose cores have hosts of their own, that of this core. */
export const ownSlug = (node: Pick<Context, 'config' | 'publicBase'>): string =>
  hostSlug(ownHost(node))

/** Checks whether a slug is that of this platform, or of one of its cores. */
export const isOwnSlug = (node: Pick<Context, 'config' | 'publicBase' | 'registry'>, slug: string): boolean =>
  accountTemplates(node).some((template) => hostSlug(platformHost(hostDomain(node), template)) === slug)

/** Returns the identity of an account of this node. */
export const identityOf = (node: Context, { username }: Pick<User, 'username'>): Identity => ({
  username,
  hostSlug: ownSlug(node),
})

/** Returns the current username of an account of this platform; unknown usernames are returned unchanged. */
export async function presentName({ cores }: CoresDeps, username: string): Promise<string> {
  return (await cores.ofAccount(username).catch(() => undefined))?.username ?? username
}

/**
 * Returns an identity with the current username of its account. Stored identities keep the username from the start of the
 * relationship, which still resolves after a rename. Usernames on other platforms are returned unchanged.
 */
export async function presentIdentity(node: Context & CoresDeps, identity: Identity): Promise<Identity> {
  return isOwnSlug(node, identity.hostSlug) ? { ...identity, username: await presentName(node, identity.username) } : identity
}

/** Checks whether two identities are the same account; usernames are compared case-insensitively. */
export const isSameIdentity = (a: Identity, b: Identity): boolean => a.hostSlug === b.hostSlug && isNamed(a.username, b.username)

export const IdentityShape = z.object({
  username: z.string().min(1).max(256).describe('User name.'),
  hostSlug: z.string().max(256).describe("Host of the account's platform, as a slug."),
})

/** An id of a relationship, as received from the other side. */
export const RelationId = z.string().regex(/^[a-z0-9]{16,64}$/)
