/** Pending offers of pairings. They are in memory only: a stop of the node ends them. */
import sodium from 'libsodium-wrappers'
import type { Account } from '../../store/engine/account.js'
import { constantTimeEqual } from '../../store/model/constantTimeEqual.js'
import { Secret } from '../../store/model/secret.js'
import type { Channel } from '../channel/channel.js'
import type { Timers } from '../channel/open.js'
import type { Scope } from '../../store/replication/peers.js'
import type { Identity } from './identity.js'
import { offerId, pairingUrlText, proofOf, SECRET_BYTES } from './pairingUrl.js'
import { PairingError, parsePairingMessage, sendPairingMessage, scopeOfPeer, printableName, type PairingMessage, type PairingSide } from './messages.js'
import { conclude, assertNotPaired, type Pairing } from './pairing.js'
import { commitmentOf, NONCE_BYTES, wordsOf } from './sas.js'

export interface Offer {
  readonly link: string
  /** Expiry, in seconds. */
  readonly expires: number
  /**
   * Resolves with the pairing once another node has accepted and the words can be shown. Rejects with PairingError:
   * `expired`, `withdrawn`, or the reason of a failure before that.
   */
  readonly pairing: Promise<Pairing>
  withdraw(): void
}

interface OfferInput {
  account: Account
  /** Name of the account, shown on the other side. */
  accountName: string
  /** Scope as this node sees it. */
  scope: Scope
  /** Address at which the other node dials this one: `http:` or `https:`. Part of the link. */
  address: string
}

export interface Offers {
  /** Creates an offer. Rejects with TooManyOffers. */
  offer(about: OfferInput): Promise<Offer>
  /**
   * Negotiates with a caller whose first message requested a pairing. Resolves when that is over, successful or not; never
   * rejects.
   */
  answer(channel: Channel): Promise<void>
  /** Number of pending offers. */
  readonly waiting: number
  /** Withdraws all offers. */
  stop(): void
}

interface OffersOptions {
  /** Name of this node, shown on the other side: at most 64 characters. */
  name: string
  identity(): Promise<Identity>
  /** Returns the time in seconds. */
  now(): number
  timers: Timers
}

/** Error for too many pending offers. */
export class TooManyOffers extends Error {}

const MAX_OFFERS = 20
const OFFER_SECONDS = 600
/** Number of wrong proofs after which an offer ends. */
const MAX_WRONG = 5
/** Milliseconds that a caller may take for steps without user input. */
const STEP_MS = 10_000

interface PendingOffer {
  id: string
  secret: Secret<Uint8Array>
  about: OfferInput
  expires: number
  wrong: number
  settle: { resolve(pairing: Pairing): void; reject(error: PairingError): void }
  stop(): void
}

