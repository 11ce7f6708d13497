/** How it stands with a peer, as its owner is told. */
import type { SessionEnd, SessionStatus } from '../session/session.js'
import type { Direction, Peer } from '../peers/peer.js'

/**
 * `in-step`: digests were compared equal in the contact that goes on, and nothing has come since. `offline`: there is no
 * contact; what else is told is as of the last one. `refused`: one of the two does not go on with it, and `reason` says why.
 */
export type PeerState = 'in-step' | 'syncing' | 'behind' | 'offline' | 'refused'

/** The fixed point of `sync status --json`; names and meanings stay. */
export interface PeerStatus {
  /** The pairing, by which both nodes know it. */
  id: string
  name: string
  user: string
  state: PeerState
  /** Entries of the other's feed still to come, and of ours that it has not acknowledged; null when not known. */
  behind: number | null
  ahead: number | null
  /** When the nodes last had contact, in seconds; null when never. */
  lastContact: number | null
  scope: 'mirror' | 'share'
  streams?: readonly string[]
  direction?: Direction
  /** Who decides what is shared. */
  grantor?: 'us' | 'them'
  /** When digests were last compared equal, in seconds. */
  inStepAt?: number
  /** Why it is refused or offline, in one sentence. */
  reason?: string
  /** Bytes of files still to come. */
  filesPending: number
  /** Items taken in and given in the contact that goes on; zeros without one. */
  received: number
  sent: number
  /** Items that came from the peer and were not taken. */
  refused: number
  paused: boolean
  /** Seconds between contacts; null: always connected. */
  every: number | null
  /** Ed25519 public key of the other node, base64url. */
  node: string
  address: string | null
  paired: number
}

/** What is remembered of a peer between contacts. */
export interface Remembered {
  lastContact?: number
  inStepAt?: number
  behind?: number
  ahead?: number
  filesPending?: number
  /** Why there is no contact; `isFinal` when it is no matter of reaching the other. */
  trouble?: { reason: string; isFinal: boolean }
}

export interface StatusParts {
  user: string
  /** The status of the session that goes on, and the moment: there is contact. */
  live?: { status: SessionStatus; now: number }
  remembered: Remembered
  refused: number
}

/** How it stands with a peer. */
export function statusOf(peer: Peer, { user, live, remembered, refused }: StatusParts): PeerStatus {
  const { scope } = peer
  const status = live?.status
  const inStepAt = status?.inStepAt ?? remembered.inStepAt
  const reason = reasonOf(peer, status, remembered)
  return {
    id: peer.pairing,
    name: peer.name,
    user,
    state: stateOf(peer, status, remembered),
    behind: status?.behind ?? remembered.behind ?? null,
    ahead: status?.ahead ?? remembered.ahead ?? null,
    lastContact: live?.now ?? remembered.lastContact ?? null,
    scope: scope.is,
    ...(scope.is === 'share' ? { streams: scope.streams, direction: scope.direction, grantor: scope.grantor } : {}),
    ...(inStepAt === undefined ? {} : { inStepAt }),
    ...(reason === undefined ? {} : { reason }),
    filesPending: status?.filesPending ?? remembered.filesPending ?? 0,
    received: status?.received ?? 0,
    sent: status?.sent ?? 0,
    refused,
    paused: peer.paused === true,
    every: peer.every ?? null,
    node: peer.node,
    address: peer.address ?? null,
    paired: peer.paired,
  }
}

function stateOf(peer: Peer, status: SessionStatus | undefined, { trouble }: Remembered): PeerState {
  if (peer.ended !== undefined) return 'refused'
  if (status !== undefined) return status.state
  return trouble?.isFinal === true && peer.paused !== true ? 'refused' : 'offline'
}

function reasonOf(peer: Peer, status: SessionStatus | undefined, { trouble }: Remembered): string | undefined {
  if (peer.ended !== undefined) return 'The other node has ended the pairing.'
  if (status !== undefined) return status.reason
  return peer.paused === true ? 'It is paused here.' : trouble?.reason
}

/** The state of a session, read as that of the end of it: what is told of a peer from then on. */
export function rememberedFrom(status: SessionStatus, end: SessionEnd, now: number, before: Remembered): Remembered {
  const inStepAt = status.inStepAt ?? before.inStepAt
  const isFinal = FINAL.has(end.reason)
  return {
    lastContact: now,
    behind: status.behind,
    ahead: status.ahead,
    filesPending: status.filesPending,
    ...(inStepAt === undefined ? {} : { inStepAt }),
    ...(end.reason === 'closed' ? {} : { trouble: { reason: end.message, isFinal } }),
  }
}

/** Ends that another attempt alone does not mend. */
const FINAL: ReadonlySet<SessionEnd['reason']> = new Set(['clock', 'scope', 'unpaired', 'damaged', 'unknown-pairing', 'version'])

/** A pairing this young may be unknown to the other node, which is about to write it down. */
const YOUNG_S = 60

/** Whether a session ended because the other node knows nothing of the pairing any more. */
export function endsPairing({ reason, byPeer }: SessionEnd, { paired }: Peer, now: number): boolean {
  return byPeer && (reason === 'unpaired' || (reason === 'unknown-pairing' && now - paired > YOUNG_S))
}
