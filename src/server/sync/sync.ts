/** Interface of the sync subsystem for API methods, assembled in compose.ts. */
import type { Account } from '../../store/engine/account.js'
import type { PeerManager } from '../../sync/peers/manager.js'
import type { Conflicts } from '../../sync/peers/conflicts.js'
import type { Pairings } from './pairings.js'

export interface Sync {
  readonly peers: PeerManager
  readonly pairings: Pairings
  /** Name of this node for other nodes. */
  readonly name: string
  /** Identity of this node; undefined if it was never paired. */
  identity(): Promise<{ node: string; fingerprint: string } | undefined>
  /** Deletes all pairings and creates a new identity. */
  renewIdentity(): Promise<{ node: string; fingerprint: string; forgotten: number }>
  /** Recomputes the digests of an account from its items; returns whether they were correct, and the number of items. */
  verify(account: Account): Promise<{ sound: boolean; items: number }>
  /** Lists merge conflicts, refused changes and repairs of an account; at most `limit` of each. */
  conflicts(account: Account, limit: number): Promise<Conflicts>
}

/** Needed by functions that administer paired nodes. */
export interface SyncDeps {
  readonly sync: Sync
}
