/** Streams of the audit store as shown by streams.get: one for each access and each method (docs/interface/audit.md#streams). */
import { listAccessIds } from '../../../store/accesses/accesses.js'
import { auditNames } from '../../../store/accounts/audit.js'
import { readRetention } from '../../../store/accounts/auditRetention.js'
import {
  accessBase,
  accessOfAuditStream,
  actionOfAuditStream,
  AUDIT_ACCESSES,
  AUDIT_ACTIONS,
  AUDIT_ROOT,
  auditStreamOfAccess,
  auditStreamOfAction,
} from '../../../store/model/auditStreams.js'
import type { StreamView as View } from '../../../store/model/stream.js'
import { STORE_DATE, UNKNOWN_DATE } from '../../../store/model/systemStreams.js'
import type { Call } from '../../call/method.js'

/** Client-data key of the root with the start of the complete records, after older ones were pruned. */
const RECORDS_SINCE = 'audit:since'

/** Builds the view of a stream maintained by the node. */
export function nodeView(id: string, name: string, parentId: string | null, children: View[] = []): View {
  const tracking = { created: UNKNOWN_DATE, createdBy: 'system', modified: UNKNOWN_DATE, modifiedBy: 'system' }
  return { id, name, parentId, ...tracking, children }
}

/** Root of the audit streams, without children, for listings of all streams. */
export const auditRoot: View = { ...nodeView(AUDIT_ROOT, 'Audit', null), created: STORE_DATE, modified: STORE_DATE, childrenHidden: true }

/** Builds the stream of an access's calls. */
export const accessView = (accessId: string): View => nodeView(auditStreamOfAccess(accessId), accessId, AUDIT_ACCESSES)

const actionView = (methodId: string): View => nodeView(auditStreamOfAction(methodId), methodId, AUDIT_ACTIONS)

/** Returns an audit stream with its children; undefined for an unknown id. */
export async function auditView({ node, account }: Call, id: string): Promise<View | undefined> {
  await node.audit.settled(account)
  const names = await auditNames(account)
  const accesses = new Set([...(await listAccessIds(account)), ...names.accesses])
  const access = accessOfAuditStream(id)
  if (access !== undefined) return accesses.has(accessBase(access)) ? accessView(access) : undefined
  const action = actionOfAuditStream(id)
  if (action !== undefined) return names.actions.includes(action) ? actionView(action) : undefined
  const ofAccesses = nodeView(AUDIT_ACCESSES, 'Accesses', AUDIT_ROOT, [...accesses].sort().map(accessView))
  const ofActions = nodeView(AUDIT_ACTIONS, 'Actions', AUDIT_ROOT, names.actions.map(actionView))
  if (id === AUDIT_ACCESSES) return ofAccesses
  if (id === AUDIT_ACTIONS) return ofActions
  if (id !== AUDIT_ROOT) return undefined
  const { since } = readRetention(account)
  const clientData = since === undefined ? {} : { clientData: { [RECORDS_SINCE]: since } }
  return { ...auditRoot, ...clientData, children: [ofAccesses, ofActions] }
}
