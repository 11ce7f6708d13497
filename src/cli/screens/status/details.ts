/** Detail view of the selected item on the screen of `coffer status --watch`; pure. */
import { numberOf, recordOf, textOf, type Record_ } from '../../client/answer.js'
import { columnsOf, cut, wrap } from '../../terminal/output/text.js'
import { ago, amount, bytes, counted, span, when } from '../../terminal/output/format.js'
import { filesWords, scheduleWords, scopeWords, stateWords, type Peer } from '../../commands/sync/shared/peer.js'
import { line, type Line } from '../line.js'
import type { Need } from './needs.js'
import { peerName, peersOf, type StatusSnapshot } from './snapshot.js'
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
  const disk = recordOf(status['disk'])
  const size = (value: unknown): string => bytes(numberOf(value) ?? 0)
  return {
    title: 'node',
    facts: [
      ['Address', textOf(status['url'])],
      ['State', textOf(status['state'])],
      ['Version', `${textOf(status['version'])}, interface ${textOf(status['apiVersion'])}`],
      ['Process', `${textOf(status['pid'])}, up ${span(numberOf(status['uptimeSeconds']) ?? 0)}`],
      ['Memory', size(status['memoryBytes'])],
      ['Location', place],
      ['Disk', `store ${size(disk['storeBytes'])}, ${size(disk['freeBytes'])} free`],
      ['Accounts', amount(numberOf(status['accounts']) ?? 0)],
      ['Commits', amount(numberOf(status['commits']) ?? 0)],
    ],
    next: [`Run all checks: ${commandFor('doctor')}`],
  }
}

function accountSheet(user: Record_, { commandFor }: StatusContext, now: number): DetailView {
  const used = recordOf(user['storageUsed'])
  const name = textOf(user['username'])
  const size = (value: unknown): string => bytes(numberOf(value) ?? 0)
  return {
    title: `account ${name}`,
    facts: [
      ['E-mail', textOf(user['email'])],
      ['Created', when(numberOf(user['created']) ?? 0)],
      ['Used', ago(numberOf(user['lastUsed']), now)],
      ['Streams', amount(numberOf(user['streams']) ?? 0)],
      ['Accesses', amount(numberOf(user['accesses']) ?? 0)],
      ['Storage', `${size(used['dbDocuments'])} of records, ${size(used['attachedFiles'])} of files`],
      ['Second factor', textOf(user['mfa']) || 'none'],
      ['Endpoint', textOf(user['apiEndpoint'])],
    ],
    next: [commandFor('accesses', 'list', '--user', name)],
  }
}

function peerSheet(peer: Peer, peers: readonly Record_[], { commandFor }: StatusContext, now: number): DetailView {
  const count = (value: unknown): string => (typeof value === 'number' ? amount(value) : 'not known')
  const time = (value: unknown): string => ago(numberOf(value), now)
  const refused = numberOf(peer['refused']) ?? 0
  return {
    title: `peer ${peerName(peer, peers)}`,
    facts: [
      ['State', [stateWords(peer), textOf(peer['reason'])].filter((each) => each !== '').join(': ')],
      ['Behind', count(peer['behind'])],
      ['Ahead', count(peer['ahead'])],
      ['Files', filesWords(peer)],
      ['Refused', refused > 0 ? `${counted(refused, 'item')}: coffer sync conflicts` : ''],
      ['In sync', time(peer['inSyncAt'])],
      ['Last contact', time(peer['lastContact'])],
      ['Scope', scopeWords(peer)],
      ['Schedule', scheduleWords(peer)],
      ['Address', textOf(peer['address']) || 'none: it connects to this node'],
      ['Paired', when(numberOf(peer['paired']) ?? 0)],
    ],
    next: [`r syncs now, p ${peer['paused'] === true ? 'resumes' : 'pauses'} it`, commandFor('sync', 'history', '--peer', textOf(peer['name']))],
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
