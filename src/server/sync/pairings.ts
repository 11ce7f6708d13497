/**
 * Pairings on their way, for the people who make them: an offer waits for another node, both people compare three words,
 * both confirm. All of it is in memory; what is confirmed is a peer on disk.
 */
import type { Account } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import type { Peer, Scope } from '../../sync/peers/peer.js'

/** What this node asks of a pairing. */
export interface Asked {
  account: Account
  username: string
  scope: Scope
  /** What the peer is called here; without it, as it calls itself. */
  name?: string
  /** Where the other node reaches this one. */
  address?: string
  /** Nobody compares words: whoever comes with the link is paired. */
  unattended?: boolean
}

/** Two nodes that have met by a link, and whose people are to compare. */
export interface Meeting {
  words: readonly string[]
  peerName: string
  /** Ed25519 public key, base64url. */
  peerNode: string
  /** Resolves once both people have confirmed and the peer is on disk on both nodes. Rejects when the other refuses or is lost. */
  confirm(): Promise<Peer>
  /** Answers whether it is refused: not once both have confirmed and it is written down. */
  refuse(reason: string): boolean
  /** Resolves with why, when it comes to nothing. */
  readonly failed: Promise<string>
}

/** How nodes meet: see sync/pairing. */
export interface Meetings {
  /** Makes a link; `met` runs when a node comes with it, `failed` with why when none does. */
  offer(
    input: Asked & { address: string },
    then: { met: (meeting: Meeting) => void; failed: (reason: string) => void },
  ): Promise<{ link: string; expires: number; withdraw(): void }>
  /** Goes to the node of a link. Rejects with why it cannot be met. */
  accept(link: string, input: Asked): Promise<Meeting>
}

export type PairingState = 'offered' | 'met' | 'paired' | 'failed'

/** A pairing, as its owner is told. */
export interface PairingView {
  id: string
  user: string
  state: PairingState
  /** Until when the link may be used, in seconds. */
  expires?: number
  words?: readonly string[]
  /** How the other node calls itself, and its public key. */
  peerName?: string
  peerNode?: string
  peer?: { id: string; name: string }
  reason?: string
}

interface Pairing {
  view: PairingView
  asked: Asked
  meeting?: Meeting
  withdraw?: () => void
  /** What undoes what was made for this pairing alone. */
  undo?: () => Promise<void>
}

export interface Pairings {
  offer(input: Asked & { address: string }): Promise<PairingView & { link: string }>
  /** @param undo runs when the pairing comes to nothing. */
  accept(link: string, input: Asked, undo?: () => Promise<void>): Promise<PairingView>
  /** @throws Failure `unknown-resource`; `invalid-operation` when there is nothing to confirm, or the other refuses */
  confirm(id: string): Promise<{ peer: Peer; account: Account }>
  /** Refuses what was met, or takes an offer back. @throws Failure `invalid-operation` when it is being written down */
  withdraw(id: string): Promise<void>
  follow(account: string | undefined, notify: (pairing: PairingView) => void): () => void
  stop(): void
}

/** How many may be on their way at once. */
const MOST = 100

export interface PairingsOptions {
  newId(): string
  /** Takes a peer up that is on disk; answers it as it is then. */
  paired(input: Asked, peer: Peer): Promise<Peer>
}

export function createPairings(meetings: Meetings, { newId, paired }: PairingsOptions): Pairings {
  const pairings = new Map<string, Pairing>()
  const followers = new Set<{ account: string | undefined; notify: (pairing: PairingView) => void }>()

  function begin(input: Asked): Pairing {
    if (pairings.size >= MOST) throw new Failure('invalid-operation', 'Too many pairings are on their way. Take some back.')
    const pairing: Pairing = { asked: input, view: { id: newId(), user: input.username, state: 'offered' } }
    pairings.set(pairing.view.id, pairing)
    return pairing
  }

  function turn(pairing: Pairing, more: Partial<PairingView>): void {
    pairing.view = { ...pairing.view, ...more }
    const { state } = pairing.view
    if (state === 'paired' || state === 'failed') pairings.delete(pairing.view.id)
    for (const { account, notify } of followers) {
      if (account === undefined || account === pairing.asked.account.prefix) notify(pairing.view)
    }
  }

  async function fail(pairing: Pairing, reason: string): Promise<void> {
    if (!pairings.has(pairing.view.id)) return
    turn(pairing, { state: 'failed', reason })
    await pairing.undo?.()
  }

  function meet(pairing: Pairing, meeting: Meeting): void {
    if (!pairings.has(pairing.view.id)) return void meeting.refuse('The offer was taken back.')
    pairing.meeting = meeting
    const { words, peerName, peerNode } = meeting
    turn(pairing, { state: 'met', words, peerName, peerNode })
    void meeting.failed.then((reason) => fail(pairing, reason))
    if (pairing.asked.unattended === true) void confirm(pairing).catch(() => {})
  }

  async function confirm(pairing: Pairing): Promise<{ peer: Peer; account: Account }> {
    if (pairing.meeting === undefined) throw new Failure('invalid-operation', 'No other node has come yet.')
    try {
      const peer = await paired(pairing.asked, await pairing.meeting.confirm())
      turn(pairing, { state: 'paired', peer: { id: peer.pairing, name: peer.name } })
      return { peer, account: pairing.asked.account }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      await fail(pairing, reason)
      throw new Failure('invalid-operation', reason)
    }
  }

  function one(id: string): Pairing {
    const pairing = pairings.get(id)
    if (pairing === undefined) throw new Failure('unknown-resource', 'This pairing is not on its way any more.')
    return pairing
  }

  return {
    async offer(input) {
      const pairing = begin(input)
      try {
        const { link, expires, withdraw } = await meetings.offer(input, {
          met: (meeting) => meet(pairing, meeting),
          failed: (reason) => void fail(pairing, reason),
        })
        pairing.withdraw = withdraw
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
        meet(pairing, await meetings.accept(link, input))
        return pairing.view
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        await fail(pairing, reason)
        throw new Failure('invalid-operation', reason)
      }
    },
    confirm: async (id) => confirm(one(id)),
    async withdraw(id) {
      const pairing = one(id)
      pairing.withdraw?.()
      if (pairing.meeting?.refuse('The other person said no.') === false) {
        throw new Failure('invalid-operation', 'Both have confirmed: end the pairing with coffer sync unpair.')
      }
      await fail(pairing, 'It was taken back.')
    },
    follow(account, notify) {
      const follower = { account, notify }
      followers.add(follower)
      return () => void followers.delete(follower)
    },
    stop() {
      for (const pairing of [...pairings.values()]) {
        pairing.withdraw?.()
        pairing.meeting?.refuse('The other node stops.')
      }
      pairings.clear()
    },
  }
}
