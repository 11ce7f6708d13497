/** Lists the conflicts of an account with the names of its peers. */
import type * as z from 'zod'
import type { Account } from '../../store/engine/account.js'
import type { Sync } from './sync.js'
import type { ConflictsView } from './views.js'

export type ConflictList = z.output<typeof ConflictsView>

/** Lists conflicts, refused changes and repaired streams of an account; at most `limit` of each. */
export async function conflictsOf(sync: Sync, account: Account, user: string, limit: number): Promise<ConflictList> {
  const names = new Map<number, string>()
  for (const { id, name } of await sync.peers.statuses(account)) names.set((await sync.peers.named(account, id)).number, name)
  const found = await sync.conflicts(account, limit)
  const named = <T extends { peer: number }>({ peer, ...each }: T) => ({ user, ...each, peer: names.get(peer) ?? String(peer) })
  return {
    conflicts: found.conflicts.map((each) => ({ user, ...each })),
    refused: found.refused.map(named),
    renamed: found.repaired.map((each) => ({ user, ...each })),
    putAside: found.putAside.map(named),
  }
}
