/** How it stands with a peer, as its owner is told. */
import type { SessionEnd, SessionStatus } from '../session/session.js'
import type { Direction, Peer } from '../peers/peer.js'

/**
 * `in-sync`: digests compared equal in the current contact, neither node waits for file bytes, and nothing has come since.
 * With a peer that meets this node at intervals, the last contact counts, if it is within two of them. `syncing`: data is
 * in transfer, or the first contact is about to begin. `behind`: the transfer is complete, and something still differs, or
 * both nodes lack the same files. `offline`: there is no contact; the other fields are those of the last one,
 * except `ahead`, which goes on counting. `refused`: one of the two does not continue, and `reason` says why.
 */
export type PeerState = 'in-sync' | 'syncing' | 'behind' | 'offline' | 'refused'

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
  inSyncAt?: number
  /** Why it is refused or offline, in one sentence. */
  reason?: string
  /** Bytes and number of files still to come; without contact, of all missing files of the account. */
  filesPending: number
  filesPendingCount: number
  /** Number and bytes of files that both this node and the peer lack. */
  filesMissing: number
  filesMissingBytes: number
  /** Missing files of the peer, as last reported: those to send from here, and those missing here too. */
  filesPendingThere: number
  filesMissingThere: number
  /** Items taken in and given in the contact that goes on; zeros without one. */
  received: number
  sent: number
  /** Items that came from the peer and were not taken. */
  refused: number
  /** Items that a limit excludes from the exchange; all others are compared without them. */
  putAside: number
  /** Set when two live processes had one identity within the last hour: the peer's (`theirs`), or this node's (`ours`). */
  copied?: 'ours' | 'theirs'
  paused: boolean
  /** Seconds between contacts; null: always connected. */
  every: number | null
  /** Ed25519 public key of the other node, base64url. */
  node: string
  address: string | null
  paired: number
}

/** What is remembered of a peer between contacts. */
export interface PeerStats {
  lastContact?: number
  inSyncAt?: number
  behind?: number
  ahead?: number
  /** Bytes and number of files still to come; for shares only. */
  filesPending?: number
  filesPendingCount?: number
  /** Time at which the peer last reported two processes with this node's identity, in seconds. */
  copiedAt?: number
  /** Whether the last contact ended with digests compared equal. */
  wasInSync?: boolean
  /** Why there is no contact; `isFinal` when it is no matter of reaching the other. */
  trouble?: { reason: string; isFinal: boolean }
}

export interface StatusParts {
  user: string
  /** Seconds. */
  now: number
  /** The status of the session that goes on: there is contact. */
  live?: SessionStatus
  remembered: PeerStats
  /** Missing files of the account, from all of its peers. */
  wanted: FilesWanted
  refused: number
  putAside: number
  /** Time at which two live processes of the peer were last seen, in seconds. */
  copiedAt?: number | undefined
}

/** Number and bytes of missing files. */
interface FilesWanted {
  count: number
  bytes: number
}

/** How it stands with a peer. */
export function statusOf(peer: Peer, { user, now, live: status, remembered, wanted, refused, putAside, copiedAt }: StatusParts): PeerStatus {
  const { scope } = peer
  const inSyncAt = status?.inSyncAt ?? remembered.inSyncAt
  const reason = reasonOf(peer, status, remembered)
  const copied = copiedNow({ theirs: copiedAt, ours: status?.copiedAt ?? remembered.copiedAt }, now)
  return {
    id: peer.pairing,
    name: peer.name,
    user,
    state: stateOf(peer, status, remembered, wanted, now),
    behind: status?.behind ?? remembered.behind ?? null,
    ahead: status?.ahead ?? remembered.ahead ?? null,
    lastContact: status === undefined ? (remembered.lastContact ?? null) : now,
    scope: scope.is,
    ...(scope.is === 'share' ? { streams: scope.streams, direction: scope.direction, grantor: scope.grantor } : {}),
    ...(inSyncAt === undefined ? {} : { inSyncAt }),
    ...(reason === undefined ? {} : { reason }),
    ...filesOf(peer, status, remembered, wanted),
    received: status?.received ?? 0,
    sent: status?.sent ?? 0,
    refused,
    putAside,
    ...(copied === undefined ? {} : { copied }),
    paused: peer.paused === true,
    every: peer.every ?? null,
    node: peer.node,
    address: peer.address ?? null,
    paired: peer.paired,
  }
}

type FilesStatus = Pick<
  PeerStatus,
  'filesPending' | 'filesPendingCount' | 'filesMissing' | 'filesMissingBytes' | 'filesPendingThere' | 'filesMissingThere'
>

