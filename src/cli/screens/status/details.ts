/** Detail view of the selected item on the screen of `coffer status --watch`; pure. */
import { columnsOf, cut, wrap } from '../../terminal/output/text.js'
import { ago, amount, bytes, counted, span, when } from '../../terminal/output/format.js'
import { filesWords, scheduleWords, scopeWords, stateWords, type Peer } from '../../commands/sync/shared/peer.js'
import { line, type Line } from '../line.js'
import type { Need } from './needs.js'
import { peerName, peersOf, type PeerId, type StatusSnapshot, type User } from './snapshot.js'
import type { Selection } from './state.js'

type Fact = readonly [label: string, value: string]

/** Content of the detail view, in place of the board. */
interface DetailView {
  title: string
  facts: Fact[]
  /** Next commands and keys. */
  next: string[]
}

interface StatusContext {
  /** Location of the node for people: its folder, or its name and address. */
  place: string
  /** Returns a command line for this node, ready to paste. */
  commandFor(...words: string[]): string
}

const LABEL = 14
const BACK = '← back   q quit'

/** Returns the lines of the detail view, `columns` wide and `rows` high; `now` in seconds. */
export function detailLines(seen: StatusSnapshot, chosen: Selection, context: StatusContext, now: number, { columns, rows }: { columns: number; rows: number }): Line[] {
  const { title, facts, next } = sheetOf(seen, chosen, context, now)
  const described = facts.filter(([, value]) => value !== '').flatMap(([label, value]) => factLines(label, value, columns))
  const lines = [titleLine(title, columns), ...described, line(''), ...next.flatMap((each) => wrap(each, columns).map((text) => line(text)))]
  return [...lines.slice(0, Math.max(1, rows - 1)), line(BACK, 'faint')]
}

/** Formats a heavy rule with a title. */
export const titleLine = (title: string, columns: number): Line => {
  const head = `━ ${title} `
  return line(cut(head + '━'.repeat(Math.max(0, columns - columnsOf(head))), columns), 'strong')
}

function factLines(label: string, value: string, columns: number): Line[] {
  const room = Math.max(10, columns - LABEL)
  return wrap(value, room).map((text, at) => [{ text: (at === 0 ? label : '').padEnd(LABEL), tone: 'faint' as const }, ...line(cut(text, room))])
}

function sheetOf(seen: StatusSnapshot, chosen: Selection, context: StatusContext, now: number): DetailView {
  switch (chosen.is) {
    case 'node':
      return nodeSheet(seen, context)
    case 'account':
      return accountSheet(chosen.user, context, now)
    case 'peer':
      return peerSheet(chosen.peer, peersOf(seen), context, now)
    case 'need':
      return needSheet(chosen.need, context)
    case 'nothing':
      return { title: 'nothing', facts: [['', 'Nothing is selected.']], next: [] }
  }
}

function nodeSheet({ status }: StatusSnapshot, { place, commandFor }: StatusContext): DetailView {
  const { disk } = status
  return {
    title: 'node',
    facts: [
      ['Address', status.url ?? ''],
      ['State', status.state ?? ''],
      ['Version', status.version === undefined ? '' : `${status.version}, interface ${status.apiVersion}`],
      ['Process', status.pid === undefined ? '' : `${status.pid}, up ${span(status.uptimeSeconds ?? 0)}`],
      ['Memory', bytes(status.memoryBytes ?? 0)],
      ['Location', place],
      ['Disk', disk === undefined ? '' : `store ${bytes(disk.storeBytes)}, ${bytes(disk.freeBytes)} free`],
      ['Accounts', amount(status.accounts ?? 0)],
      ['Commits', amount(status.commits ?? 0)],
    ],
    next: [`Run all checks: ${commandFor('doctor')}`],
  }
}

function accountSheet(user: User, { commandFor }: StatusContext, now: number): DetailView {
  const { username: name, storageUsed: used } = user
  return {
    title: `account ${name}`,
    facts: [
      ['E-mail', user.email ?? ''],
      ['Created', when(user.created)],
      ['Used', ago(user.lastUsed ?? undefined, now)],
      ['Streams', amount(user.streams)],
      ['Accesses', amount(user.accesses)],
      ['Storage', `${bytes(used.dbDocuments)} of records, ${bytes(used.attachedFiles)} of files`],
      ['Second factor', user.mfa ?? 'none'],
      ['Endpoint', user.apiEndpoint],
    ],
    next: [commandFor('accesses', 'list', '--user', name)],
  }
}

function peerSheet(peer: Peer, peers: readonly PeerId[], { commandFor }: StatusContext, now: number): DetailView {
  const count = (value: number | null): string => (value === null ? 'not known' : amount(value))
  const time = (value?: number | null): string => ago(value ?? undefined, now)
  const { refused } = peer
  return {
    title: `peer ${peerName(peer, peers)}`,
    facts: [
      ['State', [stateWords(peer), peer.reason ?? ''].filter((each) => each !== '').join(': ')],
      ['Behind', count(peer.behind)],
      ['Ahead', count(peer.ahead)],
      ['Files', filesWords(peer)],
      ['Refused', refused > 0 ? `${counted(refused, 'item')}: coffer sync conflicts` : ''],
      ['In sync', time(peer.inSyncAt)],
      ['Last contact', time(peer.lastContact)],
      ['Scope', scopeWords(peer)],
      ['Schedule', scheduleWords(peer)],
      ['Address', peer.address ?? 'none: it connects to this node'],
      ['Paired', when(peer.paired)],
    ],
    next: [`r syncs now, p ${peer.paused ? 'resumes' : 'pauses'} it`, commandFor('sync', 'history', '--peer', peer.name)],
  }
}

function needSheet({ what, which, about, next, retry }: Need, { commandFor }: StatusContext): DetailView {
  const key = retry === undefined ? [] : [retry.do === 'sync' ? 'r syncs now' : 'r reactivates it']
  return {
    title: what,
    facts: [
      ['Item', which],
      ['Reason', about.startsWith('coffer ') ? '' : about],
    ],
    next: [...key, ...(next === undefined ? [] : [commandFor(...next)])],
  }
}

const KEYS: readonly Fact[] = [
  ['tab', 'the next panel; shift and tab, the one before'],
  ['↑ ↓', 'select a row'],
  ['⏎', 'details; ← back'],
  ['r', 'retry the selection: sync with a peer, reactivate a stopped webhook; otherwise refresh'],
  ['p', 'pause or resume the sync with the selected peer, or with all'],
  ['l', 'the log'],
  ['q', 'quit; the node keeps running'],
]

/** Returns the lines that explain the keys. */
export const keyLines = (columns: number): Line[] => [
  titleLine('keys', columns),
  ...KEYS.flatMap(([key, message]) => factLines(key, message, columns)),
  line(''),
  line(BACK, 'faint'),
]
