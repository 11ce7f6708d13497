/** Fetches missing items of a repaired store from a paired node, through regular sync. */
import type { Database } from '../../../store/engine/database.js'
import { accountKeys } from '../../../store/engine/keys.js'
import { openNode, type NodeOptions } from '../../index.js'
import { resetSeriesVersions } from './resetSeriesVersions.js'
import { NoSuchPeer, pairedAccounts, type Loss, type PeerName, type Repair, type RepairReport } from './report.js'

export interface PeerFill {
  /** Items that arrived. */
  repaired: Repair[]
  /** Items that have not arrived. */
  waiting: Loss[]
  /** Items that the paired node lacks too. */
  lost: Loss[]
  /** Reason of failure, if the node could not be reached or is not in sync. */
  reason?: string
}

const POLL_MS = 100

/** Checks whether the item of a problem exists. True for problems that concern no single item. */
function itemExists(db: Database, where: string): boolean {
  const [, account = '', kind, id = ''] = /^account ([0-9a-z]+), (event|stream|access|profile) ([^,\s]+)$/.exec(where) ?? []
  if (kind === 'event') return db.get(accountKeys.eventPlace(account, id)) !== undefined
  if (kind === 'profile') return db.get(accountKeys.profile(account, id)) !== undefined
  if (kind === 'stream') return db.get(accountKeys.stream(account, id)) !== undefined
  return kind === undefined || db.get(accountKeys.access(account, id)) !== undefined
}

const unfilled = (waiting: readonly Loss[], status?: { state?: string; reason?: string }): PeerFill => ({
  repaired: [],
  waiting: [...waiting],
  lost: [],
  reason: status?.reason ?? `It is ${status?.state ?? 'not there'}.`,
})

/**
 * Opens the node of the repaired store without listening, connects to the peer and compares all items with it; all series points
 * are sent again. Resolves when both are in sync with all files, or after `seconds`. Writes nothing if the peer does not respond.
 * @throws NoSuchPeer, and errors of `openNode`
 */
export async function fillFromPeer(
  options: NodeOptions,
  peer: PeerName,
  { waiting }: Pick<RepairReport, 'waiting'>,
  seconds: number,
): Promise<PeerFill> {
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
      // Requesting all points changes the journal, which is useless if the paired node sends none.
      if (met === undefined || met.state === 'offline' || met.state === 'refused') return unfilled(waiting, met)
      const remember = await resetSeriesVersions(account)
      const [compared] = await peers.compare({ account, number }, { seconds, deep: true }).finally(remember)
      for (;;) {
        const status = (await peers.statuses(account)).find(({ id }) => id === pairing)
        // Files that the peer lacks too do not count as missing here.
        const lacksFiles = compared?.state === 'behind' && (status?.filesMissing ?? 0) + (status?.filesMissingThere ?? 0) > 0
        if (compared?.state !== 'in-sync' && !lacksFiles) return unfilled(waiting, compared)
        if ((status?.filesPending ?? 0) === 0) break
        if (performance.now() > until) return unfilled(waiting, { reason: 'Not all files have arrived yet.' })
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    }
    const { db } = node.store
    return {
      repaired: waiting.filter(({ where }) => itemExists(db, where)).map((loss) => ({ ...loss, from: 'peer' })),
      waiting: [],
      lost: waiting.filter(({ where }) => !itemExists(db, where)),
    }
  } finally {
    await node.close()
  }
}
