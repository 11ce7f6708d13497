/**
 * Connection to one peer: dials on schedule, accepts channels that the peer dials, runs one session at a time, and records
 * the results. After failures the schedule backs off exponentially.
 */
import { errorMessage } from '../../store/model/errorMessage.js'
import type { Account } from '../../store/engine/account.js'
import { acceptScope, type Peer, type Scope } from '../../store/replication/peers.js'
import type { Channel } from '../channel/channel.js'
import type { Session, SessionEnd } from '../session/types.js'
import { contactResult, failedContact, type Contact } from './contacts.js'
import { createInstances } from './instances.js'
import { endsPairing, peerStatsFrom, type PeerStats } from './status.js'

/** Seconds within which two nodes that dial each other count as having done so simultaneously. */
const SAME_TIME_S = 10

/** Dependencies of connections. */
export interface ConnectionDeps {
  /** Returns the public key of this node, base64url. */
  node(): string
  /** Returns the time in seconds. */
  now(): number
  random(): number
  /** Runs a function after a delay; returns a function that cancels it. */
  after(seconds: number, run: () => void): () => void
  /** Opens a channel to a peer's address, verifies its node and names the pairing. Rejects with the reason of a failure. */
  dial(peer: Peer & { address: string }): Promise<Channel>
  start(channel: Channel, account: Account, peer: Peer): Promise<Session>
  /** Ends a channel without a session and sends the reason. Never rejects. */
  refuse(channel: Channel, reason: SessionEnd['reason'], message: string): Promise<void>
}

/** Notifications of a connection to its owner, the manager. */
export interface ConnectionOwner {
  /** Called when the status has changed. */
  changed(link: PeerConnection): void
  /** Called when a contact or an attempt has ended; it replaces a contact with the same `began`. */
  contact(link: PeerConnection, contact: Contact): void
  /** Called when the peer has ended the pairing. */
  endedByPeer(link: PeerConnection): void
  /** Called when two live processes have one identity: the peer's, or this node's. */
  copied(link: PeerConnection, ownerName: 'ours' | 'theirs'): void
  /** Called when the peer, as the grantor, has changed the scope of the share. */
  rescoped(link: PeerConnection, scope: Scope): void
}

/** Reason sent to the refused process. */
const COPIED =
  'Another process with the identity of this node is connected there: two copies of one home are running. Stop one of them, or run coffer sync new-identity in one.'

interface LiveSession {
  session: Session
  dialer: 'us' | 'them'
  began: number
}

export class PeerConnection {
  readonly account: Account
  readonly remembered: PeerStats
  #peer: Peer
  readonly #deps: ConnectionDeps
  readonly #owner: ConnectionOwner
  readonly #backoff: Backoff
  #live: LiveSession | undefined
  #attempt: Promise<void> | undefined
  #cancel: (() => void) | undefined
  /** Consecutive failed attempts, as one contact. */
  #failing: Contact | undefined
  #isOver = false
  #holds = 0
  /** Number of entries written since both were last in sync. */
  #written = 0
  /** Callbacks waiting for the first contact. */
  readonly #awaited: (() => void)[] = []
  readonly #instances = createInstances()
  #copiedAt: number | undefined

  constructor(deps: ConnectionDeps, owner: ConnectionOwner, account: Account, peer: Peer, remembered: PeerStats) {
    this.#deps = deps
    this.#owner = owner
    this.account = account
    this.#peer = peer
    this.remembered = { ...remembered }
    this.#backoff = createBackoff(deps.random)
  }

  get peer(): Peer {
    return this.#peer
  }

  get session(): Session | undefined {
    return this.#live?.session
  }

  /** Time at which two live processes of the peer's identity were last seen, in seconds. */
  get copiedAt(): number | undefined {
    return this.#copiedAt
  }

