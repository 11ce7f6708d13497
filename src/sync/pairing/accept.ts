/** Acceptance of a pairing that another node has offered. */
import sodium from 'libsodium-wrappers'
import type { Account } from '../../store/engine/account.js'
import type { Channel } from '../channel/channel.js'
import type { Timers } from '../channel/open.js'
import { purposeMessage } from '../channel/purpose.js'
import { offerId, proofOf, type PairingUrl } from './pairingUrl.js'
import { PairingError, parsePairingMessage, sendPairingMessage, printableName, type PairingMessage } from './messages.js'
import { conclude, assertNotPaired, type Pairing } from './pairing.js'
import { commitmentOf, NONCE_BYTES, wordsOf } from './sas.js'

interface AcceptOptions {
  /** New channel to the node of the link. */
  channel: Channel
  link: PairingUrl
  account: Account
  /** Name of the account, shown on the other side. */
  accountName: string
  /** Name of this node, shown on the other side: at most 64 characters. */
  name: string
  /** Public key of this node, base64url. */
  node: string
  /** Address at which the other node may dial this one; absent when it may not. */
  address?: string
  /** Seconds. */
  now(): number
  timers: Timers
}

const OFFER_SECONDS = 600
const STEP_MS = 10_000

/**
 * Negotiates with the offering node until the words can be shown. Rejects with PairingError and closes the channel on
 * failure.
 */
export async function acceptPairing(options: AcceptOptions): Promise<Pairing> {
  const { channel, timers } = options
  let isLate = false
  const stop = timers.after(STEP_MS, () => {
    isLate = true
    channel.close('timeout')
  })
  try {
    return await agree(options)
  } catch (error) {
    const failed = error instanceof PairingError ? error : new PairingError('lost', 'The connection to the other node was lost.')
    channel.close(failed.reason)
    throw isLate ? new PairingError('lost', 'The other node did not answer in time.') : failed
  } finally {
    stop()
  }
}

async function agree({ channel, link, account, accountName, name, node, address, now, timers }: AcceptOptions): Promise<Pairing> {
  if (channel.node !== link.node) throw new PairingError('damaged', 'A different node than the one of the link answered.')
  const nonce = sodium.randombytes_buf(NONCE_BYTES)
  const began = now()
  await channel.send(purposeMessage({ is: 'pair' }))
  await sendPairingMessage(channel, {
    is: 'hello',
    offer: offerId(link.secret),
    proof: proofOf(link.secret, channel.binding, node),
    commitment: commitmentOf(nonce),
    name: printableName(name),
    account: accountName,
    clock: began,
    ...(address === undefined ? {} : { address }),
  })
  const offer = await offerOf(channel)
  if (channel.node === node && offer.account === accountName) {
    throw new PairingError('self', 'An account cannot be paired with itself.')
  }
  await assertNotPaired(account, channel.node, offer.account)
  await sendPairingMessage(channel, { is: 'reveal', nonce })
  const words = wordsOf(channel.binding, nonce, offer.nonce)
  const { pairing, scope } = offer
  const expires = began + OFFER_SECONDS
  return conclude({
    ...{ channel, account, side: 'accepter', words, pairing, them: offer, scope, now, timers, expires },
    address: link.address,
  })
}

/** Messages for the reasons with which the other node ended the pairing. */
const REFUSALS = {
  'unknown-offer': 'The other node has no such offer: it was used, has expired, or was withdrawn.',
  'already-paired': 'The other node reports that these accounts are already paired: unpair them there first.',
  self: 'An account cannot be paired with itself.',
} as const

function refusal(reason: string): PairingError {
  if (!Object.hasOwn(REFUSALS, reason)) return new PairingError('lost', 'The other node closed the connection.')
  const known = reason as keyof typeof REFUSALS
  return new PairingError(known, REFUSALS[known])
}

async function offerOf(channel: Channel): Promise<Extract<PairingMessage, { is: 'offer' }>> {
  const arrived = await channel.messages[Symbol.asyncIterator]().next()
  if (arrived.done === true) throw refusal(channel.closeReason ?? '')
  const message = parsePairingMessage(arrived.value)
  if (message.is !== 'offer') throw new PairingError('damaged', 'The other node sent an invalid pairing message.')
  return message
}
