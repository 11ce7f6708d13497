/** Account listings for the operator (docs/interface/system.md#accounts). */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { adminKey } from '../../call/callers.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Context } from '../../call/context.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import { atHome } from '../../platform/cores/atHome.js'
import type { CoreCallDeps } from '../../platform/cores/coreCalls.js'
import { ownCoreUrl } from '../../platform/cores/wrongCore.js'
import { fieldOf, usersOf } from './accounts.js'

export const list = platformMethod({
  id: 'system.users',
  summary: 'Lists the accounts of this core.',
  http: { verb: 'GET', path: '/system/admin/users', aliases: ['/admin/users', '/reg/admin/users'] },
  caller: adminKey,
  input: z.unknown(),
  output: () => z.object({
    users: z.array(
      z.object({
        username: z.string().describe('User name.'),
        id: z.string().describe('Id of the account.'),
        email: z.string().nullable().describe('Primary e-mail address; null for none.'),
        language: z.string().nullable().describe('Language, such as en; null if not set.'),
        core: z.string().optional().describe('URL of the core; on a platform of several cores.'),
      }),
    ).describe('The accounts.'),
  }),
  notInBatch: true,
  fails: [],
  async run({ node }) {
    const core = node.registry.isShared ? { core: ownCoreUrl(node) } : {}
    const users = (await usersOf(node)).map(({ account, user }) => ({
      username: user.username,
      id: user.id,
      email: user.unique['email'] ?? textOrNull(fieldOf(node, account, ':system:email')),
      language: textOrNull(fieldOf(node, account, ':_system:language')),
      ...core,
    }))
    return { users }
  },
})

const textOrNull = (value: string | number | undefined): string | null => (value === undefined ? null : String(value))

/** Returns the user name and every indexed account field with a value, including hidden ones. */
export const show = platformMethod({
  id: 'system.user',
  summary: 'Reads the registered fields of an account.',
  http: { verb: 'GET', path: '/reg/admin/users/:username', aliases: ['/admin/users/:username'] },
  caller: adminKey,
  input: z.object({ username: z.string().describe('User name.') }),
  output: () => z.object({ username: z.string().describe('User name; beside it the other registered fields.') }).catchall(z.union([z.string(), z.number()])),
  notInBatch: true,
  fails: ['unknown-user'],
  run: (call: PlatformCall<CoreCallDeps>, { username }) =>
    atHome(call, { username, route: { verb: 'GET', path: `/reg/admin/users/${encodeURIComponent(username)}` }, unknown: new Failure('unknown-user') }, (loaded) =>
      registeredFields(call.node, loaded),
    ),
})

function registeredFields(node: Context, { account, user }: LoadedAccount): Record<string, string | number> {
  const registered: Record<string, string | number> = { username: user.username }
  for (const field of node.systemStreams.fields) {
    if (field.isContainer || !(field.isIndexed || field.isUnique) || field.id === 'username') continue
    const value = user.unique[field.id] ?? user.hidden[field.id] ?? fieldOf(node, account.prefix, field.streamId)
    if (value !== undefined) registered[field.id] = value
  }
  return registered
}
