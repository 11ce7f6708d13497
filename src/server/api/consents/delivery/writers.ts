/** Look-up of accesses for handlers: the author of an event, and the target of a request. */
import type { RecordReader } from '../../../../store/engine/recordReader.js'
import { findAccess, type LiveAccess } from '../../../../store/accesses/accesses.js'
import { parseAccessId, type Access } from '../../../../store/model/access.js'
import { isAccessValid } from '../../../auth/authenticate.js'
import { TERMINAL, terminalAccess } from '../../../dispatch/terminalCaller.js'
import type { Job } from './jobTypes.js'

/** Finds a live access by any client-visible id, whatever its version. */
export const findLiveAccess = ({ node, account }: Pick<Job, 'node' | 'account'>, reader: RecordReader, id: string): LiveAccess | undefined =>
  findAccess(reader, node.store.seal, account.prefix, parseAccessId(id).base)

/** Returns the id of the access that wrote an event, from its author without the optional caller id. */
export const authorAccessId = (createdBy: string): string => createdBy.split(' ')[0] ?? ''

/** Returns the access that wrote the event, if it is still valid. */
export function writerOf({ node, account, user, event }: Job, reader: RecordReader): Access | undefined {
  const id = parseAccessId(authorAccessId(event.createdBy)).base
  if (id === TERMINAL) return terminalAccess(user)
  if (!isAccessValid(reader, account.prefix, id, node.clock.now())) return undefined
  return findAccess(reader, node.store.seal, account.prefix, id)?.access
}
