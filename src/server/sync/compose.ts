/**
 * Assembles the sync subsystem of a node: websocket endpoint, dialer, peers and pairings. Code for exchanges is loaded on first
 * use.
 */
import type { IncomingMessage } from 'node:http'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import type { Store } from '../../store/index.js'
import type { Timers } from '../../sync/channel/open.js'
import { purposeMessage } from '../../sync/channel/purpose.js'
import type { ConnectionDeps } from '../../sync/peers/peerConnection.js'
import { createPeerManager } from '../../sync/peers/manager.js'
import type { Peer } from '../../store/replication/peers.js'
import { makeIdentity, readIdentity, renewIdentity, type Identity } from '../../sync/pairing/identity.js'
import { createOffers } from '../../sync/pairing/offers.js'
import type { Config } from '../config/config.js'
import type { Log } from '../base/log.js'
import type { Context } from '../call/context.js'
import { createSyncHandler, type SyncHandler } from './syncHandler.js'
import type { Exchange } from './exchange.js'
import { createMeetings } from './meetings.js'
import { createPairings, type PairingInput } from './pairings.js'
import type { Sync } from './sync.js'
import type { Traffic } from './traffic.js'
import type { ProxyDeps } from '../auth/proxies.js'

/** Sync subsystem of a node with an open store. */
export interface NodeSync extends Sync {
  /** Returns the websocket handler for other nodes; undefined when sync is switched off. */
  handler(node: Context & ProxyDeps): SyncHandler | undefined
  /** Starts contacts with peers, once the node listens. */
  begin(): void
  stop(): Promise<void>
}

interface SyncOptions {
  store: Store
  /** Home folder of the node, used for its default name. */
  home: string
  config: Config
  log: Log
  /** Counter of bytes on connections with other nodes. */
  traffic: Traffic
  /** Seconds. */
  now(): number
  newId(): string
  /** Returns random numbers in [0, 1). */
  random(): number
  /** Loads the dependencies of sessions on first use. */
  exchange(): Promise<Exchange>
}

export function createSync({ store, home, config, log, traffic, now, newId, random, exchange }: SyncOptions): NodeSync {
  const name = config.get('sync.name') ?? defaultName(home)
  let known: Identity | undefined
  const identity = async (): Promise<Identity> => (known ??= await makeIdentity(store))
  let exchanging: Promise<Exchange> | undefined
  const exchanged = (): Promise<Exchange> => (exchanging ??= exchange())

  const environment: ConnectionDeps = {
    node: () => known?.node ?? '',
    now,
    random,
    after: (seconds, run) => timers.after(seconds * 1000, run),
    async dial(peer) {
      const signer = await identity()
      const { dial } = await import('./dial.js')
      const channel = await dial(peer.address, { signer, timers, traffic, expected: peer.node })
      await channel.send(purposeMessage({ is: 'session', pairing: peer.pairing }))
      return channel
    },
    start: async (channel, account, peer) => (await exchanged()).start(channel, account, peer),
    refuse: async (channel, reason, message) => {
      await (await exchanged()).refuse(channel, reason, message).catch(() => {})
    },
  }
  const peers = createPeerManager({ store, deps: environment, log })
  const offers = createOffers({ name, identity, now, timers })

  async function paired({ account, name: input }: PairingInput, peer: Peer): Promise<Peer> {
    await peers.added(account, peer.number)
    await peers.firstContact(account, peer.number)
    if (input === undefined || input === peer.name) return peer
    // A conflict of names must not undo a pairing that both nodes have stored.
    const named = await peers.change(account, peer.number, { name: input }).catch(() => undefined)
    return named === undefined ? peer : { ...peer, name: named.name }
  }

  return {
    peers,
    name,
    pairings: createPairings(createMeetings({ store, offers, name, now, timers, traffic }), { newId, paired }),
    async identity() {
      const found = known ?? (await readIdentity(store))
      return found === undefined ? undefined : { node: found.node, fingerprint: found.fingerprint }
    },
    async renewIdentity() {
      const forgotten = await peers.forgetAll()
      known = await renewIdentity(store)
      return { node: known.node, fingerprint: known.fingerprint, forgotten }
    },
    verify: async (account) => (await exchanged()).verify(account),
    conflicts: async (account, limit) => (await exchanged()).conflicts(account, limit),
    handler(node) {
      if (!config.get('sync.active')) return undefined
      return createSyncHandler({
        signer: identity,
        timers,
        traffic,
        addressOf: (request) => clientOf(node, request),
        onSession: (channel, pairing) => peers.answer(channel, pairing),
        onPair: (channel) => offers.answer(channel),
        log,
      })
    },
    begin() {
      if (!config.get('sync.active')) return
      peers.begin().catch((error: unknown) => log.error('failed to read the peers', { error: String(error) }))
    },
    async stop() {
      offers.stop()
      this.pairings.stop()
      await peers.stop()
      await (await exchanging?.catch(() => undefined))?.stop()
    },
  }
}

/** Returns the machine name, preceded by the folder name (`folder@host`) unless the folder has the default name. */
function defaultName(home: string): string {
  const folder = basename(home).replace(/[^\p{L}\p{N}._-]+/gu, '-')
  return (/^\.?coffer$/.test(folder) ? hostname() : `${folder}@${hostname()}`).slice(0, 60)
}

/** Returns the client address of a request, with regard to trusted proxies. */
function clientOf({ proxies }: Context & ProxyDeps, { socket, headers }: IncomingMessage): string {
  const peer = socket.remoteAddress ?? ''
  const forwarded = headers['x-forwarded-for']
  return forwarded === undefined ? peer : proxies.clientOf(peer, String(forwarded))
}

/** Real timers, which do not keep the process alive. */
const timers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
