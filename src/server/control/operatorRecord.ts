import type { Account } from '../../store/engine/account.js'
import type { CallRecorder } from '../audit/auditEntry.js'
import { trailOf } from '../call.js'
import type { Node } from '../node.js'
import { terminalOrigin } from './terminalCaller.js'

/** Begins the record of what the operator does in an account, for its owner to read: as a method called from the terminal. */
export const operatorRecord = (node: Node, account: Account, method: string): CallRecorder | undefined =>
  trailOf({ node, account, origin: terminalOrigin(node) }, method, 'system')
