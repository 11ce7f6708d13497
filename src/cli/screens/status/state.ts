/** State machine of the screen of `coffer status --watch`; pure. */
import type { Peer } from '../../commands/sync/shared/peer.js'
import type { Key } from 'ink'
import { syncRetry, needsOf, type Need, type Retry } from './needs.js'
import { peerName, peersOf, type StatusSnapshot, type User } from './snapshot.js'

const panels = ['node', 'accounts', 'peers', 'needs'] as const
export type PanelName = (typeof panels)[number]

export interface WatchState {
  /** Active panel, and selected row of each panel. */
  panel: PanelName
  rows: Readonly<Record<PanelName, number>>
  view: 'board' | 'details' | 'logs' | 'keys'
  /** Result of the last command. */
  notice?: string
}

/** Command of a key, besides changes of the view. */
export type WatchCommand =
  | { do: 'quit'; code: 0 | 130 }
  | { do: 'refresh' }
  | Retry
  /** Applies to one peer, or to all if absent. */
  | { do: 'pause' | 'resume'; user?: string; peer?: string; name: string }

export const firstWatchState: WatchState = {
  panel: 'node',
  rows: { node: 0, accounts: 0, peers: 0, needs: 0 },
  view: 'board',
}

/** Current selection: a row, or the node. */
export type Selection = { is: 'node' } | { is: 'account'; user: User } | { is: 'peer'; peer: Peer } | { is: 'need'; need: Need } | { is: 'nothing' }

export function selectionOf(seen: StatusSnapshot, { panel, rows }: Pick<WatchState, 'panel' | 'rows'>, now: number): Selection {
  if (panel === 'node') return { is: 'node' }
  const at = rows[panel]
  if (panel === 'accounts') {
    const user = seen.users[at]
    return user === undefined ? { is: 'nothing' } : { is: 'account', user }
  }
  if (panel === 'peers') {
    const peer = peersOf(seen)[at]
    return peer === undefined ? { is: 'nothing' } : { is: 'peer', peer }
  }
  const need = needsOf(seen, now)[at]
  return need === undefined ? { is: 'nothing' } : { is: 'need', need }
}

/** Keeps the selection within the existing rows, which may change. */
export function settled(seen: StatusSnapshot, state: WatchState, now: number): WatchState {
  const counts = { node: 1, accounts: seen.users.length, peers: peersOf(seen).length, needs: needsOf(seen, now).length }
  const clamped = (name: PanelName): number => Math.max(0, Math.min(state.rows[name], counts[name] - 1))
  const panel = state.panel === 'peers' && counts.peers === 0 ? 'accounts' : state.panel
  return { ...state, panel, rows: { node: 0, accounts: clamped('accounts'), peers: clamped('peers'), needs: clamped('needs') } }
}

const NAMED: Readonly<Record<string, Partial<Key>>> = { '\t': { tab: true }, '\r': { return: true }, '\n': { return: true }, '\u0003': { ctrl: true } }

/** Splits several keys in one input text: they were typed faster than they are read. */
export function keysIn(input: string, key: Partial<Key>): Array<readonly [input: string, key: Partial<Key>]> {
  if (input.length < 2) return [[input, key]]
  return [...input].map((one) => {
    const named = NAMED[one]
    return named === undefined ? [one, {}] : [named.ctrl === true ? 'c' : '', named]
  })
}

/** Returns the state after a key, and its command. */
export function pressed(seen: StatusSnapshot, before: WatchState, input: string, key: Partial<Key>, now: number): { state: WatchState; command?: WatchCommand } {
  const { notice: _, ...state } = settled(seen, before, now)
  if (key.ctrl === true && input === 'c') return { state, command: { do: 'quit', code: 130 } }
  if (input === 'q') return { state, command: { do: 'quit', code: 0 } }
  if (key.escape === true || key.leftArrow === true) return { state: { ...state, view: 'board' } }
  if (key.return === true || key.rightArrow === true) return { state: { ...state, view: state.view === 'board' ? 'details' : 'board' } }
  if (key.tab === true) return { state: { ...state, view: 'board', panel: nextPanel(seen, state.panel, key.shift === true ? -1 : 1) } }
  if (key.upArrow === true) return { state: moved(seen, state, -1, now) }
  if (key.downArrow === true) return { state: moved(seen, state, 1, now) }
  if (input === 'l') return { state: { ...state, view: state.view === 'logs' ? 'board' : 'logs' } }
  if (input === '?') return { state: { ...state, view: state.view === 'keys' ? 'board' : 'keys' } }
  if (input === 'r') return { state, command: retryOf(seen, selectionOf(seen, state, now)) }
  if (input === 'p') return togglePause(seen, state, selectionOf(seen, state, now))
  return { state }
}

function moved(seen: StatusSnapshot, state: WatchState, by: 1 | -1, now: number): WatchState {
  const rows = { ...state.rows, [state.panel]: state.rows[state.panel] + by }
  return settled(seen, { ...state, rows }, now)
}

function nextPanel(seen: StatusSnapshot, from: PanelName, by: 1 | -1): PanelName {
  const there = panels.filter((name) => name !== 'peers' || peersOf(seen).length > 0)
  return there[(there.indexOf(from) + by + there.length) % there.length] ?? 'node'
}

function retryOf(seen: StatusSnapshot, chosen: Selection): WatchCommand {
  if (chosen.is === 'peer') return syncRetry(chosen.peer, peersOf(seen))
  return (chosen.is === 'need' ? chosen.need.retry : undefined) ?? { do: 'refresh' }
}

/** Pauses the selected peer, or all peers; resumes if paused. */
function togglePause(seen: StatusSnapshot, state: WatchState, chosen: Selection): { state: WatchState; command?: WatchCommand } {
  const peers = peersOf(seen)
  const retriedPeer = chosen.is === 'need' && chosen.need.retry?.do === 'sync' ? chosen.need.retry.peer : undefined
  const one = chosen.is === 'peer' ? chosen.peer : peers.find(({ id }) => retriedPeer !== undefined && id === retriedPeer)
  if (one !== undefined) {
    const about = { user: one.user, peer: one.id, name: peerName(one, peers) }
    return { state, command: { do: one.paused ? 'resume' : 'pause', ...about } }
  }
  if (peers.length === 0) return { state: { ...state, notice: 'There are no peers to pause: coffer sync pair' } }
  const isPaused = peers.every(({ paused }) => paused === true)
  return { state, command: { do: isPaused ? 'resume' : 'pause', name: 'all peers' } }
}
