/** Connects pending pairings (pairings.ts) with other nodes: by the offers of sync/pairing, or by dialing their addresses. */
import { errorMessage } from '../../store/model/errorMessage.js'
import type { Channel } from '../../sync/channel/channel.js'
import type { Timers } from '../../sync/channel/open.js'
import { listPeers } from '../../store/replication/peers.js'
import { acceptPairing } from '../../sync/pairing/accept.js'
import { makeIdentity, type Identity } from '../../sync/pairing/identity.js'
import { parsePairingUrl } from '../../sync/pairing/pairingUrl.js'
import { PairingError } from '../../sync/pairing/messages.js'
import type { Offers } from '../../sync/pairing/offers.js'
import type { Pairing } from '../../sync/pairing/pairing.js'
import type { Store } from '../../store/index.js'
import { dial } from './dial.js'
import type { PairingInput, Meeting, Meetings } from './pairings.js'
import type { Traffic } from './traffic.js'

interface MeetingsOptions {
  store: Store
  offers: Offers
  /** Display name of this node. */
  name: string
  /** Seconds. */
  now(): number
  timers: Timers
  /** Counter of bytes. */
  traffic: Traffic
}

export function createMeetings({ store, offers, name, now, timers, traffic }: MeetingsOptions): Meetings {
  return {
    async offer(input, { met, failed }) {
      const { account, username, scope, address } = input
      const offer = await offers.offer({ account, accountName: username, scope, address })
      offer.pairing.then(
        (pairing) => met(meetingOf(pairing, input)),
        (error: unknown) => failed(errorMessage(error)),
      )
      return { link: offer.link, expires: offer.expires, withdraw: () => offer.withdraw() }
    },
    async accept(text, input) {
      const identity: Identity = await makeIdentity(store)
      const link = parsePairingUrl(text)
      if (link.node === identity.node) throw new PairingError('self', 'This link was created by this node.')
      const channel: Channel = await dial(link.address, { signer: identity, timers, traffic, expected: link.node })
      const { account, username, address } = input
      const about = { channel, link, account, accountName: username, name, node: identity.node, now, timers }
      return meetingOf(await acceptPairing({ ...about, ...(address === undefined ? {} : { address }) }), input)
    },
  }
}

function meetingOf(pairing: Pairing, { account }: PairingInput): Meeting {
  const { words, peerName, peerNode } = pairing
  return {
    words,
    peerName,
    peerNode,
    failed: new Promise((resolve) => {
      pairing.done.catch((error: unknown) => {
        if (!isUnsure(error)) resolve(errorMessage(error))
      })
    }),
    async confirm() {
      try {
        return await pairing.confirm()
      } catch (error) {
        // The peer is stored here; if the other node lacks it, the first contact reveals that.
        const stored = isUnsure(error) ? await listPeers(account.db, account.prefix) : []
        const peer = stored.findLast(({ node, ended }) => node === peerNode && ended === undefined)
        if (peer === undefined) throw error
        return peer
      }
    },
    refuse: (reason) => pairing.refuse(reason),
  }
}

const isUnsure = (error: unknown): boolean => error instanceof PairingError && error.reason === 'unsure'