function filesOf({ scope }: Peer, status: SessionStatus | undefined, remembered: PeerStats, wanted: FilesWanted): FilesStatus {
  if (status !== undefined) {
    const { filesPending, filesPendingCount, filesMissing, filesMissingBytes, filesPendingThere, filesMissingThere } = status
    return { filesPending, filesPendingCount, filesMissing, filesMissingBytes, filesPendingThere, filesMissingThere }
  }
  const isShare = scope.is === 'share'
  return {
    // A share covers part of the account: the last contact counted its missing files.
    filesPending: Math.min(wanted.bytes, (isShare ? remembered.filesPending : undefined) ?? Infinity),
    filesPendingCount: Math.min(wanted.count, (isShare ? remembered.filesPendingCount : undefined) ?? Infinity),
    ...{ filesMissing: 0, filesMissingBytes: 0, filesPendingThere: 0, filesMissingThere: 0 },
  }
}

/** Seconds for which a duplicate identity is reported after it was seen. */
const COPIED_S = 3600

function copiedNow(seen: { theirs: number | undefined; ours: number | undefined }, now: number): 'ours' | 'theirs' | undefined {
  const isRecent = (at: number | undefined): boolean => at !== undefined && now - at < COPIED_S
  return isRecent(seen.ours) ? 'ours' : isRecent(seen.theirs) ? 'theirs' : undefined
}

function stateOf(peer: Peer, status: SessionStatus | undefined, remembered: PeerStats, wanted: FilesWanted, now: number): PeerState {
  if (peer.ended !== undefined) return 'refused'
  if (status !== undefined) return status.state
  if (peer.paused === true) return 'offline'
  const { trouble, lastContact } = remembered
  if (trouble !== undefined) return trouble.isFinal ? 'refused' : 'offline'
  if (lastContact === undefined) return now - peer.paired < FIRST_CONTACT_S ? 'syncing' : 'offline'
  return isBetweenContacts(peer, remembered, wanted, now) ? 'in-sync' : 'offline'
}

/** Checks whether both were in sync at the last contact, nothing was written or is missing since, and they are to meet soon. */
function isBetweenContacts({ every, scope }: Peer, { wasInSync, lastContact, ahead }: PeerStats, wanted: FilesWanted, now: number): boolean {
  if (every === undefined || wasInSync !== true || lastContact === undefined) return false
  return ahead === 0 && (scope.is === 'share' || wanted.count === 0) && now - lastContact < 2 * every
}

function reasonOf(peer: Peer, status: SessionStatus | undefined, { trouble }: PeerStats): string | undefined {
  if (peer.ended !== undefined) return 'The other node has ended the pairing.'
  if (status !== undefined) return status.reason ?? (status.state === 'behind' ? filesReason(status) : undefined)
  return peer.paused === true ? 'It is paused here.' : trouble?.reason
}

/** Reason why two nodes with equal digests are not in sync: files that both lack. */
function filesReason({ filesMissing, filesMissingThere }: SessionStatus): string | undefined {
  const count = Math.max(filesMissing, filesMissingThere)
  if (count === 0) return undefined
  return `${count === 1 ? 'An attached file is' : `${count} attached files are`} on neither of the two nodes.`
}

/** The state of a session, read as that of the end of it: what is told of a peer from then on. */
export function peerStatsFrom(status: SessionStatus, end: SessionEnd, now: number, before: PeerStats): PeerStats {
  const inSyncAt = status.inSyncAt ?? before.inSyncAt
  const isFinal = FINAL.has(end.reason)
  const copiedAt = end.reason === 'copied' && end.byPeer ? now : (status.copiedAt ?? before.copiedAt)
  return {
    lastContact: now,
    wasInSync: status.state === 'in-sync',
    behind: status.behind,
    ahead: status.ahead,
    filesPending: status.filesPending + status.filesMissingBytes,
    filesPendingCount: status.filesPendingCount + status.filesMissing,
    ...(copiedAt === undefined ? {} : { copiedAt }),
    ...(inSyncAt === undefined ? {} : { inSyncAt }),
    // What was paused here is no trouble once it is resumed.
    ...(end.reason === 'closed' || (end.reason === 'paused' && !end.byPeer) ? {} : { trouble: { reason: end.message, isFinal } }),
  }
}

/** Ends that another attempt alone does not mend. */
const FINAL: ReadonlySet<SessionEnd['reason']> = new Set(['clock', 'scope', 'unpaired', 'damaged', 'unknown-pairing', 'version', 'copied'])

/** How long after a pairing its first contact may be in coming. */
const FIRST_CONTACT_S = 10

/** A pairing this young may be unknown to the other node, which is about to write it down. */
const YOUNG_S = 60

/** Whether a session ended because the other node knows nothing of the pairing any more. */
export function endsPairing({ reason, byPeer }: SessionEnd, { paired }: Peer, now: number): boolean {
  return byPeer && (reason === 'unpaired' || (reason === 'unknown-pairing' && now - paired > YOUNG_S))
}
