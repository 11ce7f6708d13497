/**
 * Pending pairings: an offer waits for another node, both people compare three words and confirm. Kept in memory; a confirmed
 * pairing becomes a peer on disk.
 */
import type { Account } from '../../store/engine/account.js'
import { errorMessage } from '../../store/model/errorMessage.js'
import { Failure } from '../../store/model/failure.js'
import type { Peer, Scope } from '../../store/replication/peers.js'

/** Input of a pairing on this node. */
export interface PairingInput {
  account: Account
  username: string
  scope: Scope
  /** Name of the peer on this node; by default the peer's own name. */
  name?: string
  /** URL of this node for the other one. */
  address?: string
  /** Skips the comparison of words: any holder of the link is paired. */
  unattended?: boolean
}

/** Two nodes connected by a link, before confirmation. */
export interface Meeting {
  words: readonly string[]
  peerName: string
  /** Ed25519 public key, base64url. */
  peerNode: string
  /**
   * Resolves once both people have confirmed and the peer is on disk on both nodes. Rejects when the other side declines or
   * disconnects.
   */
  confirm(): Promise<Peer>
  /** Declines; false once both have confirmed and the peer is being stored. */
  refuse(reason: string): boolean
  /** Resolves with the reason when the meeting fails. */
  readonly failed: Promise<string>
}

/** Connection of nodes for pairing: see sync/pairing. */
export interface Meetings {
  /** Creates a link; calls `met` when a node arrives with it, `failed` with the reason when none does. */
  offer(
    input: PairingInput & { address: string },
    then: { met: (meeting: Meeting) => void; failed: (reason: string) => void },
  ): Promise<{ link: string; expires: number; withdraw(): void }>
  /** Connects to the node of a link. Rejects with the reason of failure. */
  accept(link: string, input: PairingInput): Promise<Meeting>
}

type PairingState = 'offered' | 'met' | 'paired' | 'failed'

/** A pairing as shown to its owner. */
export interface PairingView {
  id: string
  user: string
  state: PairingState
  /** Expiry of the link, in seconds. */
  expires?: number
  /** True once this side has confirmed. */
  confirmed?: boolean
  words?: readonly string[]
  /** Name of the other node, and its public key. */
  peerName?: string
  peerNode?: string
  peer?: { id: string; name: string }
  reason?: string
}

interface Pairing {
  view: PairingView
  asked: PairingInput
  meeting?: Meeting
  /** Link of an offer. */
  link?: string
  /** The confirmation of this side, once begun. */
  confirming?: Promise<{ peer: Peer; account: Account }>
  withdraw?: () => void
  /** Reverts changes made for this pairing only. */
  undo?: () => Promise<void>
}

export interface Pairings {
  offer(input: PairingInput & { address: string }): Promise<PairingView & { link: string }>
  /**
   * Accepts a link.
   * @param undo runs when the pairing fails
   */
  accept(link: string, input: PairingInput, undo?: () => Promise<void>): Promise<PairingView>
  /**
   * Confirms the three words.
   * @throws Failure `unknown-resource`; `invalid-operation` when there is nothing to confirm, or the other side declines
   */
  confirm(id: string): Promise<{ peer: Peer; account: Account }>
  /** Lists the pending pairings of an account, with their links, and those that ended lately; the latest first. */
  list(account: Account): (PairingView & { link?: string })[]
  /**
   * Declines a meeting, or cancels an offer.
   * @throws Failure `invalid-operation` while the peer is being stored
   */
  withdraw(id: string): Promise<void>
  follow(account: string | undefined, notify: (pairing: PairingView) => void): () => void
  stop(): void
}

/** Maximum number of pending pairings. */
const MAX_PENDING = 100
/** Maximum number of ended pairings whose result is kept. */
const MAX_ENDED = 100

interface PairingsOptions {
  newId(): string
  /** Starts contacts with a stored peer; returns its current form. */
  paired(input: PairingInput, peer: Peer): Promise<Peer>
}

