/** Fake dependencies of a peer manager: time that tests advance, and peers whose reachability they set. */
import type { Channel } from '../../../src/sync/channel/channel.js'
import type { ConnectionDeps } from '../../../src/sync/peers/peerConnection.js'
import type { Peer } from '../../../src/store/replication/peers.js'
import type { Session, SessionEnd, SessionStatus } from '../../../src/sync/session/types.js'

/** Waits for writes to the disk; a test sets which ones. */
let written = (): Promise<unknown> => Promise.resolve()
export const waitFor = (writes: () => Promise<unknown>): void => void (written = writes)

export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn++) {
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
    await written()
  }
}

export interface FakeChannel extends Channel {
  closed?: string
  refusedWith?: string
}

export function channelTo(node: string): FakeChannel {
  return {
    node,
    binding: new Uint8Array(32),
    send: () => Promise.resolve(),
    messages: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) },
    close(reason = '') {
      this.closed = reason
    },
    sent: 0,
    received: 0,
    closeReason: undefined,
  }
}

export class FakeSession implements Session {
  #status: SessionStatus = {
    state: 'syncing',
    ...{ behind: 0, ahead: 0, received: 0, sent: 0, bytesReceived: 0, bytesSent: 0, filesPending: 0, filesPendingCount: 0, filesMissing: 0, filesMissingBytes: 0, filesPendingThere: 0, filesMissingThere: 0, refused: 0, refusedByPeer: 0 },
  }
  #listeners = new Set<(status: SessionStatus) => void>()
  #end: (end: SessionEnd) => void = () => {}
  readonly ended = new Promise<SessionEnd>((resolve) => (this.#end = resolve))
  readonly greeted = Promise.resolve()
  peerInstance: string | undefined
  copiedTold = 0
  notifyCopied(): void {
    this.copiedTold += 1
  }
  answers: 'in-sync' | 'behind' | 'nothing' = 'in-sync'
  readonly compared: boolean[] = []
  closedWith?: string

  constructor(readonly channel: FakeChannel, readonly peer: Peer) {}

  status = (): SessionStatus => this.#status
  onStatus(listener: (status: SessionStatus) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  set(status: Partial<SessionStatus>): void {
    this.#status = { ...this.#status, ...status }
    for (const listener of this.#listeners) listener(this.#status)
  }
  compare({ deep = false } = {}): Promise<'in-sync' | 'behind'> {
    this.compared.push(deep)
    return this.answers === 'nothing' ? new Promise(() => {}) : Promise.resolve(this.answers)
  }
  async close(reason: SessionEnd['reason'], message: string): Promise<void> {
    this.closedWith ??= reason
    this.end({ reason, message, byPeer: false })
  }
  end(end: SessionEnd): void {
    this.#end(end)
  }
}

export interface FakeDeps extends ConnectionDeps {
  /** Advances time by seconds, and runs each timer at its time. */
  pass(seconds: number): Promise<void>
  /** Times at which peers were dialed, in seconds from the start. */
  readonly dialed: number[]
  readonly sessions: FakeSession[]
  readonly refused: [string, string][]
  /** Id of the process at the other side of new sessions. */
  instance: string | undefined
  /** Returns the problem of a dial; undefined when it succeeds. */
  reach: (peer: Peer) => string | undefined | Promise<string | undefined>
}

const BEGAN = 1_000_000

export function fakeDeps(node = 'us'): FakeDeps {
  let now = BEGAN
  const timers = new Set<{ at: number; run: () => void }>()
  const deps: FakeDeps = {
    node: () => node,
    now: () => now,
    random: () => 0,
    after(seconds, run) {
      const timer = { at: now + seconds, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    async dial(peer) {
      deps.dialed.push(Math.round((now - BEGAN) * 1000) / 1000)
      const problem = await deps.reach(peer)
      if (problem !== undefined) throw new Error(problem)
      return channelTo(peer.node)
    },
    async start(channel, _account, peer) {
      const session = new FakeSession(channel, peer)
      session.peerInstance = deps.instance
      deps.sessions.push(session)
      return session
    },
    async refuse(channel, reason, message) {
      channel.close(reason)
      deps.refused.push([reason, message])
    },
    async pass(seconds) {
      const until = now + seconds
      await settle()
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.run()
        await settle()
      }
      now = until
    },
    dialed: [],
    sessions: [],
    refused: [],
    instance: undefined,
    reach: () => undefined,
  }
  return deps
}
