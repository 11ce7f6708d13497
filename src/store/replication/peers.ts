/**
 * Nodes that an account is paired with. `Peer` is the stored record of one, `Scope` the data that both nodes exchange:
 * the whole account (a mirror), or some streams (a share). `addPeer`, `putPeer` and `removePeer` change records.
 */
import type { Account, Transaction } from '../engine/account.js'
import { each, type Database } from '../engine/database.js'
import { accountKeys, under } from '../engine/keys.js'
import type { RecordReader } from '../engine/recordReader.js'

export type Direction = 'send' | 'receive' | 'both'

/** Scope of the data that two nodes exchange of an account. */
export type Scope =
  /** The whole account. */
  | { is: 'mirror' }
  /** Some streams with all their descendants, events, files and series. `grantor` is the side that decides about the share. */
  | { is: 'share'; streams: readonly string[]; direction: Direction; grantor: 'us' | 'them' }

/** Stored record of a peer: `accountKeys.peer`. */
export interface Peer {
  /** Number within the account, from 1, never reused. */
  number: number
  /** Name chosen by the user; unique in the account. */
  name: string
  /** Id of the pairing on both nodes: 16 random bytes, base64url. */
  pairing: string
  /** Ed25519 public key of the peer, base64url. */
  node: string
  /** Name of the account on the peer at the time of pairing. */
  account?: string
  /** Address to dial, if this node may: `http://…/` or `https://…/`. */
  address?: string
  scope: Scope
  /** Time of the pairing, in seconds. */
  paired: number
  /** True when the exchange is paused. */
  paused?: true
  /** Seconds between contacts; absent for a permanent connection. */
  every?: number
  /** Time at which the peer ended the pairing, in seconds. */
  ended?: number
}

/** Checks whether this side may send data by its scope. */
export const maySend = (scope: Scope): boolean => scope.is === 'mirror' || scope.direction !== 'receive'

/** Checks whether this side may receive data by its scope. */
export const mayReceive = (scope: Scope): boolean => scope.is === 'mirror' || scope.direction !== 'send'

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
export function readPeer(reader: RecordReader, account: string, number: number): Peer | undefined {
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
class TooManyPeers extends Error {}

/** Maximum number of peers of an account. */
const MAX_PEERS = 100

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

const MIRRORED = { send: 'receive', receive: 'send', both: 'both' } as const

/**
 * Returns the scope to adopt from the grantor; undefined when this side is the grantor, or when it would send more data,
 * which requires a new pairing.
 * @param theirs as the other node sees it.
 */
export function acceptScope(mine: Scope, theirs: Scope): Scope | undefined {
  if (mine.is !== 'share' || theirs.is !== 'share') return undefined
  if (mine.grantor !== 'them' || theirs.grantor !== 'us') return undefined
  const direction = MIRRORED[theirs.direction]
  const gives = direction !== 'receive'
  const gave = mine.direction !== 'receive'
  const isWider = theirs.streams.some((stream) => !mine.streams.includes(stream))
  if (gives && (!gave || isWider)) return undefined
  return { is: 'share', streams: theirs.streams, direction, grantor: 'them' }
}
