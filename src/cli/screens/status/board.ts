/** Board of `coffer status --watch`: the node, its accounts, its peers, and open issues; pure. */
import { alignedTable, type Column } from '../../terminal/output/table.js'
import { columnsOf, cut } from '../../terminal/output/text.js'
import { ago, amount, bytes, clock, counted, span } from '../../terminal/output/format.js'
import { stateWords, type Peer } from '../../commands/sync/shared/peer.js'
import { beside, fitted, line, type Line } from '../line.js'
import { needsOf, type Need } from './needs.js'
import { panelLines, shared, type Panel } from './panel.js'
import { peerName, peersOf, type StatusSnapshot, type User } from './snapshot.js'
import type { PanelName, WatchState } from './state.js'

interface Size {
  columns: number
  rows: number
}

/** Minimum columns for panels side by side. */
const BESIDE_FROM = 70
const GAP = 2
const KEYS = 'tab panel   ⏎ details   r retry   p pause sync   l logs   ? keys'
const KEYS_NARROW = 'tab ⏎ r p l   ? keys   q quit'

/** Returns the lines of the board for the given size; `now` in seconds. */
export function boardLines(seen: StatusSnapshot, state: Pick<WatchState, 'panel' | 'rows' | 'notice'>, now: number, { columns, rows }: Size): Line[] {
  const isWide = columns >= BESIDE_FROM
  const peers = peersOf(seen)
  const needs = needsOf(seen, now)
  const top = [headLine(seen, now, columns), ...(isWide ? wideTop(seen, state, columns) : narrowTop(seen, state, columns))]
  const last = [...(state.notice === undefined ? [] : [line(cut(state.notice, columns))]), line(cut(isWide ? KEYS : KEYS_NARROW, columns), 'faint')]
  const hasPeers = peers.length > 0
  const titles = 2 + (hasPeers && !isWide ? 1 : 0)
  const room = rows - top.length - last.length - titles
  const lists = Math.max(seen.users.length, isWide ? peers.length : 0, 1)
  const [forNeeds = 1, forAccounts = 1, forPeers = 1] = shared(room, [Math.max(1, needs.length), lists, hasPeers && !isWide ? peers.length : 0])
  const of = (name: PanelName, about: Omit<Panel, 'isActive' | 'at' | 'isList' | 'title'>, title: string = name): Line[] =>
    panelLines({ title, isActive: state.panel === name, at: state.rows[name], isList: true, ...about })
  const left = isWide && hasPeers ? Math.floor(columns * 0.4) : columns
  const right = isWide ? columns - left - GAP : columns
  const accountPanel = of('accounts', { rows: accountRows(seen.users, now, left - 2), empty: 'none yet: coffer users create <username>', width: left, height: forAccounts })
  const peerPanel = hasPeers ? of('peers', { rows: peerRows(peers, now, right - 2), width: right, height: isWide ? forAccounts : forPeers }) : []
  const lists_ = isWide && hasPeers ? beside([{ lines: accountPanel, width: left }, { lines: peerPanel, width: right }], GAP) : [...accountPanel, ...peerPanel]
  return [
    ...top,
    ...lists_,
    ...of('needs', { rows: needRows(needs, columns - 2), empty: 'nothing', width: columns, height: forNeeds }, 'needs attention'),
    ...last,
  ].slice(0, Math.max(1, rows))
}

function headLine({ status }: StatusSnapshot, now: number, columns: number): Line {
  const right = `up ${span(status.uptimeSeconds ?? 0)}   ${clock(now)}   q quit`
  const left = cut(`coffer  ${status.url ?? ''}`, Math.max(6, columns - columnsOf(right) - GAP))
  const space = ' '.repeat(Math.max(1, columns - columnsOf(left) - columnsOf(right)))
  return fitted([{ text: left, tone: 'strong' }, { text: space }, { text: right, tone: 'faint' }], columns)
}

/** Returns the facts about the node, in parts to combine by available room. */
function partsOf({ status }: StatusSnapshot): Record<'state' | 'process' | 'calls' | 'ends' | 'free' | 'store', Line> {
  const { disk, lastMinute: minute, state = '' } = status
  const size = (value: number | undefined): string => bytes(value ?? 0)
  const took = (value: number | null | undefined): string => (value === null || value === undefined ? '—' : String(value))
  const failed = minute?.failed ?? 0
  return {
    state: state === 'writable' ? line('healthy', 'good') : line(state === 'full' ? '✖ the disk is full' : `✖ ${state}`, 'bad'),
    process: line(`${status.version ?? ''}  ${size(status.memoryBytes)}`),
    calls: line(`${counted(minute?.calls ?? 0, 'call')}  p50 ${took(minute?.p50)}  p99 ${took(minute?.p99)} ms`),
    ends: [...line(`${amount(failed)} failed`, failed > 0 ? 'bad' : undefined), ...line(`  ${amount(minute?.refused ?? 0)} refused`)],
    free: line(`${size(disk?.freeBytes)} free`),
    store: line(`store ${size(disk?.storeBytes)}`),
  }
}

