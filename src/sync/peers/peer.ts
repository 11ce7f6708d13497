/** Record of a paired node in an account. */

export type Direction = 'send' | 'receive' | 'both'

/** Scope of the data that two nodes exchange of an account. */
export type Scope =
  /** The whole account. */
  | { is: 'mirror' }
  /** Some streams with all their descendants, events, files and series. `grantor` is the side that decides about the share. */
  | { is: 'share'; streams: readonly string[]; direction: Direction; grantor: 'us' | 'them' }

/** Stored record of a peer: `accountKeys.peer`. */
export interface Peer {
  /** Number within the account, from 1, never reused. */
  number: number
  /** Name chosen by the user; unique in the account. */
  name: string
  /** Id of the pairing on both nodes: 16 random bytes, base64url. */
  pairing: string
  /** Ed25519 public key of the peer, base64url. */
  node: string
  /** Name of the account on the peer at the time of pairing. */
  account?: string
  /** Address to dial, if this node may: `http://…/` or `https://…/`. */
  address?: string
  scope: Scope
  /** Time of the pairing, in seconds. */
  paired: number
  /** True when the exchange is paused. */
  paused?: true
  /** Seconds between contacts; absent for a permanent connection. */
  every?: number
  /** Time at which the peer ended the pairing, in seconds. */
  ended?: number
}

/** Checks whether this side may send data by its scope. */
export const maySend = (scope: Scope): boolean => scope.is === 'mirror' || scope.direction !== 'receive'

/** Checks whether this side may receive data by its scope. */
export const mayReceive = (scope: Scope): boolean => scope.is === 'mirror' || scope.direction !== 'send'
