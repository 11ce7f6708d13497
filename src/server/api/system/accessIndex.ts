import * as z from 'zod'
import { findAccess, findDeletedAccess } from '../../../store/accesses/accesses.js'
import { parseAccessId, type Access } from '../../../store/model/access.js'
import { Failure } from '../../../store/model/failure.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod, type PlatformCall, type Result } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { operatorOf } from '../../platform/cores/atHome.js'
import { forward, type CoreCallDeps } from '../../platform/cores/coreCalls.js'
import { coreOfHolder, ownCoreUrl } from '../../platform/cores/wrongCore.js'
import { usersOf } from './accounts.js'

/** Time for the other cores to answer. */
const TIMEOUT_MS = 3000

const AccessIndex = z.object({
  username: z.string().describe('User name of the account.'),
  type: z.enum(['personal', 'app', 'shared']).describe('Type of the access.'),
  created: z.number().describe('Creation time, in seconds since 1970.'),
  expires: z.number().optional().describe('Time at which the access expires, in seconds since 1970.'),
  lastModified: z.number().describe('Time of the last change, in seconds since 1970.'),
  deleted: z.number().optional().describe('Time of the deletion, in seconds since 1970.'),
  core: z.string().optional().describe('URL of the core of the account; on a platform of several cores.'),
})

/**
 * Looks up the account of an access (docs/interface/system.md#accounts), by its id from an audit record or a client, with or
 * without a serial. Reveals neither token nor name. Accesses of deleted accounts are not found. Searches
 * all other cores at once for an access that this core does not have.
 */
export const accessIndex = platformMethod({
  id: 'system.access',
  summary: 'Finds the account of an access.',
  http: { verb: 'GET', path: '/system/accesses/:accessId' },
  caller: adminKey,
  input: z.object({ accessId: z.string().describe('Id of the access, with or without a serial.') }),
  output: () => z.object({ accessIndex: AccessIndex.describe('The account and times of the access.') }),
  notInBatch: true,
  fails: ['unknown-resource', 'platform-unavailable'],
  async run(call: PlatformCall<CoreCallDeps>, { accessId }) {
    const own = await indexHere(call.node, accessId)
    if (own !== undefined) return own
    const other = call.node.registry.isShared && call.fromCore === undefined ? await indexElsewhere(call, accessId) : undefined
    if (other === undefined) throw new Failure('unknown-resource', `Unknown access "${accessId}".`)
    return other
  },
})

/** Asks all live cores at once. @throws Failure `platform-unavailable` when none has the access, and some do not answer */
async function indexElsewhere(call: PlatformCall<CoreCallDeps>, accessId: string): Promise<Result | undefined> {
  const { node } = call
  const { registry } = node
  const path = `/system/accesses/${encodeURIComponent(accessId)}`
  const others = registry.cores.list().filter(({ id, isLive }) => isLive && id !== registry.core)
  const answers = await Promise.all(
    others.map(async ({ id }): Promise<Result | 'unknown' | 'silent'> => {
      try {
        return await forward(node, coreOfHolder(node, { core: id }), { verb: 'GET', path, ...operatorOf(call), timeoutMs: TIMEOUT_MS })
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        return error.id === 'unknown-resource' ? 'unknown' : 'silent'
      }
    }),
  )
  const found = answers.find((answer) => typeof answer !== 'string')
  if (found === undefined && answers.includes('silent')) {
    throw new Failure('platform-unavailable', 'Some cores do not answer, and no other core has this access.', { retryAfterSeconds: 5 })
  }
  return found
}

async function indexHere(node: Context, accessId: string): Promise<Result | undefined> {
  const { base, serial } = parseAccessId(accessId)
  const found = await ownerOf(node, base)
  // An access has no version later than the current one.
  if (found === undefined || (serial ?? 0) > (found.access.serial ?? 0)) return undefined
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
      ...(node.registry.isShared ? { core: ownCoreUrl(node) } : {}),
    },
  }
}

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
