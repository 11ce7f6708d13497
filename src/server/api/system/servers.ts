/** Cores under the former names of the register: servers (docs/interface/system.md#cores). */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { listUsernames } from '../../../store/accounts/users.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { userCount } from './accounts.js'

export const servers = platformMethod({
  id: 'system.servers',
  summary: 'Counts the accounts of each core.',
  http: { verb: 'GET', path: '/reg/admin/servers', aliases: ['/admin/servers'] },
  caller: adminKey,
  input: z.unknown(),
  output: z.object({
    servers: z.record(z.string(), z.object({ userCount: z.number().describe('Number of accounts.') })).describe('Cores by URL.'),
  }),
  notInBatch: true,
  fails: [],
  run: async ({ node }) => ({ servers: { [`${node.publicBase()}/`]: { userCount: await userCount(node) } } }),
})

export const serverUsers = platformMethod({
  id: 'system.serverUsers',
  summary: 'Lists the accounts of a core.',
  http: { verb: 'GET', path: '/reg/admin/servers/:serverName/users', aliases: ['/admin/servers/:serverName/users'] },
  caller: adminKey,
  input: z.object({ serverName: z.string().describe('Id or URL of the core.') }),
  output: z.object({ users: z.array(z.object({ username: z.string().describe('User name.') })).describe('Accounts of the core.') }),
  notInBatch: true,
  fails: [],
  async run({ node }, { serverName }) {
    if (!isThisCore(node, serverName)) return { users: [] }
    return { users: (await listUsernames(node.store.db)).map(({ username }) => ({ username })) }
  },
})

/** Assigns accounts to another core, which fails on a platform of one core. */
export const renameServer = platformMethod({
  id: 'system.renameServer',
  summary: 'Assigns the accounts of a core to another; returns how many.',
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
  output: z.object({ count: z.number().describe('Number of assigned accounts.') }),
  notInBatch: true,
  fails: ['INVALID_DATA'],
  run({ node }, { srcServerName, dstServerName }) {
    if (!isThisCore(node, srcServerName)) return { count: 0 }
    if (isThisCore(node, dstServerName)) return { count: 0 }
    throw new Failure('INVALID_DATA', `Unknown core "${dstServerName}".`)
  },
})

/** Checks whether a name is the id of this core, or part of its URL. */
function isThisCore(node: Context, name: string): boolean {
  return name === node.registry.core || `${node.publicBase()}/`.includes(name.toLowerCase())
}
