/**
 * Pairing of two nodes for one account: one offers, the other accepts, and people compare three words on both screens. It ends
 * with the public key of each node in the other's records of peers.
 *
 * This file is a pairing in negotiation (`Pairing`), from the time when both can show the words. offers.ts has the pending
 * offers of a node, accept.ts accepts one by its link (pairingUrl.ts), messages.ts defines the exchange, sas.ts derives the
 * words. identity.ts is the key pair of this node, fingerprint.ts its short form for people.
 */
import { errorMessage } from '../../store/model/errorMessage.js'
import type { Account } from '../../store/engine/account.js'
import type { Channel } from '../channel/channel.js'
import type { Timers } from '../channel/open.js'
import { addPeer, listPeers, removePeer, type Peer, type Scope } from '../../store/replication/peers.js'
import { PairingError, parsePairingMessage, sendPairingMessage, type PairingSide } from './messages.js'
import type { Words } from './sas.js'

export interface Pairing {
  /** Words to compare: equal on both screens, unless there is a man in the middle. */
  readonly words: Words
  /** Name that the other node gives itself. */
  readonly peerName: string
  /** Name of the account on the other node. */
  readonly peerAccount: string
  /** Public key of the other node, base64url; verified. */
  readonly peerNode: string
  /** Scope of the exchange as this node sees it. */
  readonly scope: Scope
  /** Seconds by which the other node's clock is ahead. */
  readonly clockSkew: number
  /** Time until which both users must confirm, in seconds. */
  readonly expires: number
  /** Confirms that the words match. Resolves as `done`. */
  confirm(): Promise<Peer>
  /**
   * Ends the negotiation and sends the reason; a side that has confirmed may still do this. Returns false when it is too late:
   * once this side writes its record, the pairing can no longer be refused.
   */
  refuse(reason?: string): boolean
  /**
   * Resolves with the peer once its record is on disk on both nodes. Rejects with PairingError on failure on either side.
   * After `unsure` the record is on this node's disk: the other node answers the first session with 'unknown-pairing' if it
   * lacks it.
   */
  readonly done: Promise<Peer>
}

/** Negotiated data known to both sides when they show the words. */
interface Negotiated {
  channel: Channel
  account: Account
  /** Role of this node: the accepting node writes its record first. */
  side: 'accepter' | 'offerer'
  words: Words
  pairing: string
  them: PairingSide
  scope: Scope
  /** Address of the other node. */
  address: string | undefined
  now(): number
  timers: Timers
  expires: number
}

const MAX_SILENCE_MS = 30_000
const UNSURE = 'The connection ended before the other node confirmed that it stored the pairing; this node has stored it.'

/** Checks that the account is not yet paired with that account of that node. Rejects with PairingError. */
export async function assertNotPaired(account: Account, node: string, theirAccount: string): Promise<void> {
  const peers = await listPeers(account.db, account.prefix)
  const same = peers.find((peer) => peer.node === node && peer.account === theirAccount && peer.ended === undefined)
  if (same === undefined) return
  throw new PairingError('already-paired', `These accounts are already paired, as ${same.name}: unpair them first.`)
}

