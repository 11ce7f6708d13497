/** A paired node, as an account knows it. */

export type Direction = 'send' | 'receive' | 'both'

/** What two nodes exchange of an account. */
export type Scope =
  /** Everything. */
  | { is: 'mirror' }
  /** Some streams with all below them, their events, files and series. `grantor` says who decides about it. */
  | { is: 'share'; streams: readonly string[]; direction: Direction; grantor: 'us' | 'them' }

/** How a peer is kept: `accountKeys.peer`. */
export interface Peer {
  /** Counts up from 1 in the account, and never comes again. */
  number: number
  /** Shown to people, and given by them; unique in the account. */
  name: string
  /** Both nodes know the pairing by this: 16 random bytes, base64url. */
  pairing: string
  /** Ed25519 public key of the other node, base64url. */
  node: string
  /** Name of the account on the other node when they were paired. */
  account?: string
  /** Where the other node is reached, if this one may dial: `http://…/` or `https://…/`. */
  address?: string
  scope: Scope
  /** Seconds. */
  paired: number
  /** Nothing is exchanged until it is resumed. */
  paused?: true
  /** Seconds between contacts; absent: always connected. */
  every?: number
  /** The other node has ended the pairing. */
  ended?: number
}

/** Whether this side gives anything by its scope. */
export const maySend = (scope: Scope): boolean => scope.is === 'mirror' || scope.direction !== 'receive'

/** Whether this side takes anything by its scope. */
export const mayReceive = (scope: Scope): boolean => scope.is === 'mirror' || scope.direction !== 'send'