export function createPairings(meetings: Meetings, { newId, paired }: PairingsOptions): Pairings {
  const pairings = new Map<string, Pairing>()
  const ended = new Map<string, Pairing>()
  const followers = new Set<{ account: string | undefined; notify: (pairing: PairingView) => void }>()

  function begin(input: PairingInput): Pairing {
    if (pairings.size >= MAX_PENDING) throw new Failure('invalid-operation', 'Too many pending pairings. Cancel some first.')
    const pairing: Pairing = { asked: input, view: { id: newId(), user: input.username, state: 'offered' } }
    pairings.set(pairing.view.id, pairing)
    return pairing
  }

  function update(pairing: Pairing, more: Partial<PairingView>): void {
    pairing.view = { ...pairing.view, ...more }
    const { state } = pairing.view
    if (state === 'paired' || state === 'failed') end(pairing)
    for (const { account, notify } of followers) {
      if (account === undefined || account === pairing.asked.account.prefix) notify(pairing.view)
    }
  }

  function end(pairing: Pairing): void {
    const { asked, view } = pairing
    pairings.delete(view.id)
    // Without its link and its channel.
    ended.set(view.id, { asked, view })
    const [oldest] = ended.keys()
    if (ended.size > MAX_ENDED && oldest !== undefined) ended.delete(oldest)
  }

  async function fail(pairing: Pairing, reason: string): Promise<void> {
    if (!pairings.has(pairing.view.id)) return
    update(pairing, { state: 'failed', reason })
    await pairing.undo?.()
  }

  function connected(pairing: Pairing, meeting: Meeting): void {
    if (!pairings.has(pairing.view.id)) return void meeting.refuse('The offer was cancelled.')
    pairing.meeting = meeting
    const { words, peerName, peerNode } = meeting
    update(pairing, { state: 'met', words, peerName, peerNode })
    void meeting.failed.then((reason) => fail(pairing, reason))
    if (pairing.asked.unattended === true) void confirm(pairing).catch(() => {})
  }

  async function confirm(pairing: Pairing): Promise<{ peer: Peer; account: Account }> {
    const { meeting } = pairing
    if (meeting === undefined) throw new Failure('invalid-operation', 'No other node has connected yet.')
    pairing.confirming ??= confirmed(pairing, meeting)
    return pairing.confirming
  }

  async function confirmed(pairing: Pairing, meeting: Meeting): Promise<{ peer: Peer; account: Account }> {
    pairing.view = { ...pairing.view, confirmed: true }
    try {
      const peer = await paired(pairing.asked, await meeting.confirm())
      update(pairing, { state: 'paired', peer: { id: peer.pairing, name: peer.name } })
      return { peer, account: pairing.asked.account }
    } catch (error) {
      const reason = errorMessage(error)
      await fail(pairing, reason)
      throw new Failure('invalid-operation', reason)
    }
  }

  function find(id: string): Pairing {
    const pairing = pairings.get(id)
    if (pairing === undefined) throw new Failure('unknown-resource', 'This pairing is no longer pending.')
    return pairing
  }

  return {
    async offer(input) {
      const pairing = begin(input)
      try {
        const { link, expires, withdraw } = await meetings.offer(input, {
          met: (meeting) => connected(pairing, meeting),
          failed: (reason) => void fail(pairing, reason),
        })
        pairing.withdraw = withdraw
        pairing.link = link
        pairing.view = { ...pairing.view, expires }
        return { ...pairing.view, link }
      } catch (error) {
        pairings.delete(pairing.view.id)
        throw error
      }
    },
    async accept(link, input, undo) {
      const pairing = begin(input)
      if (undo !== undefined) pairing.undo = undo
      try {
        connected(pairing, await meetings.accept(link, input))
        return pairing.view
      } catch (error) {
        const reason = errorMessage(error)
        await fail(pairing, reason)
        throw new Failure('invalid-operation', reason)
      }
    },
    confirm: async (id) => confirm(find(id)),
    list({ prefix }) {
      const own = [...ended.values(), ...pairings.values()].filter(({ asked }) => asked.account.prefix === prefix)
      return own.reverse().map(({ view, link }) => ({ ...view, ...(link === undefined ? {} : { link }) }))
    },
    async withdraw(id) {
      const pairing = find(id)
      pairing.withdraw?.()
      if (pairing.meeting?.refuse('The other person declined.') === false) {
        throw new Failure('invalid-operation', 'Both sides have confirmed: end the pairing with coffer sync unpair.')
      }
      await fail(pairing, 'The pairing was cancelled.')
    },
    follow(account, notify) {
      const follower = { account, notify }
      followers.add(follower)
      return () => void followers.delete(follower)
    },
    stop() {
      for (const pairing of [...pairings.values()]) {
        pairing.withdraw?.()
        pairing.meeting?.refuse('The other node is shutting down.')
      }
      pairings.clear()
      ended.clear()
    },
  }
}
