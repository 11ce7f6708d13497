/** Operator methods for storage usage and quotas of accounts. */
import * as z from 'zod'
import { parseInput } from '../../../store/model/validation.js'
import type { Quota } from '../../../store/accounts/users.js'
import type { NodeMethod } from '../control.js'
import type { Result } from '../../method.js'
import type { LoadedAccount } from '../../accountCache.js'
import type { Node } from '../../node.js'
import { limitsOf } from '../../quota.js'
import { infoOf } from '../../system/userInfo.js'
import { changeUser, loadedOf } from './loaded.js'

/** A limit in bytes; null is unlimited, `default` applies the settings. */
const Limit = z.union([z.number().int().min(0), z.null(), z.literal('default')]).optional()
const Asked = z.object({ username: z.string(), dbDocuments: Limit, attachedFiles: Limit })

/** Returns the usage and the limits of an account. */
async function usageOf(node: Node, loaded: LoadedAccount): Promise<Result> {
  // Sizes are measured on disk: the latest writes are still in memory.
  if (node.store.state === 'writable') await node.store.db.flush()
  const limits = limitsOf(node, loaded.user) ?? { dbDocuments: null, attachedFiles: null }
  return { usage: { ...(await infoOf(node, loaded, [])), limits, ownLimits: loaded.user.quota ?? {} } }
}

function changedQuota(former: Quota = {}, input: z.output<typeof Asked>): Quota {
  const quota = { ...former }
  for (const kind of ['dbDocuments', 'attachedFiles'] as const) {
    const limit = input[kind]
    if (limit === 'default') delete quota[kind]
    else if (limit !== undefined) quota[kind] = limit
  }
  return quota
}

export const limitMethods: Readonly<Record<string, NodeMethod>> = {
  async 'users.usage'(node, params) {
    return usageOf(node, await loadedOf(node, params))
  },
  async 'users.setQuota'(node, params) {
    const input = parseInput(Asked, params)
    const loaded = await loadedOf(node, params)
    const user = await changeUser(loaded, ({ quota: former, ...rest }) => {
      const quota = changedQuota(former, input)
      return Object.keys(quota).length === 0 ? rest : { ...rest, quota }
    })
    return usageOf(node, { ...loaded, user })
  },
}
