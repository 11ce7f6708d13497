/** Problems that need a person's attention and that only the running node knows, beyond `node.status` and `requests.list`. */
import * as z from 'zod'
import { listUsernames } from '../../../store/accounts/users.js'
import type { Node } from '../../index.js'
import { damageOf } from '../../maintenance/work/lastCheck.js'
import { stoppedWebhooks } from '../../webhooks/stopped.js'
import { operatorMethod } from '../operatorMethod.js'

export const StoppedWebhookView = z.object({
  user: z.string().describe('User name of the account.'),
  id: z.string().describe('Id of the webhook.'),
  host: z.string().describe('Host of its address.'),
  failed: z.number().describe('Consecutive failures before the stop; 0 when its access had ended and is valid again.'),
  since: z.number().nullable().describe('Time of the first of these failures, in seconds since 1970; null for none.'),
})

/** Streams of an account that sync displays differently from their declaration. */
const Repaired = z.object({
  user: z.string().describe('User name of the account.'),
  names: z.number().describe('Number of renamed streams.'),
  places: z.number().describe('Number of other streams in a different place.'),
})

const attention = operatorMethod({
  id: 'node.attention',
  summary: 'Lists problems that need attention. Reads the webhooks of all accounts; too slow to poll every second.',
  input: z.strictObject({}),
  output: () => z.object({
    stoppedWebhooks: z.array(StoppedWebhookView).describe('Webhooks that stopped after failures.'),
    repaired: z.array(Repaired).describe('Accounts with streams that sync displays differently from their declaration.'),
    damage: z.object({
      found: z.number().describe('Number of problems.'),
      at: z.number().describe('Time of the check, in seconds since 1970.'),
    }).nullable().describe('Damage that the latest check of the store found; null for none.'),
  }),
  fails: [],
  run: async ({ node }) => ({
    stoppedWebhooks: await stoppedWebhooks(node),
    repaired: await repairedStreams(node),
    damage: damageOf(node.store.db) ?? null,
  }),
})

export const attentionMethods = [attention] as const

/** Counts the repaired streams of paired accounts. Others have none and are not loaded into memory. */
async function repairedStreams({ store, sync }: Node): Promise<z.output<typeof Repaired>[]> {
  const paired = new Set((await sync.peers.statuses()).map(({ user }) => user))
  const found = []
  for (const { username, account: prefix } of await listUsernames(store.db)) {
    if (!paired.has(username)) continue
    const { tree, mergeState } = await store.account(prefix)
    const names = [...mergeState.declaredPlace].filter(([id, stated]) => stated.name !== (tree.get(id)?.name ?? stated.name)).length
    const places = mergeState.declaredPlace.size - names
    if (names + places > 0) found.push({ user: username, names, places })
  }
  return found
}
