/** Reads statistics of a peer from records other than its own. */
import type { Account } from '../../store/engine/account.js'
import { each } from '../../store/engine/database.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { listContacts } from './history.js'
import type { PeerStats } from './status.js'

/** Maximum number of refusals counted. */
const MAX_COUNTED = 1000

/** Returns the statistics of a peer from the contact history. */
export async function peerStatsOf(account: Account, peer: number): Promise<PeerStats> {
  const contacts = await listContacts(account, peer)
  const met = contacts.find((contact) => contact.met)
  const inSyncAt = contacts.find((contact) => contact.inSyncAt !== undefined)?.inSyncAt
  return { ...(met === undefined ? {} : { lastContact: met.ended }), ...(inSyncAt === undefined ? {} : { inSyncAt }) }
}

/** Counts the refused items of a peer, up to 1000. */
export async function countRefused({ db, prefix }: Account, peer: number): Promise<number> {
  let count = 0
  for await (const _ of each(db.keys(under(accountKeys.refusedFrom(prefix, peer)), { limit: MAX_COUNTED }))) count += 1
  return count
}
