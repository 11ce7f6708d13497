import type { Account } from '../store/account.js'
import type { Trail } from './audit/trail.js'
import { trailOf } from './call.js'
import type { Node } from './node.js'
import { terminalOrigin } from './owner.js'

/** Begins the record of what the operator does in an account, for its owner to read: as a method called from the terminal. */
export const operatorTrail = (node: Node, account: Account, method: string): Trail | undefined =>
  trailOf({ node, account, origin: terminalOrigin(node) }, method, 'system')
