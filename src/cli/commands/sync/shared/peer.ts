/** Renders peers for the terminal, and finds the peer of an argument. */
import { CommandError, usageError } from '../../../framework/exit.js'
import { recordOf } from '../../../client/answer.js'
import type { NodeClient, ResultOf } from '../../../client/nodeClient.js'
import { text } from '../../../framework/option.js'
import { amount, ago, bytes, counted, span } from '../../../terminal/output/format.js'
import type { Column } from '../../../terminal/output/table.js'

/** The option `--peer` of commands that can be limited to one peer. */
export const peerOption = text('Only this paired node', { placeholder: 'peer', names: 'peer' })

/** Status of a paired node. */
export type Peer = ResultOf<'sync.peers'>['peers'][number]

/** Scope of a peer; unknown members are absent. */
type Scope = { [K in 'scope' | 'streams' | 'direction']?: Peer[K] | undefined }

interface Peers {
  peers: Peer[]
  answer: ResultOf<'sync.peers'>
}

/**
 * Loads the peers of an account, of all accounts without `user`, or a single one.
 * @throws CommandError 5
 */
export async function peersOf(client: NodeClient, options: { user?: string | undefined; peer?: string | undefined }): Promise<Peers> {
  const answer = await client.call('sync.peers', which(options), {})
  return { answer, peers: answer.peers }
}

/** Returns the parameters that select peers. */
export const which = ({ user, peer }: { user?: string | undefined; peer?: string | undefined }): { username?: string; peer?: string } => ({
  ...(user === undefined ? {} : { username: user }),
  ...(peer === undefined ? {} : { peer }),
})

/**
 * Finds the peer of an argument, in one account or in all.
 * @throws CommandError 5, 2 when several accounts have one
 */
export async function onePeer(client: NodeClient, word: string, user: string | undefined): Promise<Peer> {
  const { peers } = await peersOf(client, { user, peer: word })
  const [found] = peers
  if (found === undefined) throw new CommandError(`There is no peer "${word}".`, { exit: 5, unknown: { kind: 'peer', word } })
  if (peers.length > 1) {
    const users = peers.map((peer) => peer.user).join(', ')
    throw usageError(`Several accounts have a peer "${word}": --user <username> is missing`, `Choose one: ${users}`)
  }
  return found
}

export const isInSync = (peer: Pick<Peer, 'state'>): boolean => peer.state === 'in-sync'

/** True for a peer that is in sync with no item put aside. */
export const isWhole = (peer: Peer): boolean => isInSync(peer) && peer.putAside === 0

/** Returns the state in words: `in sync`, `receiving`, … */
export function stateWords(peer: Pick<Peer, 'state'> & Partial<Peer>): string {
  if (peer.paused === true) return 'paused'
  const { state } = peer
  if (state !== 'syncing') return state === 'in-sync' ? 'in sync' : state
  const behind = peer.behind ?? 0
  const ahead = peer.ahead ?? 0
  return behind > 0 && behind >= ahead ? 'receiving' : ahead > 0 ? 'sending' : 'syncing'
}

/** Returns the scope: `all`, or the shared streams. */
export function scopeWords(peer: Scope): string {
  if (peer.scope !== 'share') return 'all'
  const streams = Array.isArray(peer.streams) ? peer.streams.map(String).join(', ') : ''
  return `${streams}${directionWords(peer)}`
}

/** Returns the direction, as seen from this node. */
function directionWords({ direction }: Scope): string {
  return direction === 'send' ? ' (sent)' : direction === 'receive' ? ' (received)' : ''
}

/** Returns a warning when two copies of one home run; empty otherwise. */
export function copiedWords({ copied }: Pick<Peer, 'copied'>): string {
  if (copied === 'theirs') return 'two copies of its home are running: stop one, or run coffer sync new-identity there'
  return copied === 'ours' ? 'two copies of this home are running: stop one, or run coffer sync new-identity in the copy' : ''
}

/** Returns the reason of the state and other remarks, in a few words. */
export function aboutWords(peer: Peer): string {
  const { refused } = peer
  const aside = peer.putAside
  return [
    copiedWords(peer),
    (peer.reason ?? ''),
    filesWords(peer),
    aside > 0 ? `${amount(aside)} put aside: coffer sync conflicts` : '',
    refused > aside ? `${amount(refused)} refused: coffer sync conflicts` : '',
  ]
    .filter((each) => each !== '')
    .join('; ')
}

/** Returns the pending files: `35 files to receive (350 kB)`, `12 files to send`; empty when there are none. */
export function filesWords(peer: Peer): string {
  const toReceive = peer.filesPendingCount
  const toSend = peer.filesPendingThere
  const size = bytes(peer.filesPending)
  return [toReceive > 0 ? `${counted(toReceive, 'file')} to receive (${size})` : '', toSend > 0 ? `${counted(toSend, 'file')} to send` : '']
    .filter((each) => each !== '')
    .join(', ')
}

const count = (value: unknown): string => (typeof value === 'number' ? amount(value) : '—')

/** Returns the columns of the table of peers, with the account when there are several. */
export function peerColumns(peers: readonly Peer[]): Column<Peer>[] {
  const isOne = new Set(peers.map((peer) => peer.user)).size <= 1
  const columns: Column<Peer>[] = [
    { title: 'PEER', cell: (peer) => peer.name, shrinks: true },
    { title: 'USER', cell: (peer) => peer.user, shrinks: true, drops: 'late' },
    { title: 'STATE', cell: stateWords },
    { title: 'BEHIND', cell: (peer) => count(peer.behind), align: 'right', drops: true },
    { title: 'AHEAD', cell: (peer) => count(peer.ahead), align: 'right', drops: true },
    { title: 'LAST CONTACT', time: ({ lastContact }) => lastContact, drops: true, none: 'never' },
    { title: 'SCOPE', cell: scopeWords, shrinks: true },
    { title: peers.some((peer) => aboutWords(peer) !== '') ? 'ABOUT' : '', cell: aboutWords, shrinks: true },
  ]
  return columns.filter(({ title }) => title !== 'USER' || !isOne)
}

/** Returns one line about all peers: `laptop ✔ in sync · phone ◌ last seen 2 h ago`. */
export function peersLine(peers: readonly Peer[], now: number): string {
  return peers
    .map((peer) => {
      const { name } = peer
      if (peer.copied !== undefined) return `${name} ! ${copiedWords(peer)}`
      const aside = peer.putAside
      if (isInSync(peer)) return aside === 0 ? `${name} ✔ in sync` : `${name} ◐ in sync, ${amount(aside)} put aside`
      const last = peer.lastContact ?? undefined
      if (peer.state === 'offline') return `${name} ◌ ${peer.paused ? 'paused' : `last seen ${ago(last, now)}`}`
      if (peer.state === 'refused') return `${name} ! ${peer.reason ?? 'refused'}`
      return `${name} ◐ ${stateWords(peer)}`
    })
    .join(' · ')
}

/** Returns the schedule: `always`, `every 15 min`. */
export function scheduleWords(peer: Pick<Peer, 'every'>): string {
  const every = peer.every ?? undefined
  return every === undefined ? 'always connected' : `every ${span(every)}`
}

/** Returns the peer status in a line of the feed; undefined for other lines. */
export const statusIn = (line: unknown): Peer | undefined => {
  const entry = recordOf(line)
  return entry['event'] === 'status' ? (entry['peer'] as Peer) : undefined
}
