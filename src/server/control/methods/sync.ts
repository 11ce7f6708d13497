/** Operator methods for sync peers: status, changes, comparison and history. */
import * as z from 'zod'
import type { Account } from '../../../store/engine/account.js'
import { Failure } from '../../../store/model/failure.js'
import { listUsernames } from '../../../store/accounts/users.js'
import type { PeerStatus } from '../../../sync/peers/status.js'
import type { Peer, Scope } from '../../../store/replication/peers.js'
import type { Node } from '../../index.js'
import { conflictsOf, type ConflictList } from '../../sync/conflictsOf.js'
import { PeerName, readAddress, sharedStreams } from '../../sync/rules.js'
import { ConflictsView, ContactView as Contact, PeerView, userName as user } from '../../sync/views.js'
import { operatorMethod } from '../operatorMethod.js'
import { loadedOf, OfAccount } from './loaded.js'

const COMPARE_S = 600
const MAX_LISTED = 1000
const MAX_CONTACTS = 20

/** Result of a comparison with a peer. */
const Compared = z.object({
  ...PeerView.pick({ id: true, name: true, user: true, state: true, reason: true }).shape,
  sent: z.number().describe('Items sent meanwhile.'),
  received: z.number().describe('Items received meanwhile.'),
})

const peerName = z.string().describe('Name or id of the peer.')

/** Selects peers: of one account or of all, one of them or all. */
const Which = z.strictObject({ username: OfAccount.username.optional(), peer: peerName.optional() })
const One = z.strictObject({ ...OfAccount, peer: peerName })
const Comparing = Which.extend({ seconds: z.number().positive().max(86_400).default(COMPARE_S).describe('Maximum duration in seconds.') })
const ScopeChange = {
  streams: z.array(z.string()).min(1).optional().describe('Streams to share.'),
  direction: z.enum(['send', 'receive', 'both']).optional().describe('Direction of the share.'),
}
const limit = z.number().int().min(1).max(10_000)
const Peers = z.object({ peers: z.array(PeerView).describe('The peers.') })

interface SelectedAccount {
  account: Account
  username: string
  peer?: Peer
}

