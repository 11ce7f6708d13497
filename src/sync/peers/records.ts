/** Stored records of the nodes that an account is paired with. */
import type { Account, Transaction } from '../../store/engine/account.js'
import { each, type Database } from '../../store/engine/database.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import type { Peer } from './peer.js'

/** Lists the peers of an account in the order of their numbers. */
export async function listPeers(db: Database, account: string): Promise<Peer[]> {
  const peers: Peer[] = []
  const counter = accountKeys.peer(account, 0)
  for await (const [key, text] of each(db.entries(under(accountKeys.peers(account))))) {
    if (key !== counter) peers.push(JSON.parse(text) as Peer)
  }
  return peers.sort((a, b) => a.number - b.number)
}

/** Lists the peers that have a copy of the whole account. */
export async function listMirrors(db: Database, account: string): Promise<Peer[]> {
  return (await listPeers(db, account)).filter(({ scope }) => scope.is === 'mirror')
}

/** Returns a peer by its number; undefined when there is none. Reads from the database or a transaction. */
export function readPeer(reader: { get(key: string): string | undefined }, account: string, number: number): Peer | undefined {
  // Number 0 holds the counter.
  const text = number > 0 ? reader.get(accountKeys.peer(account, number)) : undefined
  return text === undefined ? undefined : (JSON.parse(text) as Peer)
}

/** Returns the peer of a pairing; undefined when the account has none. */
export async function peerOfPairing(db: Database, account: string, pairing: string): Promise<Peer | undefined> {
  return (await listPeers(db, account)).find((peer) => peer.pairing === pairing)
}

/** Stages a changed record of an existing peer. */
export function putPeer(t: Transaction, peer: Peer): void {
  t.put(accountKeys.peer(t.account, peer.number), JSON.stringify(peer))
  t.sync()
}

/** Stages the removal of a peer's record only; callers remove its position, pending requests and other data. */
export function removePeer(t: Transaction, number: number): void {
  t.delete(accountKeys.peer(t.account, number))
  t.sync()
}

/** Error for an account with the maximum number of peers. */
export class TooManyPeers extends Error {}

/** Maximum number of peers of an account. */
export const MAX_PEERS = 100

/**
 * Adds a peer to an account with the next number; on disk when it resolves. A name that another peer has gets a suffix:
 * `laptop (2)`.
 * @throws TooManyPeers
 */
export function addPeer(account: Account, made: Omit<Peer, 'number'>): Promise<Peer> {
  const { prefix } = account
  // Exclusive, since names are compared across all peers.
  return account.exclusively(async (write) => {
    const others = await listPeers(account.db, prefix)
    if (others.length >= MAX_PEERS) throw new TooManyPeers(`An account can be paired with at most ${MAX_PEERS} nodes.`)
    return write((t) => {
      const counter = t.get(accountKeys.peer(prefix, 0))
      const last = counter === undefined ? 0 : (JSON.parse(counter) as { last: number }).last
      const peer: Peer = { number: last + 1, ...made, name: freeName(made.name, others) }
      t.put(accountKeys.peer(prefix, 0), JSON.stringify({ last: peer.number }))
      putPeer(t, peer)
      return peer
    })
  })
}

function freeName(wanted: string, others: readonly Peer[]): string {
  const taken = new Set(others.map(({ name }) => name))
  let name = wanted
  for (let n = 2; taken.has(name); n++) name = `${wanted} (${n})`
  return name
}
