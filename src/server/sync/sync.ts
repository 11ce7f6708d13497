/** What a node offers its methods of sync. Made in one place, compose.ts. */
import type { Account } from '../../store/engine/account.js'
import type { PeerManager } from '../../sync/connections/manager.js'
import type { Conflicts } from '../../sync/connections/conflicts.js'
import type { Pairings } from './pairings.js'

export interface Sync {
  readonly peers: PeerManager
  readonly pairings: Pairings
  /** By what other nodes know this one; undefined as long as it was never paired. */
  identity(): Promise<{ node: string; fingerprint: string } | undefined>
  /** Forgets all pairings and takes another identity. */
  renewIdentity(): Promise<{ node: string; fingerprint: string; forgotten: number }>
  /** Makes the digests of an account again from its items; whether they were what they should be, and of how many items. */
  verify(account: Account): Promise<{ sound: boolean; items: number }>
  /** Where edits met in an account, what was refused, what was repaired; at most `limit` of each. */
  conflicts(account: Account, limit: number): Promise<Conflicts>
}
