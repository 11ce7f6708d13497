/**
 * Manages the peers of all accounts of a node (`PeerManager`): their connections, their status, and changes by their owners.
 *
 * Each peer has a connection (peerConnection.ts), which dials on schedule and runs the session; peerConnections.ts opens those
 * of all accounts. contacts.ts records the results, status.ts derives the status that people are shown, statusFeed.ts reports
 * its changes, conflicts.ts lists conflicts and refusals. instances.ts detects two running copies of one home. The records of
 * peers are in store/replication/peers.ts.
 */
import { readUser } from '../../store/accounts/users.js'
import type { Account } from '../../store/engine/account.js'
import { changeIn, type CommittedEntry } from '../../store/engine/journal.js'
import type { Store } from '../../store/index.js'
import { Failure } from '../../store/model/failure.js'
import { putPeer, readPeer, type Peer } from '../../store/replication/peers.js'
import type { Channel } from '../channel/channel.js'
import { feedEntry } from '../digest/feed.js'
import { countAside } from '../session/accountAside.js'
import { compareWith, type ComparisonResult, type CompareOptions } from './compare.js'
import { countRefused, listContacts, putContact, trimContacts, type Contact } from './contacts.js'
import { forgetPeer } from './forget.js'
import type { ConnectionDeps, ConnectionOwner, PeerConnection } from './peerConnection.js'
import { createPeerConnections } from './peerConnections.js'
import { statusOf, type PeerStatus } from './status.js'
import { createStatusFeed } from './statusFeed.js'

/** Seconds to try to notify the peer that the pairing has ended. */
const NOTIFY_DELAY_S = 5
/** Seconds to wait for an unknown pairing: a peer may connect before this node has registered it. */
const RESUME_DELAY_S = 2
const TRIM_EACH = 20
/** Seconds to wait for the first contact after a pairing. */
const FIRST_CONTACT_S = 5

interface PeerManagerOptions {
  store: Store
  deps: ConnectionDeps
  log: { warn(message: string, about?: Record<string, unknown>): void }
}

/** Changes of a peer's settings. `null` removes an option. */
interface PeerChange {
  name?: string
  address?: string | null
  every?: number | null
  paused?: boolean
  scope?: Peer['scope']
}

export interface PeerManager {
  /** Starts contacts with all peers. */
  begin(): Promise<void>
  /** Registers a peer whose record was just written. */
  added(account: Account, number: number): Promise<void>
  /** Resolves at the first contact with a new peer, when an attempt has failed, or after some seconds. */
  firstContact(account: Account, number: number): Promise<void>
  /** Accepts a channel on which another node named a pairing; resolves when its session has ended. */
  answer(channel: Channel, pairing: string): Promise<void>
  /** Returns the statuses of the peers of an account, or of all. Works on a closed store as well. */
  statuses(account?: Account): Promise<PeerStatus[]>
  /** Returns the peer of an account with a name or a pairing id. @throws Failure `unknown-resource` */
  named(account: Account, word: string): Promise<Peer>
  /** Compares digests with the peers of an account, with all, or with one. Results are in the order of `statuses`. */
  compare(which: { account?: Account; number?: number }, how: CompareOptions): Promise<ComparisonResult[]>
  /** Changes a peer. @throws Failure `item-already-exists` when another peer has the name */
  change(account: Account, number: number, change: PeerChange): Promise<PeerStatus>
  /** Ends a pairing; `notified` is true when the peer was notified or has ended the pairing itself. */
  unpair(account: Account, number: number): Promise<{ notified: boolean }>
  /** Removes all peers of all accounts without notifying them: another process may use the pairings. Returns their number. */
  forgetAll(): Promise<number>
  /** Lists contacts with a peer, latest first. */
  history(account: Account, number: number, limit?: number): Promise<Contact[]>
  /** Calls `notify` with each status that changes, of an account or of all. Returns a function that stops. */
  follow(account: string | undefined, notify: (status: PeerStatus) => void): () => void
  stop(): Promise<void>
}

