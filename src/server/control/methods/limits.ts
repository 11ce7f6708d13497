/** Operator methods for storage usage and quotas of accounts. */
import * as z from 'zod'
import type { Quota } from '../../../store/accounts/users.js'
import { limitsOf } from '../../dispatch/quota.js'
import { infoOf, UserInfo } from '../../api/system/userInfo.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Node } from '../../index.js'
import { operatorMethod } from '../operatorMethod.js'
import { changeUser, loadedOf, OfAccount } from './loaded.js'

const Limit = z.union([z.number().int().min(0), z.null(), z.literal('default')]).optional()

const Changes = z.strictObject({
  ...OfAccount,
  dbDocuments: Limit.describe('Maximum size of records in bytes; null for unlimited, default for the settings.'),
  attachedFiles: Limit.describe('Maximum size of attached files in bytes; null for unlimited, default for the settings.'),
})

const Usage = z.object({
  usage: UserInfo.extend({
    limits: z.object({
      dbDocuments: z.number().nullable().describe('Maximum size of records in bytes; null when unlimited.'),
      attachedFiles: z.number().nullable().describe('Maximum size of attached files in bytes; null when unlimited.'),
    }).describe('Limits that apply.'),
    ownLimits: z.object({
      dbDocuments: z.number().nullish().describe('Maximum size of records in bytes.'),
      attachedFiles: z.number().nullish().describe('Maximum size of attached files in bytes.'),
    }).describe('Limits set for this account; without a member, the settings apply.'),
  }).describe('Storage, calls and limits of the account.'),
})

/** Returns the usage and the limits of an account. */
async function usageOf(node: Node, loaded: LoadedAccount): Promise<z.output<typeof Usage>> {
  // Sizes are measured on disk: the latest writes are still in memory.
  if (node.store.state === 'writable') await node.store.db.flush()
  const limits = limitsOf(node, loaded.user) ?? { dbDocuments: null, attachedFiles: null }
  return { usage: { ...(await infoOf(node, loaded, [])), limits, ownLimits: loaded.user.quota ?? {} } }
}

function changedQuota(former: Quota = {}, input: z.output<typeof Changes>): Quota {
  const quota = { ...former }
  for (const kind of ['dbDocuments', 'attachedFiles'] as const) {
    const limit = input[kind]
    if (limit === 'default') delete quota[kind]
    else if (limit !== undefined) quota[kind] = limit
  }
  return quota
}

const showUsage = operatorMethod({
  id: 'users.usage',
  summary: 'Returns storage use, limits and call counts of an account.',
  input: z.strictObject(OfAccount),
  output: () => Usage,
  fails: ['unknown-user'],
  run: async ({ node }, input) => usageOf(node, await loadedOf(node, input)),
})

const setQuota = operatorMethod({
  id: 'users.setQuota',
  summary: 'Sets the storage limits of an account.',
  input: Changes,
  output: () => Usage,
  fails: ['unknown-user'],
  async run({ node }, input) {
    const loaded = await loadedOf(node, input)
    const user = await changeUser(loaded, ({ quota: former, ...rest }) => {
      const quota = changedQuota(former, input)
      return Object.keys(quota).length === 0 ? rest : { ...rest, quota }
    })
    return usageOf(node, { ...loaded, user })
  },
})

export const limitMethods = [showUsage, setQuota] as const
