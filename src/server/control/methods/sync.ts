/** Operator methods for sync peers: status, changes, comparison and history. */
import * as z from 'zod'
import type { Account } from '../../../store/engine/account.js'
import { Failure } from '../../../store/model/failure.js'
import { listUsernames } from '../../../store/accounts/users.js'
import type { PeerStatus } from '../../../sync/peers/status.js'
import type { Peer, Scope } from '../../../store/replication/peers.js'
import type { Node } from '../../index.js'
import { PeerName, readAddress, sharedStreams } from '../../sync/rules.js'
import { operatorMethod } from '../operatorMethod.js'
import { loadedOf, OfAccount } from './loaded.js'

const COMPARE_S = 600
const MAX_LISTED = 1000
const MAX_CONTACTS = 20

export const PeerView = z.object({
  id: z.string().describe('Id of the pairing, equal on both nodes.'),
  name: z.string().describe('Name of the peer.'),
  user: z.string().describe('User name of the account.'),
  state: z.enum(['in-sync', 'syncing', 'behind', 'offline', 'refused']).describe('State of the exchange.'),
  behind: z.number().nullable().describe('Entries to receive; null when unknown.'),
  ahead: z.number().nullable().describe('Entries that the peer has not acknowledged; null when unknown.'),
  lastContact: z.number().nullable().describe('Last contact, in seconds since 1970; null for none.'),
  scope: z.enum(['mirror', 'share']).describe('mirror: the whole account; share: some streams.'),
  streams: z.array(z.string()).optional().describe('Shared streams.'),
  direction: z.enum(['send', 'receive', 'both']).optional().describe('Direction of a share.'),
  grantor: z.enum(['us', 'them']).optional().describe('Side that decides what is shared.'),
  inSyncAt: z.number().optional().describe('Last comparison with equal digests, in seconds since 1970.'),
  reason: z.string().optional().describe('Reason for being refused or offline.'),
  filesPending: z.number().describe('Bytes of files to receive.'),
  filesPendingCount: z.number().describe('Number of files to receive.'),
  filesMissing: z.number().describe('Number of files that both nodes lack.'),
  filesMissingBytes: z.number().describe('Bytes of files that both nodes lack.'),
  filesPendingThere: z.number().describe('Files that the peer has to receive.'),
  filesMissingThere: z.number().describe('Files that the peer lacks, as this node does.'),
  received: z.number().describe('Items received in the current contact.'),
  sent: z.number().describe('Items sent in the current contact.'),
  refused: z.number().describe('Number of items of the peer that this node refused.'),
  putAside: z.number().describe('Number of items that a limit excludes.'),
  copied: z.enum(['ours', 'theirs']).optional().describe('Side that has two processes with one identity.'),
  paused: z.boolean().describe('true when the exchange is paused.'),
  every: z.number().nullable().describe('Seconds between contacts; null for a permanent connection.'),
  node: z.string().describe('Public key of the peer, base64url.'),
  address: z.string().nullable().describe('Address of the peer; null for none.'),
  paired: z.number().describe('Time of the pairing, in seconds since 1970.'),
})

/** Result of a comparison with a peer. */
const Compared = z.object({
  ...PeerView.pick({ id: true, name: true, user: true, state: true, reason: true }).shape,
  sent: z.number().describe('Items sent meanwhile.'),
  received: z.number().describe('Items received meanwhile.'),
})

const Contact = z.object({
  peer: z.string().describe('Name of the peer.'),
  user: z.string().describe('User name of the account.'),
  began: z.number().describe('Start, in seconds since 1970.'),
  ended: z.number().describe('End, in seconds since 1970.'),
  sent: z.number().describe('Items sent.'),
  received: z.number().describe('Items received.'),
  bytesSent: z.number().describe('Bytes sent.'),
  bytesReceived: z.number().describe('Bytes received.'),
  result: z.string().describe('Result in a few words.'),
  met: z.boolean().describe('true when the nodes connected.'),
  inSyncAt: z.number().optional().describe('Last comparison with equal digests, in seconds since 1970.'),
  attempts: z.number().optional().describe('Number of attempts, when more than one.'),
})

const user = z.string().describe('User name of the account.')
const kind = z.string().describe('Kind of the item, such as event.')
const id = z.string().describe('Id of the item.')

const Conflict = z.object({
  ...{ user, kind, id },
  at: z.number().describe('Time of detection, in seconds since 1970.'),
  fields: z.array(z.object({
    field: z.string().describe('Name of the field.'),
    shown: z.unknown().optional().describe('Value in effect on every node.'),
    others: z.array(z.unknown()).describe('Other values.'),
  })).describe('Fields that were set concurrently.'),
})

const Refusal = z.object({
  ...{ user, kind, id },
  peer: z.string().describe('Name of the peer.'),
  at: z.number().describe('Time, in seconds since 1970.'),
  reason: z.string().describe('Id of the reason.'),
  message: z.string().describe('Reason in words.'),
})

const parentId = z.string().nullable().describe('Id of the parent; null at the top.')

const Renamed = z.object({
  user,
  id: z.string().describe('Id of the stream.'),
  shown: z.object({ name: z.string().describe('Name.'), parentId }).describe('Place in effect.'),
  says: z.object({ name: z.string().optional().describe('Name.'), parentId: parentId.optional() }).describe('Place in its edits.'),
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
  output: Peers.extend({
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
  output: z.object({ peers: z.array(Compared).describe('The comparisons.') }),
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
  output: z.object({
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
  output: Peers,
  fails: ['unknown-user', 'unknown-resource', 'invalid-operation'],
  run: ({ node }, which) => changeEach(node, which, true),
})

const resume = operatorMethod({
  id: 'sync.resume',
  summary: 'Resumes the exchange with peers.',
  input: Which,
  output: Peers,
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
  output: z.object({ peer: PeerView.describe('The peer.') }),
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
  output: z.object({
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
  output: z.object({
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
  output: z.object({ contacts: z.array(Contact).describe('The contacts.') }),
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
  output: z.object({
    conflicts: z.array(Conflict).describe('Fields that were set concurrently.'),
    refused: z.array(Refusal).describe('Items of peers that this node refused.'),
    renamed: z.array(Renamed).describe('Streams that are displayed differently from their edits.'),
    putAside: z.array(Refusal).describe('Items that a limit excludes from the exchange.'),
  }),
  fails: ['unknown-user'],
  async run({ node }, { limit: max, username }) {
    const found = []
    const refused = []
    const renamed = []
    const putAside = []
    for (const { account, username: owner } of await selectAccounts(node, { username })) {
      const names = new Map<number, string>()
      for (const { id: pairing, name } of await node.sync.peers.statuses(account)) {
        names.set((await node.sync.peers.named(account, pairing)).number, name)
      }
      const met = await node.sync.conflicts(account, max)
      found.push(...met.conflicts.map((each) => ({ user: owner, ...each })))
      refused.push(...met.refused.map(({ peer, ...each }) => ({ user: owner, peer: names.get(peer) ?? String(peer), ...each })))
      putAside.push(...met.putAside.map(({ peer, ...each }) => ({ user: owner, peer: names.get(peer) ?? String(peer), ...each })))
      renamed.push(...met.repaired.map((each) => ({ user: owner, ...each })))
    }
    return { conflicts: found, refused, renamed, putAside }
  },
})

export const syncMethods = [peers, now, verify, pause, resume, set, unpair, renewIdentity, history, conflicts] as const
