import * as z from 'zod'
import { findAccess } from '../../store/accesses.js'
import { findDeletedAccess } from '../../store/deletedAccesses.js'
import { parseAccessId, type Access } from '../../store/model/access.js'
import { Failure } from '../../store/model/failure.js'
import { platformMethod } from '../method.js'
import type { Node } from '../node.js'
import { usersOf } from './accounts.js'

const AccessIndex = z.object({
  username: z.string(),
  type: z.enum(['personal', 'app', 'shared']),
  created: z.number(),
  expires: z.number().optional(),
  lastModified: z.number(),
  deleted: z.number().optional(),
})

/**
 * Specification, "Operator system routes"; accounts supplement 15: whose an access is, from its id as an audit record or
 * a client has it, bare or with a serial. Tells neither its token nor its name. Accesses of deleted accounts are gone.
 */
export const accessIndex = platformMethod({
  id: 'system.access',
  summary: 'Tells whose an access is.',
  http: { verb: 'GET', path: '/system/accesses/:accessId' },
  input: z.object({ accessId: z.string() }),
  output: z.object({ accessIndex: AccessIndex }),
  admin: true,
  alone: true,
  fails: ['unknown-resource'],
  async run({ node }, { accessId }) {
    const { base, serial } = parseAccessId(accessId)
    const found = await ownerOf(node, base)
    // No version of an access is later than the present one.
    if (found === undefined || (serial ?? 0) > (found.access.serial ?? 0)) {
      throw new Failure('unknown-resource', `There is no access "${accessId}".`)
    }
    const { username, access } = found
    const { type, created, expires, modified, deleted } = access
    return {
      accessIndex: {
        username,
        type,
        created,
        ...(expires === undefined ? {} : { expires }),
        lastModified: deleted ?? modified,
        ...(deleted === undefined ? {} : { deleted }),
      },
    }
  },
})

interface Owned {
  username: string
  access: Access & { deleted?: number }
}

/** Asks account after account: an access that is alive is a read of one key, a deleted one of two. */
async function ownerOf(node: Node, id: string): Promise<Owned | undefined> {
  const { db, seal } = node.store
  const users = await usersOf(node)
  for (const { account, user } of users) {
    const live = findAccess(db, seal, account, id)
    if (live !== undefined) return { username: user.username, access: live.access }
  }
  for (const { account, user } of users) {
    const deleted = findDeletedAccess(db, seal, account, id)
    if (deleted !== undefined) return { username: user.username, access: deleted.access }
  }
  return undefined
}