/** Completes the pairing once both users have confirmed, or fails when one has not. */
export function conclude(agreed: Negotiated): Pairing {
  const { channel, account, side, them, scope, expires, timers } = agreed
  let mine = false
  let theirs = false
  let isStoredThere = false
  let adding: Promise<Peer> | undefined
  let isOver = false
  let isNotified = false
  let settle: { resolve(peer: Peer): void; reject(error: PairingError): void } | undefined
  const done = new Promise<Peer>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // Callers that first ask the user read the result later.
  done.catch(() => {})
  let stop = timers.after(Math.max(0, expires - agreed.now()) * 1000, () => fail('expired', 'The pairing was not confirmed in time.'))

  function end(reason: string): void {
    isOver = true
    stop()
    channel.close(reason)
  }

  function fail(reason: PairingError['reason'], message: string): void {
    // The second node keeps its record even when its last message is lost, since the first has stored its own.
    if (isOver || (side === 'offerer' && adding !== undefined)) return
    end(reason)
    settle?.reject(isNotified ? new PairingError('unsure', UNSURE) : new PairingError(reason, message))
  }

  /** Removes this node's record and fails: the other node stores no pairing either. */
  async function undo(reason: PairingError['reason'], message: string): Promise<void> {
    if (isOver) return
    end(reason)
    const stored = await adding?.catch(() => undefined)
    if (stored !== undefined) await forget(stored)
    settle?.reject(new PairingError(reason, message))
  }

  const forget = (peer: Peer): Promise<void> => account.write((t) => removePeer(t, peer.number))

  function writeRecord(): Promise<Peer> {
    const { pairing, address } = agreed
    return addPeer(account, {
      name: them.name,
      account: them.account,
      pairing,
      node: channel.node,
      ...(address === undefined ? {} : { address }),
      scope,
      paired: agreed.now(),
    })
  }

  function proceed(): void {
    if (isOver || !mine || !theirs) return
    // From here on, only two disk writes are pending.
    stop()
    stop = timers.after(MAX_SILENCE_MS, () => fail('lost', 'The other node stopped responding.'))
    if (adding !== undefined || (side === 'offerer' && !isStoredThere)) return
    adding = writeRecord()
    adding.then(
      async (peer) => {
        // No message was sent, so the other node has no record.
        if (isOver) return forget(peer)
        isNotified = side === 'accepter'
        await sendPairingMessage(channel, { is: 'kept' }).catch(() => {})
        if (side === 'offerer') succeed(peer)
      },
      async (error: unknown) => {
        await sendPairingMessage(channel, { is: 'refuse', reason: 'It could not be stored.' }).catch(() => {})
        const cause = errorMessage(error)
        await undo('failed', `The pairing could not be stored: ${cause}`)
      },
    ).catch(() => {})
  }

  function succeed(peer: Peer): void {
    if (isOver) return
    end('paired')
    settle?.resolve(peer)
  }

  async function listen(): Promise<void> {
    for await (const bytes of channel.messages) {
      const message = parsePairingMessage(bytes)
      if (message.is === 'refuse') return undo('refused', refusal(message.reason))
      if (message.is === 'confirm' && !theirs) theirs = true
      else if (message.is === 'kept' && theirs && mine && !isStoredThere && (side === 'offerer' || isNotified)) isStoredThere = true
      else throw new PairingError('damaged', 'The other node sent an invalid pairing message.')
      if (side === 'accepter' && isStoredThere && adding !== undefined) return succeed(await adding)
      proceed()
    }
    if (channel.closeReason === 'expired') fail('expired', 'The pairing was not confirmed in time.')
    else fail('lost', 'The other node ended the pairing.')
  }

  listen().catch((error: unknown) => {
    if (error instanceof PairingError) fail(error.reason, error.message)
    else fail('lost', 'The connection to the other node was lost.')
  })

  return {
    words: agreed.words,
    peerName: them.name,
    peerAccount: them.account,
    peerNode: channel.node,
    scope,
    clockSkew: them.clock - agreed.now(),
    expires,
    async confirm() {
      if (!mine && !isOver) {
        mine = true
        await sendPairingMessage(channel, { is: 'confirm' }).catch(() => {})
        proceed()
      }
      return done
    },
    refuse(reason = '') {
      if (isOver) return true
      if (adding !== undefined) return false
      sendPairingMessage(channel, { is: 'refuse', reason: reason.slice(0, 200) }).catch(() => {})
      fail('refused', 'The pairing was refused on this side.')
      return true
    },
    done,
  }
}

const refusal = (reason: string): string =>
  reason === '' ? 'The pairing was refused on the other side.' : `The pairing was refused on the other side: ${reason}`
