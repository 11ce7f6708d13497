/** Status of a peer for its owner. */
import type { Direction, Peer } from '../../store/replication/peers.js'
import type { SessionEnd, SessionStatus } from '../session/types.js'

/**
 * `in-sync`: digests compared equal in the current contact, neither node waits for file bytes, and nothing has been written
 * since. With scheduled contacts the last one counts, if it was within two intervals. `syncing`: data is in transfer, or the
 * first contact is about to start. `behind`: the transfer is complete, and something still differs, or both nodes lack the same
 * files. `offline`: there is no contact; the other fields are those of the last one, except `ahead`, which continues to count.
 * `refused`: one of the nodes refuses the exchange; `reason` states the cause.
 */
export type PeerState = 'in-sync' | 'syncing' | 'behind' | 'offline' | 'refused'

/** Stable output of `sync status --json`; names and meanings do not change. */
export interface PeerStatus {
  /** Id of the pairing, equal on both nodes. */
  id: string
  name: string
  user: string
  state: PeerState
  /** Entries still to be received from the peer's feed, and local ones that it has not acknowledged; null when unknown. */
  behind: number | null
  ahead: number | null
  /** Time of the last contact, in seconds; null when there was none. */
  lastContact: number | null
  scope: 'mirror' | 'share'
  streams?: readonly string[]
  direction?: Direction
  /** Side that decides what is shared. */
  grantor?: 'us' | 'them'
  /** Time of the last comparison with equal digests, in seconds. */
  inSyncAt?: number
  /** Reason for being refused or offline, in one sentence. */
  reason?: string
  /** Bytes and number of files still to be received; without contact, of all missing files of the account. */
  filesPending: number
  filesPendingCount: number
  /** Number and bytes of files that both this node and the peer lack. */
  filesMissing: number
  filesMissingBytes: number
  /** Missing files of the peer, as last reported: those to send from here, and those missing here too. */
  filesPendingThere: number
  filesMissingThere: number
  /** Items received and sent in the current contact; zeros without one. */
  received: number
  sent: number
  /** Number of items of the peer that this node refused. */
  refused: number
  /** Items that a limit excludes from the exchange; all others are compared without them. */
  putAside: number
  /** Set when two live processes had one identity within the last hour: the peer's (`theirs`), or this node's (`ours`). */
  copied?: 'ours' | 'theirs'
  paused: boolean
  /** Seconds between contacts; null for a permanent connection. */
  every: number | null
  /** Ed25519 public key of the peer, base64url. */
  node: string
  address: string | null
  paired: number
}

/** Statistics of a peer kept between contacts. */
export interface PeerStats {
  lastContact?: number
  inSyncAt?: number
  behind?: number
  ahead?: number
  /** Bytes and number of files still to be received; for shares only. */
  filesPending?: number
  filesPendingCount?: number
  /** Time at which the peer last reported two processes with this node's identity, in seconds. */
  copiedAt?: number
  /** True when the last contact ended with equal digests. */
  wasInSync?: boolean
  /** Reason why there is no contact; `isFinal` when another attempt alone does not help. */
  trouble?: { reason: string; isFinal: boolean }
}

interface StatusParts {
  user: string
  /** Current time, in seconds. */
  now: number
  /** Status of the current session; absent without contact. */
  live?: SessionStatus
  remembered: PeerStats
  /** Missing files of the account, from all its peers. */
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

/** Returns the status of a peer. */
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

/**
 * Checks whether both were in sync at the last contact, nothing was written or is missing since, and the next contact is not
 * overdue.
 */
function isBetweenContacts({ every, scope }: Peer, { wasInSync, lastContact, ahead }: PeerStats, wanted: FilesWanted, now: number): boolean {
  if (every === undefined || wasInSync !== true || lastContact === undefined) return false
  return ahead === 0 && (scope.is === 'share' || wanted.count === 0) && now - lastContact < 2 * every
}

function reasonOf(peer: Peer, status: SessionStatus | undefined, { trouble }: PeerStats): string | undefined {
  if (peer.ended !== undefined) return 'The other node has ended the pairing.'
  if (status !== undefined) return status.reason ?? (status.state === 'behind' ? filesReason(status) : undefined)
  return peer.paused === true ? 'The pairing is paused on this node.' : trouble?.reason
}

/** Reason why two nodes with equal digests are not in sync: files that both lack. */
function filesReason({ filesMissing, filesMissingThere }: SessionStatus): string | undefined {
  const count = Math.max(filesMissing, filesMissingThere)
  if (count === 0) return undefined
  return `${count === 1 ? 'An attached file is' : `${count} attached files are`} missing on both nodes.`
}

/** Converts the status of an ended session to statistics. */
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
    // A local pause is no longer a problem once it is resumed.
    ...(end.reason === 'closed' || (end.reason === 'paused' && !end.byPeer) ? {} : { trouble: { reason: end.message, isFinal } }),
  }
}

/** End reasons that another attempt alone does not fix. */
const FINAL: ReadonlySet<SessionEnd['reason']> = new Set(['clock', 'scope', 'unpaired', 'damaged', 'unknown-pairing', 'version', 'copied'])

/** Seconds after a pairing in which its first contact is expected. */
const FIRST_CONTACT_S = 10

/** Age in seconds below which the other node may not have stored a pairing yet. */
const YOUNG_S = 60

/** Checks whether a session ended because the other node no longer knows the pairing. */
export function endsPairing({ reason, byPeer }: SessionEnd, { paired }: Peer, now: number): boolean {
  return byPeer && (reason === 'unpaired' || (reason === 'unknown-pairing' && now - paired > YOUNG_S))
}
