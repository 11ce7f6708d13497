/** Whole nodes in this process that hold one account and are paired along some lines; each can crash and be restored. */
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

/** A node with its place on disk, which outlives it. */
export interface Place {
  index: number
  home: HomePlaces
  node: OpenNode
  control: NodeControl
  exchange: Exchange
  account: Account
  /** Lines that its nodes logged. */
  logged: string[]
  /** Peers by the index of their place. */
  peers: Map<number, Peer>
  /** Seconds by which its clock is ahead. */
  skew: number
  /** A copy of its folder, and the count of steps when it was taken. */
  copy?: { folder: string; at: number }
}

/** A line between two nodes. */
export interface Wiring {
  ends: [number, number]
  /** What each end exchanges; all, when it is not said. */
  scopes?: [Scope, Scope]
}

interface Line extends Wiring {
  /** Two sessions, or that of the end which did not pause the pairing. */
  open?: { sessions: Session[]; cut(): void }
}

export interface World {
  places: Place[]
  lines: Line[]
  clock: { now: number }
  /** Ends of sessions that nothing in the test explains. */
  faults: string[]
  /** Begins a session along a line, which is cut after so many frames. */
  connect(line: Line, options?: { frames?: number; slowness?: number }): Promise<void>
  disconnect(line: Line): Promise<void>
  /** A node pauses the pairing of a line, or resumes it. */
  pause(line: Line, end: 0 | 1): Promise<void>
  resume(line: Line, end: 0 | 1): Promise<void>
  /** The process ends without a word, and a new one starts. */
  crash(place: Place): Promise<void>
  /** Copies the folder as it is at the moment. */
  keep(place: Place, at: number): Promise<void>
  /** Starts again from the copy. */
  restore(place: Place): Promise<void>
  /** Lets a node forget some of what it took in of a peer's feed. */
  rewind(place: Place, roll: Roll): Promise<void>
  end(): Promise<void>
}

export interface WorldOptions {
  roll: Roll
  size: number
  lines: readonly Wiring[]
  /** Told of every commit. */
  onCommit(place: Place, entries: readonly CommittedEntry[]): void
}

/** What would be the public key of a node. */
const nodeOf = (index: number): string => Buffer.alloc(32, index + 1).toString('base64url')

const START = 1_750_000_000
const MIRROR: Scope = { is: 'mirror' }
const PAUSED = 'The pairing is paused on the other node.'