  get #mayMeet(): boolean {
    return !this.#isOver && this.#peer.paused !== true && this.#peer.ended === undefined
  }

  /** Dials after `seconds`, if this node may. */
  begin(seconds = 0): void {
    this.#cancel?.()
    this.#cancel = undefined
    if (!this.#mayMeet || this.#peer.address === undefined || this.#live !== undefined) return
    this.#cancel = this.#deps.after(seconds, () => void this.connect())
  }

  /** Connects to the peer now, if possible; resolves with or without a session. */
  connect(): Promise<void> {
    if (this.#live !== undefined || !this.#mayMeet) return Promise.resolve()
    const { address } = this.#peer
    if (address === undefined) return Promise.resolve()
    this.#cancel?.()
    this.#attempt ??= this.#dial({ ...this.#peer, address }).finally(() => {
      this.#attempt = undefined
    })
    return this.#attempt
  }

  async #dial(peer: Peer & { address: string }): Promise<void> {
    const began = this.#deps.now()
    let channel: Channel
    try {
      channel = await this.#deps.dial(peer)
    } catch (error) {
      this.#failed(began, error)
      return
    }
    await this.accept(channel, 'us', began)
  }

  /** Resolves at the first contact or failed attempt, at the latest after `seconds`. */
  firstContact(seconds: number): Promise<void> {
    if (this.#live !== undefined || this.remembered.trouble !== undefined) return Promise.resolve()
    return new Promise((resolve) => {
      const stop = this.#deps.after(seconds, resolve)
      this.#awaited.push(() => {
        stop()
        resolve()
      })
    })
  }

  #notifyWaiting(): void {
    for (const notify of this.#awaited.splice(0)) notify()
  }

  /** Counts an entry written to the account, by this node or by the peer with number `origin`. */
  countEntry(origin: number | undefined): void {
    if (origin === this.#peer.number) return
    this.#written += 1
    if (this.#live === undefined) this.remembered.ahead = (this.remembered.ahead ?? 0) + 1
  }

  /** Keeps a scheduled contact open until the returned function is called. */
  keepOpen(): () => void {
    this.#holds += 1
    return () => {
      this.#holds -= 1
      if (this.#live !== undefined) this.#leaveIfDone(this.#live)
    }
  }

  /** Starts a session on a channel that either node dialed, and returns it; otherwise ends the channel. */
  async accept(channel: Channel, dialer: 'us' | 'them', began = this.#deps.now()): Promise<Session | undefined> {
    if (!this.#mayMeet) {
      const isPaused = this.#peer.paused === true
      const message = isPaused ? 'The pairing is paused on the other node.' : 'The node is stopping.'
      await this.#deps.refuse(channel, isPaused ? 'paused' : 'closed', message)
      return undefined
    }
    const former = this.#live
    if (former !== undefined && !this.#isBetter(dialer, former)) {
      await this.#deps.refuse(channel, 'closed', 'Another connection of this pairing is in use.')
      return undefined
    }
    let session: Session
    try {
      session = await this.#deps.start(channel, this.account, this.#peer)
    } catch (error) {
      channel.close()
      this.#failed(began, error)
      return undefined
    }
    // The greeting names the process, which decides whether it may replace another one.
    if (this.#live !== undefined) await session.greeted
    // Another session may have started meanwhile, or the connection may be closed.
    const rival = this.#live
    if (!this.#mayMeet || (rival !== undefined && !this.#isBetter(dialer, rival))) {
      void session.close('closed', 'Another connection of this pairing is in use.').catch(() => {})
      return session
    }
    if (rival !== undefined && this.#isCopy(session, rival.session)) {
      this.#copiedAt = this.#deps.now()
      this.#owner.copied(this, 'theirs')
      rival.session.notifyCopied()
      void session.close('copied', COPIED).catch(() => {})
      this.#owner.changed(this)
      return session
    }
    this.#cancel?.()
    this.#cancel = undefined
    this.#failing = undefined
    delete this.remembered.trouble
    const live: LiveSession = { session, dialer, began }
    this.#live = live
    void rival?.session.close('closed', 'A newer connection of this pairing is in use.').catch(() => {})
    this.#notifyWaiting()
    let copiedAt: number | undefined
    const leave = session.onStatus((status) => {
      const { state } = status
      if (status.copiedAt !== copiedAt) this.#owner.copied(this, 'ours')
      copiedAt = status.copiedAt
      if (state === 'in-sync') this.#written = 0
      this.#owner.changed(this)
      this.#leaveIfDone(live)
    })
    void session.ended.then((end) => {
      leave()
      this.#ended(live, end)
    })
    this.#owner.changed(this)
    this.#leaveIfDone(live)
    return session
  }

  /**
   * Checks whether a new connection replaces the current one. Of two simultaneous ones, both nodes keep the one dialed by
   * the node with the smaller key. A later one means that its dialer has lost the current one.
   */
  #isBetter(dialer: 'us' | 'them', live: LiveSession): boolean {
    // Also true when the clock was set back.
    if (dialer === live.dialer || Math.abs(this.#deps.now() - live.began) > SAME_TIME_S) return true
    return (dialer === 'us') === this.#deps.node() < this.#peer.node
  }

  /** Checks whether two sessions belong to two live processes with one identity. */
  #isCopy(next: Session, live: Session): boolean {
    if (next.peerInstance === undefined || live.peerInstance === undefined) return false
    return this.#instances.isCopy(next.peerInstance, live.peerInstance)
  }

  /** Ends a scheduled contact that this node dialed, once both sides are in sync. */
  #leaveIfDone(live: LiveSession): void {
    if (this.#peer.every === undefined || this.#holds > 0 || live.dialer !== 'us' || this.#live !== live) return
    const { state, filesPending, filesMissing, filesMissingThere } = live.session.status()
    // Files that neither node has are not waited for.
    const isDone = (state === 'in-sync' && filesPending === 0) || (state === 'behind' && filesMissing + filesMissingThere > 0)
    if (isDone) void live.session.close('closed', 'In sync.').catch(() => {})
  }

  #ended(live: LiveSession, end: SessionEnd): void {
    const now = this.#deps.now()
    const status = live.session.status()
    this.#owner.contact(this, contactResult(live.began, now, status, end))
    if (this.#live !== live) return
    this.#live = undefined
    const next = peerStatsFrom({ ...status, ahead: Math.max(status.ahead, this.#written) }, end, now, this.remembered)
    delete this.remembered.trouble
    Object.assign(this.remembered, next)
    if (endsPairing(end, this.#peer, now)) {
      this.#peer = { ...this.#peer, ended: now }
      this.#owner.endedByPeer(this)
    }
    if (end.reason === 'copied' && end.byPeer) this.#owner.copied(this, 'ours')
    const scope = end.theirScope === undefined ? undefined : acceptScope(this.#peer.scope, end.theirScope)
    if (scope !== undefined) this.#owner.rescoped(this, scope)
    const wasOfUse = status.inSyncAt !== undefined || status.sent > 0 || status.received > 0
    this.begin(pauseAfter({ began: live.began, ended: now, wasOfUse }, this.#peer.every, this.#backoff))
    this.#owner.changed(this)
  }

  #failed(began: number, error: unknown): void {
    const ended = this.#deps.now()
    const reason = errorMessage(error)
    this.#failing = failedContact(this.#failing, began, ended, reason)
    if (this.#isOver) return
    this.#owner.contact(this, this.#failing)
    this.remembered.trouble = { reason, isFinal: false }
    this.#notifyWaiting()
    this.begin(pauseAfter({ began, ended, wasOfUse: false }, this.#peer.every, this.#backoff))
    this.#owner.changed(this)
  }

  /** Applies a changed record: a new name has no effect, all other changes start a new contact. */
  async update(peer: Peer): Promise<void> {
    const former = this.#peer
    this.#peer = peer
    this.#owner.changed(this)
    if (peer.paused === true) return this.#leave('paused', 'The pairing is paused on the other node.')
    const isRenamed = JSON.stringify({ ...former, name: '' }) === JSON.stringify({ ...peer, name: '' })
    if (isRenamed || peer.ended !== undefined) return
    this.#backoff.reset()
    // The scope is fixed when a session starts.
    if (JSON.stringify(former.scope) !== JSON.stringify(peer.scope)) await this.#leave('closed', 'The scope of the share has changed.')
    this.begin()
    if (this.#live !== undefined) this.#leaveIfDone(this.#live)
  }

  /** Closes the connection permanently; sends the reason in a running session. */
  async close(reason: SessionEnd['reason'], message: string): Promise<void> {
    this.#isOver = true
    await this.#leave(reason, message)
  }

  async #leave(reason: SessionEnd['reason'], message: string): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    const session = this.#live?.session
    if (session === undefined) return
    await session.close(reason, message).catch(() => {})
    await session.ended
  }
}

/** Seconds after which a contact counts as successful, whatever its result. */
const GOOD_AFTER_S = 60

interface ContactAttempt {
  /** Start and end of the contact, in seconds. */
  began: number
  ended: number
  /** True when the nodes compared digests or exchanged items. */
  wasOfUse: boolean
}

/**
 * Returns the seconds from the end of a contact or attempt to the next.
 * @param every seconds from one contact to the next; undefined for a permanent connection.
 */
function pauseAfter({ began, ended, wasOfUse }: ContactAttempt, every: number | undefined, backoff: Backoff): number {
  const isGood = wasOfUse || ended - began >= GOOD_AFTER_S
  if (isGood) backoff.reset()
  if (every === undefined) return backoff.next()
  return isGood ? Math.max(0, began + every - ended) : Math.min(every, backoff.next())
}

const FIRST_S = 1
const MAX_S = 300

interface Backoff {
  /** Returns the seconds until the next attempt: twice the previous delay, reduced by a random part of up to half. */
  next(): number
  /** Restarts with the shortest delay. */
  reset(): void
}

/**
 * Creates a backoff.
 * @param random numbers in [0, 1), so that nodes that lost a peer at the same time do not all reconnect at once.
 */
function createBackoff(random: () => number): Backoff {
  let attempts = 0
  return {
    next() {
      // Ten doublings reach the maximum.
      const whole = Math.min(MAX_S, FIRST_S * 2 ** Math.min(attempts, 10))
      attempts += 1
      return whole * (1 - random() / 2)
    },
    reset() {
      attempts = 0
    },
  }
}
