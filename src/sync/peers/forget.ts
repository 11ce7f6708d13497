/** Removal of a pairing from this node: deletes all data about the peer, and none of the account itself. */
import type { Account } from '../../store/engine/account.js'
import { each } from '../../store/engine/database.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { forgetShareDocuments } from '../../store/engine/shareDocuments.js'
import { putPeer, readPeer, removePeer } from '../../store/replication/peers.js'

/** Number of deletions per transaction. */
const PAGE = 1000

/**
 * Removes a peer with its position, its pending requests, shared items, refusals and history. A crash in between leaves a
 * peer with an ended pairing, which can be removed again.
 */
export async function forgetPeer(account: Account, peer: number, now: number): Promise<void> {
  const { db, prefix } = account
  await account.write((t) => {
    const record = readPeer(t, prefix, peer)
    if (record !== undefined && record.ended === undefined) putPeer(t, { ...record, ended: now })
  })
  const families = [
    accountKeys.pendingFetchesFrom(prefix, peer),
    accountKeys.sharedWith(prefix, peer),
    accountKeys.refusedFrom(prefix, peer),
    accountKeys.asideFor(prefix, peer),
    accountKeys.contacts(prefix, peer),
  ]
  for (const family of families) {
    let page: string[] = []
    const flush = async (): Promise<void> => {
      const keys = page
      page = []
      await account.write((t) => {
        for (const key of keys) t.delete(key)
      })
    }
    for await (const key of each(db.keys(under(family)))) if (page.push(key) >= PAGE) await flush()
    if (page.length > 0) await flush()
  }
  await forgetShareDocuments(db, prefix, peer, (run) => account.write(run))
  await account.write((t) => {
    t.delete(accountKeys.peerPosition(prefix, peer))
    removePeer(t, peer)
  })
}
