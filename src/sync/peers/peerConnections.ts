/** Connections of a node, by account and by pairing. Those of an account are created on first use. */
import { listUsernames } from '../../store/accounts/users.js'
import type { Account } from '../../store/engine/account.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import type { Store } from '../../store/index.js'
import { Failure } from '../../store/model/failure.js'
import { listPeers, type Peer } from '../../store/replication/peers.js'
import { peerStatsOf } from './contacts.js'
import { PeerConnection, type ConnectionDeps, type ConnectionOwner } from './peerConnection.js'

interface PeerConnections {
  of(account: Account): Promise<Map<number, PeerConnection>>
  /** Returns the connection of a peer. @throws Failure `unknown-resource` */
  get(account: Account, number: number): Promise<PeerConnection>
  /** Returns the connections of an account, of all accounts, or one. */
  select(which: { account?: Account; number?: number }): Promise<PeerConnection[]>
  /** Returns the connections in memory. */
  loaded(account?: string): PeerConnection[]
  /** Returns the connection of a pairing among those in memory. */
  byPairing(pairing: string): PeerConnection | undefined
  add(account: Account, peer: Peer): Promise<PeerConnection>
  has(link: PeerConnection): boolean
  drop(link: PeerConnection): void
}

export function createPeerConnections(store: Store, deps: ConnectionDeps, owner: ConnectionOwner): PeerConnections {
  const links = new Map<string, Map<number, PeerConnection>>()
  const loading = new Map<string, Promise<Map<number, PeerConnection>>>()
  const pairings = new Map<string, PeerConnection>()

  function of(account: Account): Promise<Map<number, PeerConnection>> {
    const known = links.get(account.prefix)
    if (known !== undefined) return Promise.resolve(known)
    let reading = loading.get(account.prefix)
    if (reading === undefined) {
      reading = load(account).finally(() => loading.delete(account.prefix))
      loading.set(account.prefix, reading)
    }
    return reading
  }

  async function load(account: Account): Promise<Map<number, PeerConnection>> {
    const found = new Map<number, PeerConnection>()
    for (const peer of await listPeers(account.db, account.prefix)) found.set(peer.number, await linkTo(account, peer))
    links.set(account.prefix, found)
    return found
  }

  async function linkTo(account: Account, peer: Peer): Promise<PeerConnection> {
    const link = new PeerConnection(deps, owner, account, peer, await peerStatsOf(account, peer.number))
    pairings.set(peer.pairing, link)
    return link
  }

  async function one(account: Account, number: number): Promise<PeerConnection> {
    const link = (await of(account)).get(number)
    if (link === undefined) throw new Failure('unknown-resource', 'There is no such peer.')
    return link
  }

  async function accountsWithPeers(): Promise<Account[]> {
    const found = []
    for (const { account: prefix } of await listUsernames(store.db)) {
      const source = store.db.keys(under(accountKeys.peers(prefix)), { limit: 1 })
      const [key] = await source.next(1)
      await source.close()
      if (key !== undefined) found.push(await store.account(prefix))
    }
    return found
  }

  return {
    of,
    get: one,
    async select({ account, number }) {
      if (account !== undefined && number !== undefined) return [await one(account, number)]
      const all: PeerConnection[] = []
      for (const each of account === undefined ? await accountsWithPeers() : [account]) all.push(...(await of(each)).values())
      return all
    },
    loaded: (account) =>
      [...links].flatMap(([prefix, found]) => (account === undefined || account === prefix ? [...found.values()] : [])),
    byPairing: (pairing) => pairings.get(pairing),
    async add(account, peer) {
      const all = await of(account)
      const known = all.get(peer.number)
      if (known !== undefined) return known
      const link = await linkTo(account, peer)
      all.set(peer.number, link)
      return link
    },
    has: (link) => links.get(link.account.prefix)?.get(link.peer.number) === link,
    drop(link) {
      links.get(link.account.prefix)?.delete(link.peer.number)
      if (pairings.get(link.peer.pairing) === link) pairings.delete(link.peer.pairing)
    },
  }
}
