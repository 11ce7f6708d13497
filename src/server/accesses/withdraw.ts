import { removeAccess, type LiveAccess } from '../../store/accesses.js'
import type { Transaction } from '../../store/account.js'
import type { AccessDeletion } from '../../store/model/access.js'
import { withAccessIntegrity } from '../accessIntegrity.js'
import type { Node } from '../node.js'

/** Stages the end of an access, which leaves its deletion. `deleted` in seconds. */
export function withdraw(node: Node, t: Transaction, live: LiveAccess, deleted: number): void {
  const deletion: AccessDeletion = withAccessIntegrity(node, { ...live.access, deleted }, live.token)
  removeAccess(t, node.store.seal, live, deletion)
}
