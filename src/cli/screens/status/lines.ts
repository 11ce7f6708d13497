/** The screen of `coffer status --watch` as lines of text; pure. */
import { listOf, numberOf, recordOf, textOf } from '../../node/answer.js'
import type { Record_ } from '../../node/answer.js'
import { alignedTable } from '../../output/table.js'
import { columnsOf, cut, oneLine } from '../../output/text.js'
import { ago, amount, bytes, clock, counted, span } from '../../output/words.js'
import { peerColumns } from '../../sync/peer.js'

/** What was read last: results of node.status, users.list and requests.list. */
export interface Seen {
  status: Record_
  users: Record_[]
  requests: Record_[]
  /** Why the latest reading failed. */
  problem?: string
}

const MOST_ACCOUNTS = 8
const GAP = '  '

/** The lines of the screen, `width` columns wide; `now` in seconds. */
export function statusLines({ status, users, requests, problem }: Seen, now: number, width: number): string[] {
  const side = Math.floor((width - 2 * GAP.length) / 4)
  const disk = recordOf(status['disk'])
  const minute = recordOf(status['lastMinute'])
  const size = (value: unknown): string => bytes(numberOf(value) ?? 0)
  const took = (value: unknown): string => (typeof value === 'number' ? String(value) : '—')
  const three = beside(
    [
      panel('node', side, [stateOf(status), `${textOf(status['version'])}  ${size(status['memoryBytes'])}`]),
      panel('last minute', width - 2 * side - 2 * GAP.length, [
        `${amount(numberOf(minute['calls']) ?? 0)} calls  p50 ${took(minute['p50'])}  p99 ${took(minute['p99'])} ms`,
        `${amount(numberOf(minute['failed']) ?? 0)} failed  ${amount(numberOf(minute['refused']) ?? 0)} refused`,
      ]),
      panel('disk', side, [`${size(disk['freeBytes'])} free`, `store ${size(disk['storeBytes'])}`]),
    ],
  )
  const peers = listOf(status['peers'])
  const needs = needsLines(status, requests, peers, problem)
  const head = `coffer  ${textOf(status['url'])}`
  const right = `up ${span(numberOf(status['uptimeSeconds']) ?? 0)}   ${clock(now)}   q quit`
  return [
    headed(cut(head, Math.max(8, width - columnsOf(right) - GAP.length)), right, width),
    ...three,
    ...panel('accounts', width, accountLines(users, now, width)),
    ...(peers.length === 0 ? [] : panel('peers', width, alignedTable(peerColumns(peers, now, true), peers, width).slice(1))),
    ...panel('needs you', width, needs.length === 0 ? ['nothing'] : needs),
    'r read again   q quit',
  ].map((line) => cut(oneLine(line), width))
}

/** A title over lines. */
function panel(title: string, width: number, lines: readonly string[]): string[] {
  const head = `─ ${title} `
  return [head + '─'.repeat(Math.max(0, width - columnsOf(head))), ...lines.map((line) => cut(line, width))]
}

/** Panels of as many lines, side by side. */
function beside(panels: readonly string[][]): string[] {
  const lines = Math.max(...panels.map(({ length }) => length))
  return Array.from({ length: lines }, (_, at) =>
    panels.map((each) => padded(each[at] ?? '', columnsOf(each[0] ?? ''))).join(GAP).trimEnd(),
  )
}

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - columnsOf(text)))

/** What stands at the left and at the right of a line. */
const headed = (left: string, right: string, width: number): string => padded(left, width - columnsOf(right)) + right

function stateOf(status: Record_): string {
  const state = textOf(status['state'])
  return state === 'writable' ? 'healthy' : state === 'full' ? '✖ the disk is full' : `✖ ${state}`
}

function accountLines(users: readonly Record_[], now: number, width: number): string[] {
  const shown = users.slice(0, MOST_ACCOUNTS)
  const [, ...lines] = alignedTable<Record_>(
    [
      { title: '', cell: (user) => textOf(user['username']), shrinks: true },
      { title: '', cell: (user) => counted(numberOf(user['streams']) ?? 0, 'stream'), align: 'right' },
      { title: '', cell: (user) => counted(numberOf(user['accesses']) ?? 0, 'access', 'accesses'), align: 'right', drops: true },
      { title: '', cell: (user) => usedWords(numberOf(user['lastUsed']), now), drops: true },
    ],
    shown,
    width,
  )
  if (shown.length === 0) return ['none yet: coffer users create <username>']
  return users.length > shown.length ? [...lines, `and ${users.length - shown.length} more: coffer users list`] : lines
}

const usedWords = (time: number | undefined, now: number): string => (time === undefined ? 'never used' : `used ${ago(time, now)}`)

function needsLines(status: Record_, requests: readonly Record_[], peers: readonly Record_[], problem: string | undefined): string[] {
  const state = textOf(status['state'])
  const apps = requests.map((request) => textOf(request['requestingAppId'])).join(', ')
  const refused = peers.filter((peer) => peer['state'] === 'refused').map((peer) => textOf(peer['name'])).join(', ')
  return [
    ...(problem === undefined ? [] : [`✖ ${problem}`]),
    ...(state === 'full' ? ['Nothing is written until there is space on the disk again.'] : []),
    ...(state === 'read-only' ? ['The disk failed: restart the node once it is sound.'] : []),
    ...(requests.length === 0 ? [] : [`${requests.length} ${requests.length === 1 ? 'app asks' : 'apps ask'} for access (${apps}): coffer requests list`]),
    ...(refused === '' ? [] : [`${refused} cannot be synced with: coffer sync status`]),
  ]
}
