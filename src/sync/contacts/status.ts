/** How it stands with a peer, as its owner is told. */
import type { SessionEnd, SessionStatus } from '../session/session.js'
import type { Direction, Peer } from '../peers/peer.js'

/**
 * `in-step`: digests were compared equal in the contact that goes on, and nothing has come since; with a peer that meets
 * this node at intervals, in the last contact, which is no longer ago than two of them. `syncing`: something is on its
 * way, or the first contact is about to begin. `offline`: there is no contact; what else is told is as of the last one,
 * but `ahead`, which goes on counting. `refused`: one of the two does not go on with it, and `reason` says why.
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
  /** Whether the last contact ended with digests compared equal. */
  wasInStep?: boolean
  /** Why there is no contact; `isFinal` when it is no matter of reaching the other. */
  trouble?: { reason: string; isFinal: boolean }
}

export interface StatusParts {
  user: string
  /** Seconds. */
  now: number
  /** The status of the session that goes on: there is contact. */
  live?: SessionStatus
  remembered: Remembered
  refused: number
}

/** How it stands with a peer. */
export function statusOf(peer: Peer, { user, now, live: status, remembered, refused }: StatusParts): PeerStatus {
  const { scope } = peer
  const inStepAt = status?.inStepAt ?? remembered.inStepAt
  const reason = reasonOf(peer, status, remembered)
  return {
    id: peer.pairing,
    name: peer.name,
    user,
    state: stateOf(peer, status, remembered, now),
    behind: status?.behind ?? remembered.behind ?? null,
    ahead: status?.ahead ?? remembered.ahead ?? null,
    lastContact: status === undefined ? (remembered.lastContact ?? null) : now,
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

function stateOf(peer: Peer, status: SessionStatus | undefined, remembered: Remembered, now: number): PeerState {
  if (peer.ended !== undefined) return 'refused'
  if (status !== undefined) return status.state
  if (peer.paused === true) return 'offline'
  const { trouble, lastContact } = remembered
  if (trouble !== undefined) return trouble.isFinal ? 'refused' : 'offline'
  if (lastContact === undefined) return now - peer.paired < FIRST_CONTACT_S ? 'syncing' : 'offline'
  return isBetweenContacts(peer, remembered, now) ? 'in-step' : 'offline'
}

/** Whether both were in step when they last met, nothing was written here since, and they are to meet soon again. */
function isBetweenContacts({ every }: Peer, { wasInStep, lastContact, ahead, filesPending }: Remembered, now: number): boolean {
  if (every === undefined || wasInStep !== true || lastContact === undefined) return false
  return ahead === 0 && (filesPending ?? 0) === 0 && now - lastContact < 2 * every
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
    wasInStep: status.state === 'in-step',
    behind: status.behind,
    ahead: status.ahead,
    filesPending: status.filesPending,
    ...(inStepAt === undefined ? {} : { inStepAt }),
    // What was paused here is no trouble once it is resumed.
    ...(end.reason === 'closed' || (end.reason === 'paused' && !end.byPeer) ? {} : { trouble: { reason: end.message, isFinal } }),
  }
}

/** Ends that another attempt alone does not mend. */
const FINAL: ReadonlySet<SessionEnd['reason']> = new Set(['clock', 'scope', 'unpaired', 'damaged', 'unknown-pairing', 'version'])

/** How long after a pairing its first contact may be in coming. */
const FIRST_CONTACT_S = 10

/** A pairing this young may be unknown to the other node, which is about to write it down. */
const YOUNG_S = 60

/** Whether a session ended because the other node knows nothing of the pairing any more. */
export function endsPairing({ reason, byPeer }: SessionEnd, { paired }: Peer, now: number): boolean {
  return byPeer && (reason === 'unpaired' || (reason === 'unknown-pairing' && now - paired > YOUNG_S))
}
