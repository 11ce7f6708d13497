/** A session: two nodes bring one account into step over a channel, and keep it there until either of them leaves. */
import type { Account } from '../../store/engine/account.js'
import type { Store } from '../../store/index.js'
import type { Channel } from '../channel/channel.js'
import type { EndReason } from '../wire/protocolError.js'
import type { Merger } from '../merge/merger.js'
import type { Peer, Scope } from '../peers/peer.js'
import type { StateKeeper } from '../digest/stateKeeper.js'
import { runProtocol } from './protocol.js'
import { openReplica } from './openReplica.js'

export interface SessionStatus {
  state: 'syncing' | 'in-sync' | 'behind' | 'refused'
  /** About how many entries of the peer's feed are still to come, and of ours that it has not taken in. */
  behind: number
  ahead: number
  /** Items taken in and given in this session; bytes on the wire. */
  received: number
  sent: number
  bytesReceived: number
  bytesSent: number
  /** Entries that were refused here, and by the peer. */
  refused?: number
  refusedByPeer?: number
  /** Bytes and number of files still to come from the peer. */
  filesPending: number
  filesPendingCount: number
  /** Number and bytes of files that both this side and the peer lack. */
  filesMissing: number
  filesMissingBytes: number
  /** Counts of the missing files of the peer, as last reported. */
  filesPendingThere: number
  filesMissingThere: number
  /** Last time digests were compared equal, seconds. */
  inSyncAt?: number
  /** Time at which the other side reported another live process with this node's identity, in seconds. */
  copiedAt?: number
  /** Why the session cannot go on, in one sentence, when refused. */
  reason?: string
}

export interface SessionEnd {
  reason: EndReason
  message: string
  byPeer: boolean
  /** With `scope`: what the other node says is exchanged, as it sees it. */
  theirScope?: Scope
}

export interface Session {
  status(): SessionStatus
  onStatus(listener: (status: SessionStatus) => void): () => void
  /**
   * Compares digests once both feeds are drained; with `deep`, after both sides made theirs again from the items.
   * Resolves when known; rejects when the session ends before.
   */
  compare(options?: { deep?: boolean }): Promise<'in-sync' | 'behind'>
  close(reason: SessionEnd['reason'], message: string): Promise<void>
  readonly ended: Promise<SessionEnd>
  /** Resolves once the other side has sent an accepted greeting, or the session has ended. */
  readonly greeted: Promise<void>
  /** Process of the other side; undefined before its greeting. */
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
  /** What this node is, told to the other: name and version of the product. */
  product?: string
  /** Random id of this process. */
  instance?: string
  /** 300 when absent. */
  maxClockSkewSeconds?: number
}

const MAX_SKEW = 300

/** Begins a session of an account with a peer whose identity the channel has proved. */
export async function startSession(options: SessionOptions): Promise<Session> {
  const { channel, now, log, product = 'coffer', instance = '', maxClockSkewSeconds = MAX_SKEW } = options
  const { replica, close } = await openReplica(options)
  try {
    const session = await runProtocol({ channel, replica, now, log, product, instance, maxSkew: maxClockSkewSeconds })
    void session.ended.then(close)
    return session
  } catch (error) {
    close()
    throw error
  }
}
