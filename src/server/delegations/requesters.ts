/** What those hear to whom a consent was granted that has ended with a delegation (consent supplement 6.3). */
import type { LiveAccess } from '../../store/accesses.js'
import type { Node } from '../node.js'

/**
 * Takes notice of grants that were dropped. Their tokens are dead already; this node carries no messages of consents
 * yet, so that requesters find out when they call, and the operator in the log.
 */
export function tellRequesters(node: Node, dropped: readonly LiveAccess[]): void {
  for (const { access } of dropped) node.log.warn('a requester was not told that a consent has ended', { access: access.id })
}
