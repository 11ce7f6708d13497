/** Types of a session for its callers: options, status, end, and the handle `Session`. */
import type { Account } from '../../store/engine/account.js'
import type { Store } from '../../store/index.js'
import type { Peer, Scope } from '../../store/replication/peers.js'
import type { Channel } from '../channel/channel.js'
import type { StateKeeper } from '../digest/stateKeeper.js'
import type { Merger } from '../merge/context.js'
import type { EndReason } from '../wire/protocolError.js'

export interface SessionStatus {
  state: 'syncing' | 'in-sync' | 'behind' | 'refused'
  /** Approximate number of entries to receive from the peer's feed, and of local ones that the peer has not received. */
  behind: number
  ahead: number
  /** Items received and sent in this session, and bytes on the wire. */
  received: number
  sent: number
  bytesReceived: number
  bytesSent: number
  /** Entries refused locally, and by the peer. */
  refused?: number
  refusedByPeer?: number
  /** Bytes and number of files still to receive from the peer. */
  filesPending: number
  filesPendingCount: number
  /** Number and bytes of files that both this side and the peer lack. */
  filesMissing: number
  filesMissingBytes: number
  /** Counts of the missing files of the peer, as last reported. */
  filesPendingThere: number
  filesMissingThere: number
  /** Time of the last comparison with equal digests, in seconds. */
  inSyncAt?: number
  /** Time at which the other side reported another live process with this node's identity, in seconds. */
  copiedAt?: number
  /** Permanent reason for which the session ended, in one sentence, when refused. */
  reason?: string
}

export interface SessionEnd {
  reason: EndReason
  message: string
  byPeer: boolean
  /** With `scope`: the scope as the peer sees it. */
  theirScope?: Scope
}

export interface Session {
  status(): SessionStatus
  onStatus(listener: (status: SessionStatus) => void): () => void
  /**
   * Compares digests once both feeds are drained; with `deep`, after both sides recomputed theirs from the items. Resolves
   * with the result; rejects when the session ends before.
   */
  compare(options?: { deep?: boolean }): Promise<'in-sync' | 'behind'>
  close(reason: SessionEnd['reason'], message: string): Promise<void>
  readonly ended: Promise<SessionEnd>
  /** Resolves once the peer's greeting was accepted, or the session has ended. */
  readonly greeted: Promise<void>
  /** Process id of the peer; undefined before its greeting. */
  readonly peerInstance: string | undefined
  /** Notifies the other side that another live process has its identity. */
  notifyCopied(): void
}

export interface SessionLog {
  info(message: string, about?: object): void
  warn(message: string, about?: object): void
  error(message: string, about?: object): void
}

export interface SessionOptions {
  channel: Channel
  store: Store
  account: Account
  peer: Peer
  states: StateKeeper
  merger: Merger
  /** Seconds. */
  now(): number
  log: SessionLog
  /** Product name and version for the greeting. */
  product?: string
  /** Random id of this process. */
  instance?: string
  /** 300 by default. */
  maxClockSkewSeconds?: number
}
