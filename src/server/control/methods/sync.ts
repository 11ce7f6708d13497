/** Operator methods for sync peers: status, changes, comparison and history. */
import * as z from 'zod'
import type { Account } from '../../../store/engine/account.js'
import { Failure } from '../../../store/model/failure.js'
import { parseInput } from '../../../store/model/validation.js'
import { listUsernames } from '../../../store/accounts/users.js'
import type { Peer, Scope } from '../../../store/replication/peers.js'
import type { NodeMethod } from '../control.js'
import type { Node } from '../../node.js'
import { PeerName, readAddress, sharedStreams } from '../../sync/rules.js'
import { loadedOf } from './loaded.js'

/** Selects peers: of one account or of all, one of them or all. */
const Which = z.object({ username: z.string().optional(), peer: z.string().optional() })
const One = z.object({ username: z.string(), peer: z.string() })
const Comparing = Which.extend({ deep: z.boolean().optional(), seconds: z.number().positive().max(86_400).optional() })
const Changed = One.extend({
  name: PeerName.optional(),
  address: z.string().nullable().optional(),
  /** Seconds; null: always connected. */
  every: z.number().min(1).max(31_536_000).nullable().optional(),
  streams: z.array(z.string()).min(1).optional(),
  direction: z.enum(['send', 'receive', 'both']).optional(),
})
const Listing = Which.extend({ limit: z.number().int().min(1).max(10_000).optional() })

const COMPARE_S = 600
const MAX_LISTED = 1000
const MAX_CONTACTS = 20

interface SelectedAccount {
  account: Account
  username: string
  peer?: Peer
}

/** Returns the selected accounts, and the peer if one is named. */
async function chosen(node: Node, { username, peer }: z.output<typeof Which>): Promise<SelectedAccount[]> {
  if (username !== undefined) {
    const { account, user } = await loadedOf(node, { username })
    return [{ account, username: user.username, ...(peer === undefined ? {} : { peer: await node.sync.peers.named(account, peer) }) }]
  }
  const all: SelectedAccount[] = []
  for (const { username: name, account: prefix } of await listUsernames(node.store.db)) {
    const account = await node.store.account(prefix)
    if (peer === undefined) all.push({ account, username: name })
    else {
      const found = await node.sync.peers.named(account, peer).catch(() => undefined)
      if (found !== undefined) all.push({ account, username: name, peer: found })
    }
  }
  if (peer === undefined || all.length === 1) return all
  if (all.length === 0) throw new Failure('unknown-resource', `There is no peer "${peer}".`)
  throw new Failure('invalid-operation', `Several accounts have a peer "${peer}". Pass --user to select one.`)
}

/** Pauses or resumes each selected peer. */
async function changeEach(node: Node, params: Record<string, unknown>, paused: boolean): Promise<{ peers: unknown[] }> {
  const { peers } = node.sync
  const changed = []
  for (const { account, peer } of await chosen(node, parseInput(Which, params))) {
    const all = peer === undefined ? await peers.statuses(account) : [{ id: peer.pairing }]
    for (const { id } of all) changed.push(await peers.change(account, (await peers.named(account, id)).number, { paused }))
  }
  return { peers: changed }
}

/** Returns the scope with the requested changes. Only the grantor of a share may change it. */
function changedScope(account: Account, { scope }: Peer, { streams, direction }: z.output<typeof Changed>): Scope {
  if (scope.is === 'mirror') {
    const next = 'Remove it with coffer sync unpair, then pair again with --share.'
    throw new Failure('invalid-operation', `This peer mirrors the whole account; its scope cannot be narrowed. ${next}`)
  }
  if (scope.grantor === 'them') {
    throw new Failure('invalid-operation', 'The other node grants this share. Change it on that node.')
  }
  return {
    ...scope,
    ...(streams === undefined ? {} : { streams: sharedStreams(account, streams) }),
    ...(direction === undefined ? {} : { direction }),
  }
}

