/** Who takes part in a delegation, as each side knows the other (consent supplement 1.3, 6.1). */
import * as z from 'zod'
import { hostSlug } from '../../store/model/hostSlug.js'
import type { Identity } from '../../store/model/delegation.js'
import type { User } from '../../store/users.js'
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

export const IdentityShape = z.object({ username: z.string().min(1).max(256), hostSlug: z.string().max(256) })

/** An id of a relationship, as the other side gives it. */
export const RelationId = z.string().regex(/^[a-z0-9]{16,64}$/)