export function createOffers({ name, identity, now, timers }: OffersOptions): Offers {
  const offers = new Map<string, PendingOffer>()

  function remove(offer: PendingOffer): void {
    offer.stop()
    offers.delete(offer.id)
  }

  function drop(offer: PendingOffer, reason: PairingError['reason'], message: string): void {
    if (offers.get(offer.id) !== offer) return
    remove(offer)
    offer.settle.reject(new PairingError(reason, message))
  }

  /** Returns the offer whose secret the caller proves to hold, and removes it. */
  function take(hello: Hello, channel: Channel): PendingOffer | undefined {
    const offer = offers.get(hello.offer)
    // An unknown offer takes as long as a wrong proof.
    const expected = proofOf(offer?.secret ?? NO_SECRET, channel.binding, channel.node)
    const isRight = constantTimeEqual(expected, hello.proof)
    if (offer === undefined) return undefined
    if (offer.expires <= now()) return void drop(offer, 'expired', EXPIRED)
    if (!isRight) {
      offer.wrong += 1
      if (offer.wrong >= MAX_WRONG) drop(offer, 'refused', 'The offer ended after too many wrong secrets.')
      return undefined
    }
    remove(offer)
    return offer
  }

  /** Sends this node's identity and negotiates the words. Rejects with PairingError. */
  async function agree(offer: PendingOffer, hello: Hello, channel: Channel): Promise<Pairing> {
    const { account, accountName, scope } = offer.about
    const own = await identity()
    const isSelf = channel.node === own.node && hello.account === accountName
    if (isSelf) throw new PairingError('self', 'An account cannot be paired with itself.')
    await assertNotPaired(account, channel.node, hello.account)
    const pairing = Buffer.from(sodium.randombytes_buf(16)).toString('base64url')
    const nonce = sodium.randombytes_buf(NONCE_BYTES)
    const who: PairingSide = { name: printableName(name), account: accountName, clock: now() }
    await sendPairingMessage(channel, { is: 'offer', pairing, scope: scopeOfPeer(scope), nonce, ...who })
    const reveal = await nextOf(channel, 'reveal')
    if (!constantTimeEqual(commitmentOf(reveal.nonce), hello.commitment)) {
      throw new PairingError('damaged', 'The other node revealed a number that does not match its commitment.')
    }
    const words = wordsOf(channel.binding, reveal.nonce, nonce)
    const { expires } = offer
    const them: PairingSide = hello
    return conclude({ channel, account, side: 'offerer', words, pairing, them, scope, address: hello.address, now, timers, expires })
  }

  return {
    async offer(about) {
      const { node } = await identity()
      if (offers.size >= MAX_OFFERS) throw new TooManyOffers(`At most ${MAX_OFFERS} pairing offers can be pending at a time.`)
      const secret = new Secret(sodium.randombytes_buf(SECRET_BYTES))
      const expires = now() + OFFER_SECONDS
      let settle: PendingOffer['settle'] | undefined
      const pairing = new Promise<Pairing>((resolve, reject) => {
        settle = { resolve, reject }
      })
      pairing.catch(() => {})
      if (settle === undefined) throw new Error('The promise has no resolvers.')
      const stop = timers.after(OFFER_SECONDS * 1000, () => drop(offer, 'expired', EXPIRED))
      const offer: PendingOffer = { id: offerId(secret), secret, about, expires, wrong: 0, settle, stop }
      offers.set(offer.id, offer)
      return {
        link: pairingUrlText({ node, secret, address: about.address }),
        expires,
        pairing,
        withdraw: () => drop(offer, 'withdrawn', 'The offer was withdrawn.'),
      }
    },
    async answer(channel) {
      let offer: PendingOffer | undefined
      const stop = timers.after(STEP_MS, () => channel.close('timeout'))
      try {
        await identity()
        const hello = await nextOf(channel, 'hello')
        offer = take(hello, channel)
        // All failures look the same: unknown, used or expired offer, or wrong secret.
        if (offer === undefined) return channel.close('unknown-offer')
        const pairing = await agree(offer, hello, channel)
        stop()
        offer.settle.resolve(pairing)
        await pairing.done
      } catch (error) {
        const failed = error instanceof PairingError ? error : new PairingError('lost', 'The connection was lost.')
        offer?.settle.reject(failed)
        channel.close(failed.reason)
      } finally {
        stop()
      }
    },
    get waiting() {
      return offers.size
    },
    stop() {
      for (const offer of [...offers.values()]) drop(offer, 'withdrawn', 'The node is stopping.')
    },
  }
}

type Hello = Extract<PairingMessage, { is: 'hello' }>

const NO_SECRET = new Secret(new Uint8Array(SECRET_BYTES))
const EXPIRED = 'The offer expired before it was accepted.'

/** Reads the next message, which must be of a given type. Rejects with PairingError. */
async function nextOf<Is extends PairingMessage['is']>(
  channel: Channel,
  is: Is,
): Promise<Extract<PairingMessage, { is: Is }>> {
  const arrived = await channel.messages[Symbol.asyncIterator]().next()
  if (arrived.done === true) {
    const isSecond = channel.closeReason === 'already-paired'
    if (isSecond) throw new PairingError('already-paired', 'The other node reports that these accounts are already paired.')
    throw new PairingError('lost', 'The other node closed the connection.')
  }
  const message = parsePairingMessage(arrived.value)
  if (message.is !== is) throw new PairingError('damaged', 'The other node sent an invalid pairing message.')
  return message as Extract<PairingMessage, { is: Is }>
}