/** Returns the selected accounts, and the peer if one is named. */
async function selectAccounts(node: Node, { username, peer }: Readonly<{ username?: string | undefined; peer?: string | undefined }>): Promise<SelectedAccount[]> {
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
async function changeEach(node: Node, which: z.output<typeof Which>, paused: boolean): Promise<{ peers: PeerStatus[] }> {
  const { peers } = node.sync
  const changed = []
  for (const { account, peer } of await selectAccounts(node, which)) {
    const all = peer === undefined ? await peers.statuses(account) : [{ id: peer.pairing }]
    for (const { id: pairing } of all) changed.push(await peers.change(account, (await peers.named(account, pairing)).number, { paused }))
  }
  return { peers: changed }
}

/** Returns the scope with the requested changes. Only the grantor of a share may change it. */
function changedScope(account: Account, { scope }: Peer, { streams, direction }: z.output<z.ZodObject<typeof ScopeChange>>): Scope {
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

const peers = operatorMethod({
  id: 'sync.peers',
  summary: 'Returns the status of peers, of one account or of all.',
  input: Which,
  output: () => Peers.extend({
    node: z.string().optional().describe('Public key of this node, base64url; absent if it was never paired.'),
    fingerprint: z.string().optional().describe('Fingerprint of the public key.'),
  }),
  fails: ['unknown-user', 'unknown-resource'],
  async run({ node }, { username, peer }) {
    const account = username === undefined ? undefined : (await loadedOf(node, { username })).account
    const all = await node.sync.peers.statuses(account)
    const found = peer === undefined ? all : all.filter((one) => one.name === peer || one.id === peer)
    if (peer !== undefined && found.length === 0) throw new Failure('unknown-resource', `There is no peer "${peer}".`)
    const identity = await node.sync.identity()
    return { peers: found, ...(identity === undefined ? {} : { node: identity.node, fingerprint: identity.fingerprint }) }
  },
})

const now = operatorMethod({
  id: 'sync.now',
  summary: 'Connects to peers and compares with them; returns when done.',
  input: Comparing.extend({ deep: z.boolean().default(false).describe('true: both nodes recompute their digests first.') }),
  output: () => z.object({ peers: z.array(Compared).describe('The comparisons.') }),
  fails: ['unknown-user', 'unknown-resource', 'invalid-operation'],
  async run({ node }, { deep, seconds, ...which }) {
    const comparisons = (await selectAccounts(node, which)).map(({ account, peer }) =>
      node.sync.peers.compare({ account, ...(peer === undefined ? {} : { number: peer.number }) }, { deep, seconds }),
    )
    return { peers: (await Promise.all(comparisons)).flat() }
  },
})

const verify = operatorMethod({
  id: 'sync.verify',
  summary: 'Recomputes the digests from the items on both sides, and compares.',
  input: Comparing,
  output: () => z.object({
    accounts: z.array(z.object({
      user,
      sound: z.boolean().describe('true when the digests were correct.'),
      items: z.number().describe('Number of items.'),
    })).describe('The accounts.'),
    peers: z.array(Compared).describe('The comparisons.'),
  }),
  fails: ['unknown-user', 'unknown-resource', 'invalid-operation'],
  async run({ node }, { seconds, ...which }) {
    const accounts = []
    const compared = []
    for (const { account, username, peer } of await selectAccounts(node, which)) {
      if (peer === undefined && (await node.sync.peers.statuses(account)).length === 0) continue
      accounts.push({ user: username, ...(await node.sync.verify(account)) })
      const of = { account, ...(peer === undefined ? {} : { number: peer.number }) }
      compared.push(...(await node.sync.peers.compare(of, { deep: true, seconds })))
    }
    return { accounts, peers: compared }
  },
})

const pause = operatorMethod({
  id: 'sync.pause',
  summary: 'Pauses the exchange with peers.',
  input: Which,
  output: () => Peers,
  fails: ['unknown-user', 'unknown-resource', 'invalid-operation'],
  run: ({ node }, which) => changeEach(node, which, true),
})

const resume = operatorMethod({
  id: 'sync.resume',
  summary: 'Resumes the exchange with peers.',
  input: Which,
  output: () => Peers,
  fails: ['unknown-user', 'unknown-resource', 'invalid-operation'],
  run: ({ node }, which) => changeEach(node, which, false),
})

const set = operatorMethod({
  id: 'sync.set',
  summary: 'Changes a peer.',
  input: One.extend({
    name: PeerName.optional().describe('New name.'),
    address: z.string().nullable().optional().describe('New address; null for none.'),
    every: z.number().min(1).max(31_536_000).nullable().optional().describe('Seconds between contacts; null for a permanent connection.'),
    ...ScopeChange,
  }),
  output: () => z.object({ peer: PeerView.describe('The peer.') }),
  fails: ['unknown-user', 'unknown-resource', 'invalid-operation'],
  async run({ node }, input) {
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
})

const unpair = operatorMethod({
  id: 'sync.unpair',
  summary: 'Ends the pairing with a peer.',
  input: One,
  output: () => z.object({
    unpaired: z.object({
      id: PeerView.shape.id,
      name: PeerView.shape.name,
      notified: z.boolean().describe('true when the peer was notified.'),
    }).describe('The peer.'),
  }),
  fails: ['unknown-user', 'unknown-resource'],
  async run({ node }, { username, peer: word }) {
    const { account } = await loadedOf(node, { username })
    const peer = await node.sync.peers.named(account, word)
    const { notified } = await node.sync.peers.unpair(account, peer.number)
    return { unpaired: { id: peer.pairing, name: peer.name, notified } }
  },
})

const renewIdentity = operatorMethod({
  id: 'sync.renewIdentity',
  summary: 'Gives a copied home its own node identity; ends all its pairings.',
  input: z.strictObject({}),
  output: () => z.object({
    node: z.string().describe('New public key, base64url.'),
    fingerprint: z.string().describe('Fingerprint of the public key.'),
    forgotten: z.number().describe('Number of pairings that ended.'),
  }),
  fails: [],
  run: ({ node }) => node.sync.renewIdentity(),
})

const history = operatorMethod({
  id: 'sync.history',
  summary: 'Lists contacts with peers, the latest first.',
  input: Which.extend({ limit: limit.default(MAX_CONTACTS).describe('Maximum number of contacts.') }),
  output: () => z.object({ contacts: z.array(Contact).describe('The contacts.') }),
  fails: ['unknown-user', 'unknown-resource', 'invalid-operation'],
  async run({ node }, { limit: max, ...which }) {
    const contacts = []
    for (const { account, username, peer } of await selectAccounts(node, which)) {
      const ids = peer === undefined ? (await node.sync.peers.statuses(account)).map((one) => one.id) : [peer.pairing]
      for (const pairing of ids) {
        const { number, name } = await node.sync.peers.named(account, pairing)
        for (const contact of await node.sync.peers.history(account, number, max)) {
          contacts.push({ peer: name, user: username, ...contact })
        }
      }
    }
    contacts.sort((a, b) => b.began - a.began)
    return { contacts: contacts.slice(0, max) }
  },
})

const conflicts = operatorMethod({
  id: 'sync.conflicts',
  summary: 'Lists conflicting edits, refused changes and repaired streams, of one account or of all.',
  input: z.strictObject({ username: OfAccount.username.optional(), limit: limit.default(MAX_LISTED).describe('Maximum number of each, by account.') }),
  output: () => ConflictsView,
  fails: ['unknown-user'],
  async run({ node }, { limit: max, username }) {
    const all: ConflictList = { conflicts: [], refused: [], renamed: [], putAside: [] }
    for (const { account, username: owner } of await selectAccounts(node, { username })) {
      const found = await conflictsOf(node.sync, account, owner, max)
      all.conflicts.push(...found.conflicts)
      all.refused.push(...found.refused)
      all.renamed.push(...found.renamed)
      all.putAside.push(...found.putAside)
    }
    return all
  },
})

export const syncMethods = [peers, now, verify, pause, resume, set, unpair, renewIdentity, history, conflicts] as const
