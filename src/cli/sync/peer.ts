/** Renders peers for the terminal, and finds the peer of an argument. */
import { CommandError, usageError } from '../framework/exit.js'
import { listOf, numberOf, recordOf, textOf, type Record_ } from '../client/answer.js'
import type { NodeClient } from '../client/nodeClient.js'
import { text } from '../framework/option.js'
import { amount, ago, bytes, counted, span } from '../terminal/output/format.js'
import type { Column } from '../terminal/output/table.js'

/** The option `--peer` of commands that can be limited to one peer. */
export const peerOption = text('Only this paired node', { placeholder: 'peer', names: 'peer' })

export interface Peers {
  peers: Record_[]
  answer: Record_
}

/**
 * Loads the peers of an account, of all accounts without `user`, or a single one.
 * @throws CommandError 5
 */
export async function peersOf(client: NodeClient, options: { user?: string | undefined; peer?: string | undefined }): Promise<Peers> {
  const answer = await client.call('sync.peers', which(options), {})
  return { answer, peers: listOf(answer['peers']) }
}

/** Returns the parameters that select peers. */
export const which = ({ user, peer }: { user?: string | undefined; peer?: string | undefined }): Record<string, string> => ({
  ...(user === undefined ? {} : { username: user }),
  ...(peer === undefined ? {} : { peer }),
})

/**
 * Finds the peer of an argument, in one account or in all.
 * @throws CommandError 5, 2 when several accounts have one
 */
export async function onePeer(client: NodeClient, word: string, user: string | undefined): Promise<Record_> {
  const { peers } = await peersOf(client, { user, peer: word })
  const [found] = peers
  if (found === undefined) throw new CommandError(`There is no peer "${word}".`, { exit: 5 })
  if (peers.length > 1) {
    const users = peers.map((peer) => textOf(peer['user'])).join(', ')
    throw usageError(`Several accounts have a peer "${word}": --user <username> is missing`, `Choose one: ${users}`)
  }
  return found
}

export const isInSync = (peer: Record_): boolean => peer['state'] === 'in-sync'

/** True for a peer that is in sync with no item put aside. */
export const isWhole = (peer: Record_): boolean => isInSync(peer) && (numberOf(peer['putAside']) ?? 0) === 0

/** Returns the state in words: `in sync`, `receiving`, … */
export function stateWords(peer: Record_): string {
  if (peer['paused'] === true) return 'paused'
  const state = textOf(peer['state'])
  if (state !== 'syncing') return state === 'in-sync' ? 'in sync' : state
  const behind = numberOf(peer['behind']) ?? 0
  const ahead = numberOf(peer['ahead']) ?? 0
  return behind > 0 && behind >= ahead ? 'receiving' : ahead > 0 ? 'sending' : 'syncing'
}

/** Returns the scope: `all`, or the shared streams. */
export function scopeWords(peer: Record_): string {
  if (peer['scope'] !== 'share') return 'all'
  const streams = Array.isArray(peer['streams']) ? peer['streams'].map(String).join(', ') : ''
  return `${streams}${directionWords(peer)}`
}

/** Returns the direction, as seen from this node. */
function directionWords({ direction }: Record_): string {
  return direction === 'send' ? ' (sent)' : direction === 'receive' ? ' (received)' : ''
}

/** Returns a warning when two copies of one home run; empty otherwise. */
export function copiedWords({ copied }: Record_): string {
  if (copied === 'theirs') return 'two copies of its home run: stop one, or run coffer sync new-identity there'
  return copied === 'ours' ? 'two copies of this home run: stop one, or run coffer sync new-identity in it' : ''
}

/** Returns the reason of the state and other remarks, in a few words. */
export function aboutWords(peer: Record_): string {
  const refused = numberOf(peer['refused']) ?? 0
  const aside = numberOf(peer['putAside']) ?? 0
  return [
    copiedWords(peer),
    textOf(peer['reason']),
    filesWords(peer),
    aside > 0 ? `${amount(aside)} put aside: coffer sync conflicts` : '',
    refused > aside ? `${amount(refused)} refused: coffer sync conflicts` : '',
  ]
    .filter((each) => each !== '')
    .join('; ')
}

/** Returns the pending files: `35 files to receive (350 kB)`, `12 files to send`; empty when there are none. */
export function filesWords(peer: Record_): string {
  const toCome = numberOf(peer['filesPendingCount']) ?? 0
  const toGo = numberOf(peer['filesPendingThere']) ?? 0
  const size = bytes(numberOf(peer['filesPending']) ?? 0)
  return [toCome > 0 ? `${counted(toCome, 'file')} to receive (${size})` : '', toGo > 0 ? `${counted(toGo, 'file')} to send` : '']
    .filter((each) => each !== '')
    .join(', ')
}

const count = (value: unknown): string => (typeof value === 'number' ? amount(value) : '—')

/** Returns the columns of the table of peers, with the account when there are several. */
export function peerColumns(peers: readonly Record_[], now: number, isTerminal: boolean): Column<Record_>[] {
  const isOne = new Set(peers.map((peer) => peer['user'])).size <= 1
  const time = (peer: Record_): string => {
    const last = numberOf(peer['lastContact'])
    if (!isTerminal) return last === undefined ? '' : String(last)
    return last === undefined ? 'never' : now - last < 5 ? 'now' : now - last < 60 ? `${Math.round(now - last)} s ago` : ago(last, now)
  }
  const columns: Column<Record_>[] = [
    { title: 'PEER', cell: (peer) => textOf(peer['name']), shrinks: true },
    { title: 'USER', cell: (peer) => textOf(peer['user']), shrinks: true },
    { title: 'STATE', cell: stateWords },
    { title: 'BEHIND', cell: (peer) => count(peer['behind']), align: 'right', drops: true },
    { title: 'AHEAD', cell: (peer) => count(peer['ahead']), align: 'right', drops: true },
    { title: 'LAST CONTACT', cell: time, drops: true },
    { title: 'SCOPE', cell: scopeWords, shrinks: true },
    { title: peers.some((peer) => aboutWords(peer) !== '') ? 'ABOUT' : '', cell: aboutWords, shrinks: true },
  ]
  return columns.filter(({ title }) => title !== 'USER' || !isOne)
}

/** Returns one line about all peers: `laptop ✔ in sync · phone ◌ last seen 2 h ago`. */
export function peersLine(peers: readonly Record_[], now: number): string {
  return peers
    .map((peer) => {
      const name = textOf(peer['name'])
      if (peer['copied'] !== undefined) return `${name} ! ${copiedWords(peer)}`
      const aside = numberOf(peer['putAside']) ?? 0
      if (isInSync(peer)) return aside === 0 ? `${name} ✔ in sync` : `${name} ◐ in sync, ${amount(aside)} put aside`
      const last = numberOf(peer['lastContact'])
      if (peer['state'] === 'offline') return `${name} ◌ ${peer['paused'] === true ? 'paused' : `last seen ${ago(last, now)}`}`
      if (peer['state'] === 'refused') return `${name} ! ${textOf(peer['reason']) || 'refused'}`
      return `${name} ◐ ${stateWords(peer)}`
    })
    .join(' · ')
}

/** Returns the schedule: `always`, `every 15 min`. */
export function scheduleWords(peer: Record_): string {
  const every = numberOf(peer['every'])
  return every === undefined ? 'always connected' : `every ${span(every)}`
}

/** Returns the peer status in a line of the feed; undefined for other lines. */
export const statusIn = (line: unknown): Record_ | undefined => {
  const entry = recordOf(line)
  return entry['event'] === 'status' ? recordOf(entry['peer']) : undefined
}