const plainPanel = { isList: false, at: 0, height: 3 }

function wideTop(seen: StatusSnapshot, { panel }: Pick<WatchState, 'panel'>, columns: number): Line[] {
  const side = Math.floor((columns - 2 * GAP) / 4)
  const { state, process, calls, ends, free, store } = partsOf(seen)
  const of = (title: string, width: number, rows: Line[]): { lines: Line[]; width: number } => ({
    lines: panelLines({ ...plainPanel, title, width, rows, isActive: panel === 'node' }),
    width,
  })
  const middle = columns - 2 * side - 2 * GAP
  return beside([of('node', side, [state, process]), of('last minute', middle, [calls, ends]), of('disk', side, [free, store])], GAP)
}

function narrowTop(seen: StatusSnapshot, { panel }: Pick<WatchState, 'panel'>, columns: number): Line[] {
  const { state, process, calls, ends, free, store } = partsOf(seen)
  const gap: Line = [{ text: '  ' }]
  const rows = [
    [...state, ...gap, ...process],
    [...calls, ...gap, ...ends],
    [...free, ...gap, ...store],
  ]
  const fitting = rows.map((row) => fitted(row, columns))
  return panelLines({ ...plainPanel, title: 'node', width: columns, rows: fitting, isActive: panel === 'node' })
}

/** Formats the rows of a table without a header. */
function tableRows<Row>(columns: ReadonlyArray<Column<Row>>, rows: readonly Row[], width: number, tone: (row: Row) => Line[number]['tone']): Line[] {
  const [, ...lines] = alignedTable(columns, rows, width)
  return lines.map((text, at) => {
    const row = rows[at]
    return line(cut(text, width), row === undefined ? undefined : tone(row))
  })
}

function accountRows(users: readonly User[], now: number, width: number): Line[] {
  const used = (time: number | null): string => (time === null ? 'never used' : ago(time, now))
  return tableRows<User>(
    [
      { title: '', cell: (user) => user.username, shrinks: true },
      { title: '', cell: (user) => counted(user.streams, 'stream'), align: 'right', drops: true },
      { title: '', cell: (user) => counted(user.accesses, 'access', 'accesses'), align: 'right', drops: true },
      { title: '', cell: (user) => used(user.lastUsed), drops: true },
    ],
    users,
    width,
    () => undefined,
  )
}

function peerRows(peers: readonly Peer[], now: number, width: number): Line[] {
  const contact = (last: number | null): string => (last === null ? 'never' : now - last < 5 ? 'now' : now - last < 60 ? `${Math.round(now - last)} s ago` : ago(last, now))
  const count = (sign: string, { state }: Peer, value: number | null): string =>
    value !== null && state !== 'refused' ? `${sign} ${amount(value)}` : ''
  return tableRows<Peer>(
    [
      { title: '', cell: (peer) => peerName(peer, peers), shrinks: true },
      { title: '', cell: (peer) => `${signOf(peer)} ${stateWords(peer)}` },
      { title: '', cell: ({ lastContact }) => contact(lastContact), drops: true },
      { title: '', cell: (peer) => count('↓', peer, peer.behind), align: 'right', drops: true },
      { title: '', cell: (peer) => count('↑', peer, peer.ahead), align: 'right', drops: true },
    ],
    peers,
    width,
    ({ state }) => (state === 'in-sync' ? 'good' : state === 'refused' ? 'bad' : undefined),
  )
}

function signOf({ state, paused }: Peer): string {
  if (paused) return '‖'
  const signs: Readonly<Record<string, string>> = { 'in-sync': '✔', refused: '✖', offline: '◌' }
  return signs[state] ?? '◐'
}

const needRows = (needs: readonly Need[], width: number): Line[] =>
  tableRows<Need>(
    [
      { title: '', cell: ({ what }) => what },
      { title: '', cell: ({ which }) => which, shrinks: true },
      // In a narrow terminal, only the detail view shows it.
      ...(width < BESIDE_FROM - 10 ? [] : [{ title: '', cell: ({ about }: Need) => about, shrinks: true as const }]),
    ],
    needs,
    width,
    () => undefined,
  )
