/** What waits for a person, as far as the running node knows, beside what `node.status` and `requests.list` tell. */
import { listUsernames } from '../../../store/accounts/users.js'
import type { NodeMethod } from '../control.js'
import type { Node } from '../../node.js'
import { damageOf } from '../../maintenance/work/lastCheck.js'
import { stoppedWebhooks } from '../../webhooks/stopped.js'

/** Streams of an account that sync shows otherwise than they were written. */
interface Repaired {
  user: string
  /** How many have another name, and how many others are in another place. */
  names: number
  places: number
}

export const attentionMethods: Readonly<Record<string, NodeMethod>> = {
  /** Looks at the webhooks of all accounts: not to be asked each second. */
  async 'node.attention'(node) {
    return {
      stoppedWebhooks: await stoppedWebhooks(node),
      repaired: await repairedStreams(node),
      damage: damageOf(node.store.db) ?? null,
    }
  },
}

/** Accounts without peers have none, so that only paired ones are read into memory. */
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
