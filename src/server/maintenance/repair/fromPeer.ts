/** Getting what a mended store lacks from a paired node, by the sync that goes on between them anyway. */
import type { Database } from '../../../store/engine/database.js'
import { accountKeys } from '../../../store/engine/keys.js'
import { openNode, type NodeOptions } from '../../index.js'
import { resetSeriesVersions } from './resetSeriesVersions.js'
import type { Loss, PeerName, Repair, RepairReport } from './report.js'
import { NoSuchPeer, pairedAccounts } from './report.js'

export interface Filled {
  /** What came. */
  repaired: Repair[]
  /** What has not come. */
  waiting: Loss[]
  /** What the paired node has not either. */
  lost: Loss[]
  /** Why not, where the node could not be reached, or is not in sync. */
  reason?: string
}

const LOOK_EACH_MS = 100

/** Whether what a problem is about is there; true for what is no single item, and is as it is on the other node. */
function isHere(db: Database, where: string): boolean {
  const [, account = '', kind, id = ''] = /^account ([0-9a-z]+), (event|stream|access|profile) ([^,\s]+)$/.exec(where) ?? []
  if (kind === 'event') return db.get(accountKeys.eventPlace(account, id)) !== undefined
  if (kind === 'profile') return db.get(accountKeys.profile(account, id)) !== undefined
  if (kind === 'stream') return db.get(accountKeys.stream(account, id)) !== undefined
  return kind === undefined || db.get(accountKeys.access(account, id)) !== undefined
}

const unfilled = (waiting: readonly Loss[], met?: { state?: string; reason?: string }): Filled => ({
  repaired: [],
  waiting: [...waiting],
  lost: [],
  reason: met?.reason ?? `It is ${met?.state ?? 'not there'}.`,
})

/**
 * Opens the node of the mended store without a door, calls the peer and compares all items with it; all points of series
 * come again. Resolves when both are in sync with all files, or `seconds` are over; nothing is written where the peer
 * does not answer.
 * @throws NoSuchPeer, what `openNode` throws
 */
export async function fillFromPeer(
  options: NodeOptions,
  peer: PeerName,
  { waiting }: Pick<RepairReport, 'waiting'>,
  seconds: number,
): Promise<Filled> {
  const node = await openNode(options)
  try {
    const { peers } = node.sync
    await peers.begin()
    const until = performance.now() + seconds * 1000
    const accounts = await pairedAccounts(node.store.db, peer)
    if (accounts.size === 0) throw new NoSuchPeer(peer)
    for (const prefix of accounts) {
      const account = await node.store.account(prefix)
      const { number, pairing } = await peers.named(account, peer.name)
      const [met] = await peers.compare({ account, number }, { seconds })
      // To have all points come again changes the journal, which is for nothing while the paired node gives none.
      if (met === undefined || met.state === 'offline' || met.state === 'refused') return unfilled(waiting, met)
      const remember = await resetSeriesVersions(account)
      const [compared] = await peers.compare({ account, number }, { seconds, deep: true }).finally(remember)
      for (;;) {
        const status = (await peers.statuses(account)).find(({ id }) => id === pairing)
        // Files that the peer lacks, too, keep nothing else from being whole.
        const lacksFiles = compared?.state === 'behind' && (status?.filesMissing ?? 0) + (status?.filesMissingThere ?? 0) > 0
        if (compared?.state !== 'in-sync' && !lacksFiles) return unfilled(waiting, compared)
        if ((status?.filesPending ?? 0) === 0) break
        if (performance.now() > until) return unfilled(waiting, { reason: 'Not all files have come yet.' })
        await new Promise((resolve) => setTimeout(resolve, LOOK_EACH_MS))
      }
    }
    const { db } = node.store
    return {
      repaired: waiting.filter(({ where }) => isHere(db, where)).map((loss) => ({ ...loss, from: 'peer' })),
      waiting: [],
      lost: waiting.filter(({ where }) => !isHere(db, where)),
    }
  } finally {
    await node.close()
  }
}
