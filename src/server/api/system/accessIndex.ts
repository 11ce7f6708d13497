import * as z from 'zod'
import { findAccess, findDeletedAccess } from '../../../store/accesses/accesses.js'
import { parseAccessId, type Access } from '../../../store/model/access.js'
import { Failure } from '../../../store/model/failure.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { usersOf } from './accounts.js'

const AccessIndex = z.object({
  username: z.string().describe('User name of the account.'),
  type: z.enum(['personal', 'app', 'shared']).describe('Type of the access.'),
  created: z.number().describe('Creation time, in seconds since 1970.'),
  expires: z.number().optional().describe('Time at which the access expires, in seconds since 1970.'),
  lastModified: z.number().describe('Time of the last change, in seconds since 1970.'),
  deleted: z.number().optional().describe('Time of the deletion, in seconds since 1970.'),
})

/**
 * Looks up the account of an access (docs/interface/system.md#accounts), by its id from an audit record or a client, with or
 * without a serial. Reveals neither token nor name. Accesses of deleted accounts are not found.
 */
export const accessIndex = platformMethod({
  id: 'system.access',
  summary: 'Finds the account of an access.',
  http: { verb: 'GET', path: '/system/accesses/:accessId' },
  caller: adminKey,
  input: z.object({ accessId: z.string().describe('Id of the access, with or without a serial.') }),
  output: z.object({ accessIndex: AccessIndex.describe('The account and times of the access.') }),
  notInBatch: true,
  fails: ['unknown-resource'],
  async run({ node }, { accessId }) {
    const { base, serial } = parseAccessId(accessId)
    const found = await ownerOf(node, base)
    // An access has no version later than the current one.
    if (found === undefined || (serial ?? 0) > (found.access.serial ?? 0)) {
      throw new Failure('unknown-resource', `Unknown access "${accessId}".`)
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

/** Searches account by account; one key read for a live access, two for a deleted one. */
async function ownerOf(node: Context, id: string): Promise<Owned | undefined> {
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
