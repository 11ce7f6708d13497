/** How accounts of this node are named to others (consent supplement 1.3). */
import type { CmcIdentity } from '../../store/model/cmc.js'
import { platformHost } from '../../store/model/hostSlug.js'
import { apiTemplate } from '../apiEndpoint.js'
import type { Node } from '../node.js'

/** An account of this node. */
export const identityOf = (node: Pick<Node, 'config' | 'publicBase'>, username: string): CmcIdentity => ({
  username,
  host: platformHost(node.config.get('dns.domain') ?? undefined, apiTemplate(node)),
})