export async function openWorld({ roll, size, lines, onCommit }: WorldOptions): Promise<World> {
  const root = await mkdtemp(join(tmpdir(), 'coffer-world-'))
  const clock = { now: START }
  const faults: string[] = []

  async function start(place: Place): Promise<void> {
    const config = loadConfig({ file: place.home.config, flags: { 'http.port': 3000, 'sync.active': false } })
    const node = await openNode({
      store: place.home.store,
      key: place.home.key,
      config,
      log: createLog('info', () => 0, (text) => void place.logged.push(text)),
      clock: { now: () => clock.now + place.skew },
    })
    place.node = node
    place.control = createControl(node, methods, operatorMethods)
    place.exchange = exchangeOf(node)
    node.store.follow((entries) => onCommit(place, entries))
    const loaded = await node.accounts.find(USER)
    if (loaded !== undefined) place.account = loaded.account
  }

  const places: Place[] = []
  for (let index = 0; index < size; index++) {
    const home = placesOf(join(root, `n${index}`))
    await initialise(home)
    const place = { index, home, logged: [], peers: new Map<number, Peer>(), skew: roll(2) === 0 ? 0 : roll(9) - 4 } as unknown as Place
    await start(place)
    await makeAccount({ node: place.node } as unknown as TestNode, USER)
    const loaded = await place.node.accounts.find(USER)
    if (loaded === undefined) throw new Error('There is no account.')
    place.account = loaded.account
    places.push(place)
  }
  for (const { ends: [a, b], scopes: [ofA, ofB] = [MIRROR, MIRROR] } of lines) {
    const pairing = Buffer.alloc(16, a * 16 + b).toString('base64url')
    for (const [here, there, scope] of [[a, b, ofA], [b, a, ofB]] as const) {
      const place = places[here] as Place
      place.peers.set(there, await addPeer(place.account, { name: `n${there}`, pairing, node: nodeOf(there), scope, paired: 1 }))
    }
  }

  const all: Line[] = lines.map((wiring) => ({ ...wiring }))
  const touching = (place: Place): Line[] => all.filter(({ ends }) => ends.includes(place.index))

  function watch(line: Line, ended: SessionEnd, at: number): void {
    if (ended.reason === 'closed' || ended.reason === 'lost' || ended.reason === 'paused') return
    faults.push(`session ${line.ends.join('-')} at n${line.ends[at]}: ${ended.reason} ${ended.message}${ended.byPeer ? ' (by peer)' : ''}`)
  }

  /** An end of a line, and how it keeps the other. */
  function endOf(line: Line, at: 0 | 1): { place: Place; peer: Peer } {
    const place = places[line.ends[at]] as Place
    const { number } = place.peers.get(line.ends[at === 0 ? 1 : 0]) as Peer
    return { place, peer: readPeer(place.account.db, place.account.prefix, number) as Peer }
  }

  /** Begins what an end has of a session: none if it has paused the pairing, which the other end is told. */
  async function begin(line: Line, at: 0 | 1, channel: Channel): Promise<Session | undefined> {
    const { place, peer } = endOf(line, at)
    if (peer.paused !== true) return place.exchange.start(channel, place.account, peer)
    await place.exchange.refuse(channel, 'paused', PAUSED).catch(() => {})
    return undefined
  }

  async function stop(place: Place): Promise<void> {
    for (const line of touching(place)) {
      line.open?.cut()
      await Promise.all(line.open?.sessions.map(({ ended }) => ended) ?? [])
      delete line.open
    }
    await place.node.close()
  }

  return {
    places,
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
      const { place, peer } = endOf(line, end)
      await place.node.sync.peers.change(place.account, peer.number, { paused: true })
      const { sessions } = line.open ?? {}
      await (sessions?.length === 2 ? sessions[end] : undefined)?.close('paused', PAUSED)
    },
    async resume(line, end) {
      const { place, peer } = endOf(line, end)
      await place.node.sync.peers.change(place.account, peer.number, { paused: false })
    },
    async crash(place) {
      await stop(place)
      await start(place)
    },
    async keep(place, at) {
      const folder = `${place.home.home}.copy`
      await place.node.store.settled()
      // LevelDB may remove a table that is about to be copied.
      for (let left = 10; !isCopied(place.home.home, folder); left--) if (left === 0) throw new Error('The folder changes all the time.')
      place.copy = { folder, at }
    },
    async restore(place) {
      if (place.copy === undefined) return
      await stop(place)
      rmSync(place.home.home, { recursive: true, force: true })
      cpSync(place.copy.folder, place.home.home, { recursive: true })
      await start(place)
    },
    async rewind(place, random) {
      const peers = [...place.peers.entries()]
      const [other, peer] = peers[random(peers.length)] as [number, Peer]
      const line = all.find(({ ends }) => ends.includes(place.index) && ends.includes(other))
      if (line === undefined || line.open !== undefined) return
      const key = accountKeys.peerPosition(place.account.prefix, peer.number)
      const text = place.account.db.get(key)
      if (text === undefined) return
      const position = JSON.parse(text) as Position
      position.sequence = random(position.sequence + 1)
      const isLost = random(4) === 0
      await place.account.write((t) => (isLost ? t.delete(key) : t.put(key, JSON.stringify(position))))
    },
    async end() {
      for (const place of places) await stop(place)
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Copies a folder; false when a file was removed meanwhile. */
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

/** A channel whose messages arrive late, each after those before it. */
function slow(channel: Channel, milliseconds: number, roll: Roll): Channel {
  async function* messages(): AsyncGenerator<Uint8Array> {
    for await (const message of channel.messages) {
      await sleep(roll(milliseconds))
      yield message
    }
  }
  return Object.create(channel, { messages: { value: messages() } }) as Channel
}
