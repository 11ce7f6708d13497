/** Cores under the former names of the register: servers (docs/interface/system.md#cores). */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { listUsernames } from '../../../store/accounts/users.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { accountIdsOf } from './accounts.js'
import { operatorOf } from '../../platform/cores/atHome.js'
import { forward, type CoreCallDeps } from '../../platform/cores/coreCalls.js'
import { urlOfCore } from '../../platform/cores/ownCore.js'
import { coreOfHolder } from '../../platform/cores/wrongCore.js'
import type { CoreView } from '../../platform/registry/port.js'

export const servers = platformMethod({
  id: 'system.servers',
  summary: 'Counts the accounts of each core.',
  http: { verb: 'GET', path: '/reg/admin/servers', aliases: ['/admin/servers'] },
  caller: adminKey,
  input: z.unknown(),
  output: () => z.object({
    servers: z.record(z.string(), z.object({ userCount: z.number().describe('Number of accounts.') })).describe('Cores by URL.'),
  }),
  notInBatch: true,
  fails: [],
  async run({ node }) {
    const { registry, config } = node
    const counted = registry.cores.list().map(async (core) => [urlOfCore(config, core) ?? core.id, { userCount: await registry.homes.count(core.id) }] as const)
    return { servers: Object.fromEntries(await Promise.all(counted)) }
  },
})

/** Lists user names, which only the core itself knows; ids of the accounts while it does not answer. */
export const serverUsers = platformMethod({
  id: 'system.serverUsers',
  summary: 'Lists the accounts of a core.',
  http: { verb: 'GET', path: '/reg/admin/servers/:serverName/users', aliases: ['/admin/servers/:serverName/users'] },
  caller: adminKey,
  input: z.object({ serverName: z.string().describe('Id or URL of the core.') }),
  output: () => z.object({ users: z.array(z.object({ username: z.string().describe('User name; id of the account while its core does not answer.') })).describe('Accounts of the core.') }),
  notInBatch: true,
  fails: [],
  async run(call: PlatformCall<CoreCallDeps>, { serverName }) {
    const { node, fromCore } = call
    const core = coreNamed(node, serverName)
    if (core === undefined) return { users: [] }
    if (core.id === node.registry.core) return { users: (await listUsernames(node.store.db)).map(({ username }) => ({ username })) }
    if (fromCore !== undefined) return { users: [] }
    try {
      const path = `/reg/admin/servers/${encodeURIComponent(core.id)}/users`
      return await forward(node, coreOfHolder(node, { core: core.id }), { verb: 'GET', path, ...operatorOf(call), timeoutMs: TIMEOUT_MS, maxBytes: MAX_LIST_BYTES })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      node.log.warn('the user names of a core are unknown while it does not answer', { core: core.id, cause: error.message })
      return { users: (await accountIdsOf(node.registry, core.id)).map((username) => ({ username })) }
    }
  },
})

const TIMEOUT_MS = 15_000
const MAX_LIST_BYTES = 64 * 1024 * 1024

/**
 * Formerly assigned accounts to another core without their data. This only succeeds for cores without accounts: others are moved
 * by the cores themselves.
 */
export const renameServer = platformMethod({
  id: 'system.renameServer',
  summary: 'Assigns the accounts of a core to another; refused for a core that has accounts.',
  http: {
    verb: 'GET',
    path: '/reg/admin/servers/:srcServerName/rename/:dstServerName',
    aliases: ['/admin/servers/:srcServerName/rename/:dstServerName'],
  },
  caller: adminKey,
  input: z.object({
    srcServerName: z.string().describe('Core that the accounts leave.'),
    dstServerName: z.string().describe('Core that receives them.'),
  }),
  output: () => z.object({ count: z.number().describe('Number of assigned accounts.') }),
  notInBatch: true,
  fails: ['INVALID_DATA'],
  async run({ node }, { srcServerName, dstServerName }) {
    const from = coreNamed(node, srcServerName)
    if (from === undefined) return { count: 0 }
    const to = coreNamed(node, dstServerName)
    if (to === undefined) throw new Failure('INVALID_DATA', `Unknown core "${dstServerName}".`)
    if (from.id === to.id || (await node.registry.homes.count(from.id)) === 0) return { count: 0 }
    throw new Failure('INVALID_DATA', `The core ${from.id} has accounts, whose data would stay there: accounts cannot be moved between cores in this version.`)
  },
})

/** Returns the core with an id, or else one whose URL contains the name. */
function coreNamed({ registry, config }: Context, name: string): CoreView | undefined {
  const exact = registry.cores.get(name)
  if (exact !== undefined || name === '') return exact
  return registry.cores.list().find((core) => urlOfCore(config, core)?.includes(name.toLowerCase()) === true)
}
