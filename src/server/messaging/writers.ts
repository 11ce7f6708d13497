/** Accesses that handlers look up: who asked for something, and what it is about. */
import { findAccess, type LiveAccess } from '../../store/accesses/accesses.js'
import { parseAccessId, type Access } from '../../store/model/access.js'
import { isAlive } from '../guard/authenticate.js'
import { TERMINAL, terminalAccess } from '../control/terminalCaller.js'
import type { Job } from './jobTypes.js'

type Reader = { get(key: string): string | undefined }

/** The access of an id as clients give it, whatever version that names. */
export const findLiveAccess = ({ node, account }: Pick<Job, 'node' | 'account'>, reader: Reader, id: string): LiveAccess | undefined =>
  findAccess(reader, node.store.seal, account.prefix, parseAccessId(id).base)

/** The access that an event was written with: its author is that and, where one was sent, the id of a caller. */
export const authorAccessId = (createdBy: string): string => createdBy.split(' ')[0] ?? ''

/** The access that the event was written with, as far as it gives rights still. */
export function writerOf({ node, account, user, event }: Job, reader: Reader): Access | undefined {
  const id = parseAccessId(authorAccessId(event.createdBy)).base
  if (id === TERMINAL) return terminalAccess(user)
  if (!isAlive(reader, account.prefix, id, node.clock.now())) return undefined
  return findAccess(reader, node.store.seal, account.prefix, id)?.access
}
