import type { Account } from '../../store/engine/account.js'
import type { CallRecorder } from '../audit/auditEntry.js'
import { trailOf } from '../dispatch/call.js'
import type { Node } from '../index.js'
import { terminalOrigin } from '../dispatch/terminalCaller.js'

/** Starts the audit record of an operator's action in an account, as a method called from the terminal. */
export const operatorRecord = (node: Node, account: Account, method: string): CallRecorder | undefined =>
  trailOf({ node, account, origin: terminalOrigin(node) }, method, 'system')
