/** The records of the nodes that an account is paired with. */
import type { Account, Transaction } from '../../store/engine/account.js'
import { each, type Database } from '../../store/engine/database.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import type { Peer } from './peer.js'

/** Peers of an account in the order of their numbers. */
export async function listPeers(db: Database, account: string): Promise<Peer[]> {
  const peers: Peer[] = []
  const counter = accountKeys.peer(account, 0)
  for await (const [key, text] of each(db.entries(under(accountKeys.peers(account))))) {
    if (key !== counter) peers.push(JSON.parse(text) as Peer)
  }
  return peers.sort((a, b) => a.number - b.number)
}

/** The peers that have a copy of the whole account. */
export async function listMirrors(db: Database, account: string): Promise<Peer[]> {
  return (await listPeers(db, account)).filter(({ scope }) => scope.is === 'mirror')
}

/** A peer by its number; undefined when there is none. Reads from the database, or what a transaction sees. */
export function readPeer(reader: { get(key: string): string | undefined }, account: string, number: number): Peer | undefined {
  // The counter is kept under 0.
  const text = number > 0 ? reader.get(accountKeys.peer(account, number)) : undefined
  return text === undefined ? undefined : (JSON.parse(text) as Peer)
}

/** The peer of a pairing; undefined when the account has none. */
export async function peerOfPairing(db: Database, account: string, pairing: string): Promise<Peer | undefined> {
  return (await listPeers(db, account)).find((peer) => peer.pairing === pairing)
}

/** Stages a peer that is there already, changed; it is on disk when the transaction is. */
export function putPeer(t: Transaction, peer: Peer): void {
  t.put(accountKeys.peer(t.account, peer.number), JSON.stringify(peer))
  t.sync()
}

/** Stages the removal of a peer's record. Its positions, debts and notes are others' to remove. */
export function removePeer(t: Transaction, number: number): void {
  t.delete(accountKeys.peer(t.account, number))
  t.sync()
}

/** Thrown when an account has as many peers as it may. */
export class TooManyPeers extends Error {}

/** How many nodes an account may be paired with. */
export const MAX_PEERS = 100

/**
 * Adds a peer to an account; on disk when it resolves. Its number is the next one. Its name gets a suffix when another
 * peer has it: `laptop (2)`. Rejects with TooManyPeers.
 */
export function addPeer(account: Account, made: Omit<Peer, 'number'>): Promise<Peer> {
  const { prefix } = account
  // Names are compared across the range, which nobody else may change meanwhile.
  return account.exclusively(async (write) => {
    const others = await listPeers(account.db, prefix)
    if (others.length >= MAX_PEERS) throw new TooManyPeers(`An account is paired with at most ${MAX_PEERS} nodes.`)
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
