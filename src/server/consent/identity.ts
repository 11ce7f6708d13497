/** How accounts of this node are named to others (consent supplement 1.3). */
import type { CmcIdentity } from '../../store/model/cmc.js'
import { Failure } from '../../store/model/failure.js'
import { ownHost } from '../apiEndpoint.js'
import type { Node } from '../node.js'

/** An account of this node. */
export const identityOf = (node: Pick<Node, 'config' | 'publicBase'>, username: string): CmcIdentity => ({
  username,
  host: ownHost(node),
})

/** The failure of what comes from another account than it says, or cannot prove that it comes from it. */
export const unknownCounterparty = (message: string): Failure =>
  new Failure('invalid-operation', message, { id: 'cmc-handler-counterparty-unknown' })