export function createPeerManager({ store, deps, log }: PeerManagerOptions): PeerManager {
  let contacts = 0
  let beginning: Promise<void> | undefined
  let isOver = false

  const owner: ConnectionOwner = {
    changed: (link) => feed.changed(link),
    contact(link, contact) {
      const { account, peer } = link
      store.note(account, (t) => {
        if (readPeer(t, account.prefix, peer.number) !== undefined) putContact(t, peer.number, contact)
      })
      contacts += 1
      if (contacts % TRIM_EACH === 1) void trimContacts(account, peer.number).catch(() => {})
    },
    endedByPeer(link) {
      void save(link, { ended: link.peer.ended ?? deps.now() }).catch((error: unknown) => {
        log.warn('the end of a pairing by a peer could not be recorded', { error: String(error) })
      })
    },
    copied({ peer: { name } }, ownerName) {
      const [message, about] =
        ownerName === 'theirs'
          ? ['two live processes have the identity of a peer: two copies of its home are running', { peer: name }]
          : ['two live processes have the identity of this node: two copies of this home are running', { seenBy: name, next: 'coffer sync new-identity' }]
      log.warn(message, about)
    },
    rescoped(link, scope) {
      void save(link, { scope }).catch((error: unknown) => {
        log.warn('the new scope of a peer could not be recorded', { error: String(error) })
      })
    },
  }
  const links = createPeerConnections(store, deps, owner)
  const feed = createStatusFeed(deps, async (link) => (links.has(link) ? statusFor(link) : undefined))

  async function statusFor({ account, peer, session, remembered, copiedAt }: PeerConnection): Promise<PeerStatus> {
    const refused = await countRefused(account, peer.number)
    const user = readUser(store.db, account.prefix)?.username ?? ''
    const live = session === undefined ? {} : { live: session.status() }
    return statusOf(peer, { user, now: deps.now(), ...live, remembered, wanted: account.wanted, refused, putAside: countAside(account, peer.number), copiedAt })
  }

  /** Writes changed properties of a peer and updates its connection. */
  async function save(link: PeerConnection, different: Partial<Peer>, gone: readonly (keyof Peer)[] = []): Promise<void> {
    const { account } = link
    const saved = await account.write((t) => {
      const stored = readPeer(t, account.prefix, link.peer.number)
      if (stored === undefined) throw new Failure('unknown-resource', 'There is no such peer.')
      const left = Object.entries({ ...stored, ...different }).filter(([name]) => !gone.some((each) => each === name))
      // Only optional properties are removed.
      const next = Object.fromEntries(left) as unknown as Peer
      putPeer(t, next)
      return next
    })
    await link.update(saved)
  }

  const leave = store.follow((entries) => {
    for (const entry of entries) {
      const { kind, action, account, origin } = entry
      const present = links.loaded(account)
      if (present.length > 0 && concernsPeers(entry)) for (const link of present) link.countEntry(origin)
      if (kind !== 'user' || action !== 'delete') continue
      for (const link of present) {
        links.drop(link)
        void link.close('unpaired', 'The account was deleted on the other node.')
      }
    }
  })

  /** Returns the connection of a pairing, if it belongs to that node. */
  const pairedWith = (node: string, pairing: string): PeerConnection | undefined => {
    const link = links.byPairing(pairing)
    return link?.peer.node === node ? link : undefined
  }

  return {
    begin() {
      beginning ??= (async () => {
        for (const link of await links.select({})) if (!isOver) link.begin()
      })()
      return beginning
    },
    async added(account, number) {
      const peer = readPeer(store.db, account.prefix, number)
      if (peer === undefined || isOver) return
      const link = await links.add(account, peer)
      if (beginning !== undefined) link.begin()
      owner.changed(link)
    },
    async firstContact(account, number) {
      if (beginning !== undefined) await (await links.get(account, number)).firstContact(FIRST_CONTACT_S)
    },
    async answer(channel, pairing) {
      await beginning
      if (isOver || beginning === undefined) return deps.refuse(channel, 'closed', 'The node is not ready.')
      if (pairedWith(channel.node, pairing) === undefined) await later(deps, RESUME_DELAY_S)
      const link = pairedWith(channel.node, pairing)
      if (link === undefined) return deps.refuse(channel, 'unknown-pairing', 'The other node does not know this pairing: end it here with coffer sync unpair, and pair again.')
      await (await link.accept(channel, 'them'))?.ended
    },
    async statuses(account) {
      return Promise.all((await links.select(account === undefined ? {} : { account })).map(statusFor))
    },
    async named(account, word) {
      const peers = [...(await links.of(account)).values()].map(({ peer }) => peer)
      const found = peers.find(({ name }) => name === word) ?? peers.find(({ pairing }) => pairing === word)
      if (found === undefined) throw new Failure('unknown-resource', `There is no peer "${word}".`)
      return found
    },
    async compare(which, how) {
      return Promise.all((await links.select(which)).map((link) => compareWith(deps, link, how, () => statusFor(link))))
    },
    async change(account, number, { name, address, every, paused, scope }) {
      const link = await links.get(account, number)
      const different: Partial<Peer> = {}
      const gone: (keyof Peer)[] = []
      if (name !== undefined) {
        const isTaken = [...(await links.of(account)).values()].some(({ peer }) => peer.name === name && peer.number !== number)
        if (isTaken) throw new Failure('item-already-exists', `A peer "${name}" already exists.`, { name })
        different.name = name
      }
      if (address === null) gone.push('address')
      else if (address !== undefined) different.address = address
      if (every === null) gone.push('every')
      else if (every !== undefined) different.every = every
      if (paused === false) gone.push('paused')
      else if (paused === true) different.paused = true
      if (scope !== undefined) different.scope = scope
      await save(link, different, gone)
      return statusFor(link)
    },
    async unpair(account, number) {
      const link = await links.get(account, number)
      const notified = link.peer.ended !== undefined || (await notifyUnpaired(deps, link))
      links.drop(link)
      await Promise.race([link.close('unpaired', ENDED), later(deps, NOTIFY_DELAY_S)])
      await forgetPeer(account, number, deps.now())
      return { notified }
    },
    async forgetAll() {
      const all = await links.select({})
      for (const link of all) {
        links.drop(link)
        await Promise.race([link.close('closed', 'The node is changing its identity.'), later(deps, NOTIFY_DELAY_S)])
        await forgetPeer(link.account, link.peer.number, deps.now())
      }
      return all.length
    },
    history: (account, number, limit) => listContacts(account, number, limit),
    follow: (account, notify) => feed.follow(account, notify),
    async stop() {
      isOver = true
      leave()
      await Promise.all(links.loaded().map((link) => link.close('closed', 'The other node is stopping.')))
    },
  }
}

/** Checks whether a journal entry is replicated to peers. */
const concernsPeers = (entry: CommittedEntry): boolean => feedEntry(entry, changeIn(entry.bytes)) !== undefined

const ENDED = 'The pairing was ended on the other node.'

/** Notifies the peer in a session that the pairing has ended; returns whether that succeeded. */
async function notifyUnpaired(deps: ConnectionDeps, link: PeerConnection): Promise<boolean> {
  await Promise.race([link.connect(), later(deps, NOTIFY_DELAY_S)])
  const { session } = link
  if (session === undefined) return false
  const ended = session.ended.then(({ reason, byPeer }) => reason === 'unpaired' && !byPeer)
  void link.close('unpaired', ENDED)
  return Promise.race([ended, later(deps, NOTIFY_DELAY_S).then(() => false)])
}

const later = (deps: ConnectionDeps, seconds: number): Promise<void> =>
  new Promise((resolve) => void deps.after(seconds, () => resolve()))
