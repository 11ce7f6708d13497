import * as z from 'zod'
import { listAccesses } from '../../../store/accesses/accesses.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod, type Method, type PlatformCall, type PlatformMethod } from '../../call/method.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Context } from '../../call/context.js'
import { storageUsedOf } from '../../dispatch/quota.js'
import { atHome } from '../../platform/cores/atHome.js'
import type { CoreCallDeps } from '../../platform/cores/coreCalls.js'

export const UserInfo = z.object({
  username: z.string().describe('User name.'),
  storageUsed: z.object({
    dbDocuments: z.number().describe('Bytes of events, streams and other items.'),
    attachedFiles: z.number().describe('Bytes of attached files.'),
  }).describe('Storage that the account uses, in bytes.'),
  lastAccess: z.number().describe('Time of the last call, in seconds since 1970; 0 for none.'),
  callsTotal: z.number().describe('Number of calls of existing accesses.'),
  callsDetail: z.record(z.string(), z.number()).describe('Number of calls by method; the dot of a method id is a colon (events:get).'),
  callsPerAccess: z.record(z.string(), z.number()).describe('Number of calls by name of the access; all shared accesses count as shared.'),
})

/** Reads storage use and call counts of an account (docs/interface/system.md#accounts). */
export function userInfo(methods: () => readonly Method[]): PlatformMethod<CoreCallDeps> {
  let counted: string[] | undefined
  return platformMethod({
    id: 'system.userInfo',
    summary: 'Reads the storage and the calls of an account.',
    http: { verb: 'GET', path: '/system/user-info/:username' },
    caller: adminKey,
    input: z.object({ username: z.string().describe('User name.') }),
    output: () => z.object({ userInfo: UserInfo.describe('Storage and calls of the account.') }),
    notInBatch: true,
    fails: ['unknown-resource'],
    run(call: PlatformCall<CoreCallDeps>, { username }) {
      const ids = (counted ??= [...new Set(methods().filter(({ scope }) => scope === 'token').map(({ id }) => id))].sort())
      const route = { verb: 'GET', path: `/system/user-info/${encodeURIComponent(username)}` } as const
      return atHome(call, { username, route }, async (loaded) => ({ userInfo: await infoOf(call.node, loaded, ids) }))
    },
  })
}

/** Name for the total of calls by shared accesses. */
const SHARED = 'shared'

/**
 * Returns the storage use and call counts of an account. `methods` are the ids listed even without calls. Deleted accesses are
 * excluded.
 */
export async function infoOf(
  node: Context,
  { account, user }: LoadedAccount,
  methods: readonly string[],
): Promise<z.output<typeof UserInfo>> {
  const detail = new Map(methods.map((id) => [keyOf(id), 0]))
  const perAccess = new Map([[SHARED, 0]])
  let lastAccess = 0
  let callsTotal = 0
  for (const { access } of await listAccesses(account, node.store.seal)) {
    const { lastUsed = 0, calls } = node.usage.read(account, access.id)
    lastAccess = Math.max(lastAccess, lastUsed)
    let ofAccess = 0
    for (const [method, count] of Object.entries(calls)) {
      detail.set(keyOf(method), (detail.get(keyOf(method)) ?? 0) + count)
      ofAccess += count
    }
    callsTotal += ofAccess
    const name = access.type === 'shared' ? SHARED : access.name
    perAccess.set(name, (perAccess.get(name) ?? 0) + ofAccess)
  }
  return {
    username: user.username,
    storageUsed: await storageUsedOf(account),
    lastAccess,
    callsTotal,
    callsDetail: Object.fromEntries(detail),
    callsPerAccess: Object.fromEntries(perAccess),
  }
}

/** Converts a method id to a key: `events.get` → `events:get`. */
const keyOf = (method: string): string => method.replace('.', ':')
