/** Whole nodes in this process with one account, paired along some lines; each can crash and be restored. */
import { cpSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../../src/server/config/config.js'
import { createControl, type NodeControl } from '../../../src/server/control/control.js'
import { initialise, type HomePlaces } from '../../../src/server/launch/init.js'
import { openNode, type OpenNode } from '../../../src/server/index.js'
import { createLog } from '../../../src/server/base/log.js'
import { methods } from '../../../src/server/api/methods.js'
import { operatorMethods } from '../../../src/server/control/operatorMethods.js'
import type { Exchange } from '../../../src/server/sync/exchange.js'
import { exchangeOf } from '../../../src/server/sync/exchangeOf.js'
import type { Account } from '../../../src/store/engine/account.js'
import type { CommittedEntry } from '../../../src/store/engine/journal.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import type { Channel } from '../../../src/sync/channel/channel.js'
import { addPeer, readPeer, type Peer, type Scope } from '../../../src/store/replication/peers.js'
import type { Session, SessionEnd } from '../../../src/sync/session/types.js'
import type { Position } from '../../../src/sync/wire/itemSet.js'
import { makeAccount, placesOf, type TestNode } from '../../support/nodes/node.js'
import { plainChannels } from '../../support/sync/wires.js'

export const USER = 'anatole'
export type Roll = (below: number) => number

/** Node with its home on disk, which outlives the node. */
export interface Machine {
  index: number
  home: HomePlaces
  node: OpenNode
  control: NodeControl
  exchange: Exchange
  account: Account
  /** Log lines of its nodes. */
  logged: string[]
  /** Peers by the index of their machine. */
  peers: Map<number, Peer>
  /** Seconds by which its clock is ahead. */
  skew: number
  /** Copy of its home, and the number of operations at that time. */
  copy?: { folder: string; at: number }
}

/** Line between two nodes. */
export interface Wiring {
  ends: [number, number]
  /** Scope of each end; mirrors by default. */
  scopes?: [Scope, Scope]
}

interface Line extends Wiring {
  /** Two sessions, or one if the other end paused the pairing. */
  open?: { sessions: Session[]; cut(): void }
}

export interface Network {
  machines: Machine[]
  lines: Line[]
  clock: { now: number }
  /** Unexpected ends of sessions. */
  faults: string[]
  /** Begins a session along a line, which is cut after a number of frames. */
  connect(line: Line, options?: { frames?: number; slowness?: number }): Promise<void>
  disconnect(line: Line): Promise<void>
  /** Pauses the pairing of a line on one node, or resumes it. */
  pause(line: Line, end: 0 | 1): Promise<void>
  resume(line: Line, end: 0 | 1): Promise<void>
  /** Kills the process without a regular stop, and starts a new one. */
  crash(machine: Machine): Promise<void>
  /** Copies the home in its current state. */
  takeCopy(machine: Machine, at: number): Promise<void>
  /** Restores the copy and starts the node. */
  restore(machine: Machine): Promise<void>
  /** Removes a part of a peer's feed position. */
  rewind(machine: Machine, roll: Roll): Promise<void>
  end(): Promise<void>
}

export interface NetworkOptions {
  roll: Roll
  size: number
  lines: readonly Wiring[]
  /** Called for every commit. */
  onCommit(machine: Machine, entries: readonly CommittedEntry[]): void
}

/** Returns a fake public key of a node. */
const nodeOf = (index: number): string => Buffer.alloc(32, index + 1).toString('base64url')

const START = 1_750_000_000
const MIRROR: Scope = { is: 'mirror' }
const PAUSED = 'The pairing is paused on the other node.'

export async function openNetwork({ roll, size, lines, onCommit }: NetworkOptions): Promise<Network> {
  const root = await mkdtemp(join(tmpdir(), 'coffer-world-'))
  const clock = { now: START }
  const faults: string[] = []

  async function start(machine: Machine): Promise<void> {
    const config = loadConfig({ file: machine.home.config, flags: { 'http.port': 3000, 'sync.active': false } })
    const node = await openNode({
      store: machine.home.store,
      key: machine.home.key,
      config,
      log: createLog('info', () => 0, (text) => void machine.logged.push(text)),
      clock: { now: () => clock.now + machine.skew },
    })
    machine.node = node
    machine.control = createControl(node, methods, operatorMethods)
    machine.exchange = exchangeOf(node)
    node.store.follow((entries) => onCommit(machine, entries))
    const loaded = await node.accounts.find(USER)
    if (loaded !== undefined) machine.account = loaded.account
  }

  const machines: Machine[] = []
  for (let index = 0; index < size; index++) {
    const home = placesOf(join(root, `n${index}`))
    await initialise(home)
    const machine = { index, home, logged: [], peers: new Map<number, Peer>(), skew: roll(2) === 0 ? 0 : roll(9) - 4 } as unknown as Machine
    await start(machine)
    await makeAccount({ node: machine.node } as unknown as TestNode, USER)
    const loaded = await machine.node.accounts.find(USER)
    if (loaded === undefined) throw new Error('There is no account.')
    machine.account = loaded.account
    machines.push(machine)
  }
  for (const { ends: [a, b], scopes: [ofA, ofB] = [MIRROR, MIRROR] } of lines) {
    const pairing = Buffer.alloc(16, a * 16 + b).toString('base64url')
    for (const [here, there, scope] of [[a, b, ofA], [b, a, ofB]] as const) {
      const machine = machines[here] as Machine
      machine.peers.set(there, await addPeer(machine.account, { name: `n${there}`, pairing, node: nodeOf(there), scope, paired: 1 }))
    }
  }

  const all: Line[] = lines.map((wiring) => ({ ...wiring }))
  const touching = (machine: Machine): Line[] => all.filter(({ ends }) => ends.includes(machine.index))

  function watch(line: Line, ended: SessionEnd, at: number): void {
    if (ended.reason === 'closed' || ended.reason === 'lost' || ended.reason === 'paused') return
    faults.push(`session ${line.ends.join('-')} at n${line.ends[at]}: ${ended.reason} ${ended.message}${ended.byPeer ? ' (by peer)' : ''}`)
  }

  /** Returns an end of a line, with its record of the other. */
  function endOf(line: Line, at: 0 | 1): { machine: Machine; peer: Peer } {
    const machine = machines[line.ends[at]] as Machine
    const { number } = machine.peers.get(line.ends[at === 0 ? 1 : 0]) as Peer
    return { machine, peer: readPeer(machine.account.db, machine.account.prefix, number) as Peer }
  }

  /** Begins the session of one end; none if it has paused the pairing, of which it notifies the other. */
  async function begin(line: Line, at: 0 | 1, channel: Channel): Promise<Session | undefined> {
    const { machine, peer } = endOf(line, at)
    if (peer.paused !== true) return machine.exchange.start(channel, machine.account, peer)
    await machine.exchange.refuse(channel, 'paused', PAUSED).catch(() => {})
    return undefined
  }

  async function stop(machine: Machine): Promise<void> {
    for (const line of touching(machine)) {
      line.open?.cut()
      await Promise.all(line.open?.sessions.map(({ ended }) => ended) ?? [])
      delete line.open
    }
    await machine.node.close()
  }

  return {
    machines,
    lines: all,
    clock,
    faults,
    async connect(line, { frames = Infinity, slowness = 0 } = {}) {
      if (line.open !== undefined) return
      let left = frames
      const wires = plainChannels([nodeOf(line.ends[0]), nodeOf(line.ends[1])], {
        tap(frame) {
          left -= 1
          if (left > 0) return [frame]
          wires.cut()
          return []
        },
      })
      const begun = ([0, 1] as const).map((at) => {
        const channel = wires.ends[at]
        return begin(line, at, slowness === 0 ? channel : slow(channel, slowness, roll))
      })
      const both = await Promise.all(begun)
      const sessions = both.filter((session) => session !== undefined)
      if (sessions.length === 0) return
      const open = { sessions, cut: () => wires.cut() }
      line.open = open
      for (const session of sessions) {
        void session.ended.then((end) => {
          watch(line, end, both.indexOf(session))
          if (line.open === open) void Promise.all(sessions.map((one) => one.ended)).then(() => line.open === open && delete line.open)
        })
      }
    },
    async disconnect(line) {
      const { open } = line
      open?.cut()
      await Promise.all(open?.sessions.map(({ ended }) => ended) ?? [])
      if (line.open === open) delete line.open
    },
    async pause(line, end) {
      const { machine, peer } = endOf(line, end)
      await machine.node.sync.peers.change(machine.account, peer.number, { paused: true })
      const { sessions } = line.open ?? {}
      await (sessions?.length === 2 ? sessions[end] : undefined)?.close('paused', PAUSED)
    },
    async resume(line, end) {
      const { machine, peer } = endOf(line, end)
      await machine.node.sync.peers.change(machine.account, peer.number, { paused: false })
    },
    async crash(machine) {
      await stop(machine)
      await start(machine)
    },
    async takeCopy(machine, at) {
      const folder = `${machine.home.home}.copy`
      await machine.node.store.settled()
      // LevelDB may remove a table during the copy.
      for (let left = 10; !isCopied(machine.home.home, folder); left--) if (left === 0) throw new Error('The folder changes all the time.')
      machine.copy = { folder, at }
    },
    async restore(machine) {
      if (machine.copy === undefined) return
      await stop(machine)
      rmSync(machine.home.home, { recursive: true, force: true })
      cpSync(machine.copy.folder, machine.home.home, { recursive: true })
      await start(machine)
    },
    async rewind(machine, random) {
      const peers = [...machine.peers.entries()]
      const [other, peer] = peers[random(peers.length)] as [number, Peer]
      const line = all.find(({ ends }) => ends.includes(machine.index) && ends.includes(other))
      if (line === undefined || line.open !== undefined) return
      const key = accountKeys.peerPosition(machine.account.prefix, peer.number)
      const text = machine.account.db.get(key)
      if (text === undefined) return
      const position = JSON.parse(text) as Position
      position.sequence = random(position.sequence + 1)
      const isLost = random(4) === 0
      await machine.account.write((t) => (isLost ? t.delete(key) : t.put(key, JSON.stringify(position))))
    },
    async end() {
      for (const machine of machines) await stop(machine)
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Copies a folder; returns false when a file was removed meanwhile. */
function isCopied(from: string, to: string): boolean {
  rmSync(to, { recursive: true, force: true })
  try {
    cpSync(from, to, { recursive: true })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Returns a channel whose messages arrive late, in order. */
function slow(channel: Channel, milliseconds: number, roll: Roll): Channel {
  async function* messages(): AsyncGenerator<Uint8Array> {
    for await (const message of channel.messages) {
      await sleep(roll(milliseconds))
      yield message
    }
  }
  return Object.create(channel, { messages: { value: messages() } }) as Channel
}