export const syncMethods: Readonly<Record<string, NodeMethod>> = {
  /** Returns the status of peers, of one account or of all. */
  async 'sync.peers'(node, params) {
    const { username, peer } = parseInput(Which, params)
    const account = username === undefined ? undefined : (await loadedOf(node, { username })).account
    const all = await node.sync.peers.statuses(account)
    const found = peer === undefined ? all : all.filter(({ name, id }) => name === peer || id === peer)
    if (peer !== undefined && found.length === 0) throw new Failure('unknown-resource', `There is no peer "${peer}".`)
    const identity = await node.sync.identity()
    return { peers: found, ...(identity === undefined ? {} : { node: identity.node, fingerprint: identity.fingerprint }) }
  },
  /** Connects to peers and compares with them; resolves when done, or after `seconds`. */
  async 'sync.now'(node, params) {
    const { deep, seconds = COMPARE_S, ...which } = parseInput(Comparing, params)
    const how = { seconds, ...(deep === undefined ? {} : { deep }) }
    const input = (await chosen(node, which)).map(({ account, peer }) =>
      node.sync.peers.compare({ account, ...(peer === undefined ? {} : { number: peer.number }) }, how),
    )
    return { peers: (await Promise.all(input)).flat() }
  },
  /** Recomputes the digests from the items on both sides, and compares. */
  async 'sync.verify'(node, params) {
    const { seconds = COMPARE_S, ...which } = parseInput(Comparing, params)
    const accounts = []
    const peers = []
    for (const { account, username, peer } of await chosen(node, which)) {
      if (peer === undefined && (await node.sync.peers.statuses(account)).length === 0) continue
      accounts.push({ user: username, ...(await node.sync.verify(account)) })
      const of = { account, ...(peer === undefined ? {} : { number: peer.number }) }
      peers.push(...(await node.sync.peers.compare(of, { deep: true, seconds })))
    }
    return { accounts, peers }
  },
  'sync.pause': (node, params) => changeEach(node, params, true),
  'sync.resume': (node, params) => changeEach(node, params, false),
  async 'sync.set'(node, params) {
    const input = parseInput(Changed, params)
    const { account } = await loadedOf(node, input)
    const peer = await node.sync.peers.named(account, input.peer)
    const { name, address, every } = input
    const isScope = input.streams !== undefined || input.direction !== undefined
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(address === undefined ? {} : { address: address === null ? null : readAddress(address) }),
      ...(every === undefined ? {} : { every }),
      ...(isScope ? { scope: changedScope(account, peer, input) } : {}),
    }
    return { peer: await node.sync.peers.change(account, peer.number, change) }
  },
  async 'sync.unpair'(node, params) {
    const { username, peer: word } = parseInput(One, params)
    const { account } = await loadedOf(node, { username })
    const peer = await node.sync.peers.named(account, word)
    const { notified: described } = await node.sync.peers.unpair(account, peer.number)
    return { unpaired: { id: peer.pairing, name: peer.name, notified: described } }
  },
  /** Gives a copied home its own node identity. */
  async 'sync.renewIdentity'(node) {
    return node.sync.renewIdentity()
  },
  async 'sync.history'(node, params) {
    const { limit = MAX_CONTACTS, ...which } = parseInput(Listing, params)
    const contacts = []
    for (const { account, username, peer } of await chosen(node, which)) {
      const ids = peer === undefined ? (await node.sync.peers.statuses(account)).map(({ id }) => id) : [peer.pairing]
      for (const id of ids) {
        const { number, name } = await node.sync.peers.named(account, id)
        for (const contact of await node.sync.peers.history(account, number, limit)) {
          contacts.push({ peer: name, user: username, ...contact })
        }
      }
    }
    contacts.sort((a, b) => b.began - a.began)
    return { contacts: contacts.slice(0, limit) }
  },
  async 'sync.conflicts'(node, params) {
    const { limit = MAX_LISTED, username } = parseInput(Listing, params)
    const conflicts = []
    const refused = []
    const renamed = []
    const putAside = []
    for (const { account, username: user } of await chosen(node, username === undefined ? {} : { username })) {
      const names = new Map<number, string>()
      for (const { id, name } of await node.sync.peers.statuses(account)) {
        names.set((await node.sync.peers.named(account, id)).number, name)
      }
      const met = await node.sync.conflicts(account, limit)
      conflicts.push(...met.conflicts.map((each) => ({ user, ...each })))
      refused.push(...met.refused.map(({ peer, ...each }) => ({ user, peer: names.get(peer) ?? String(peer), ...each })))
      putAside.push(...met.putAside.map(({ peer, ...each }) => ({ user, peer: names.get(peer) ?? String(peer), ...each })))
      renamed.push(...met.repaired.map((each) => ({ user, ...each })))
    }
    return { conflicts, refused, renamed, putAside }
  },
}
