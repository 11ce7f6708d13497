/** Problems that need a person's attention and that only the running node knows, beyond `node.status` and `requests.list`. */
import { listUsernames } from '../../../store/accounts/users.js'
import type { NodeMethod } from '../control.js'
import type { Node } from '../../node.js'
import { damageOf } from '../../maintenance/work/lastCheck.js'
import { stoppedWebhooks } from '../../webhooks/stopped.js'

/** Streams of an account that sync displays differently from their declaration. */
interface Repaired {
  user: string
  /** Numbers of renamed streams, and of other streams in a different place. */
  names: number
  places: number
}

export const attentionMethods: Readonly<Record<string, NodeMethod>> = {
  /** Reads the webhooks of all accounts; too slow to poll every second. */
  async 'node.attention'(node) {
    return {
      stoppedWebhooks: await stoppedWebhooks(node),
      repaired: await repairedStreams(node),
      damage: damageOf(node.store.db) ?? null,
    }
  },
}

/** Counts the repaired streams of paired accounts. Others have none and are not loaded into memory. */
async function repairedStreams({ store, sync }: Node): Promise<Repaired[]> {
  const paired = new Set((await sync.peers.statuses()).map(({ user }) => user))
  const found: Repaired[] = []
  for (const { username, account: prefix } of await listUsernames(store.db)) {
    if (!paired.has(username)) continue
    const { tree, notes } = await store.account(prefix)
    const names = [...notes.declaredPlace].filter(([id, stated]) => stated.name !== (tree.get(id)?.name ?? stated.name)).length
    const places = notes.declaredPlace.size - names
    if (names + places > 0) found.push({ user: username, names, places })
  }
  return found
}
