/** Sessions between accounts of two nodes in this process, with recorded messages. */
import { exchangeOf } from '../../../src/server/sync/exchangeOf.js'
import type { Exchange } from '../../../src/server/sync/exchange.js'
import { decode } from '../../../src/sync/wire/codec.js'
import type { Message } from '../../../src/sync/wire/message.js'
import { addPeer, type Peer, type Scope } from '../../../src/store/replication/peers.js'
import type { Session } from '../../../src/sync/session/types.js'
import type { Side } from './pairedNodes.js'
import { plainChannels } from './wires.js'

export interface TappedLine {
  peers: [Peer, Peer]
  /** Messages sent over the wire, to the first end and to the second. */
  readonly heard: [Message[], Message[]]
  connect(): Promise<void>
  /** Resolves once both are in sync; refusals are allowed for the given reasons alone. */
  inSync(...reasons: string[]): Promise<void>
  disconnect(): Promise<void>
}

const exchanges = new WeakMap<Side, Exchange>()
function exchangeAt(side: Side): Exchange {
  const made = exchanges.get(side) ?? exchangeOf(side.node.node)
  exchanges.set(side, made)
  return made
}

let lines = 0

/** Pairs two accounts whose nodes have `sync.active` off; nothing is transferred before `connect`. */
export async function tappedLine(a: Side, b: Side, scopes: readonly [Scope, Scope]): Promise<TappedLine> {
  const ends = [a, b] as const
  const number = ++lines
  const pairing = Buffer.alloc(16, number).toString('base64url')
  const nodes = ends.map((_, at) => Buffer.alloc(32, number * 2 + at).toString('base64url')) as [string, string]
  const add = (at: 0 | 1): Promise<Peer> =>
    addPeer(ends[at].account, { name: `line ${number}`, pairing, node: nodes[at === 0 ? 1 : 0], scope: scopes[at], paired: 1 })
  const peers: [Peer, Peer] = [await add(0), await add(1)]
  const heard: [Message[], Message[]] = [[], []]
  let open: { sessions: Session[]; cut(): void } | undefined
  let hearing = Promise.resolve()
  return {
    peers,
    heard,
    async connect() {
      const parts: [Uint8Array[], Uint8Array[]] = [[], []]
      // Long messages are sent in parts, each of them a message.
      async function hear(bytes: Uint8Array, from: 0 | 1): Promise<void> {
        const message = await decode(bytes)
        if (message.type !== 'part') return void heard[from === 0 ? 1 : 0].push(message)
        parts[from].push(message.bytes)
        if (message.isLast) await hear(Buffer.concat(parts[from].splice(0)), from)
      }
      const wires = plainChannels(nodes, {
        tap(frame, from) {
          // Decoded one after another, in order.
          if (frame.length > 1) hearing = hearing.then(() => hear(frame.slice(1), from))
          return [frame]
        },
      })
      const sessions = await Promise.all(([0, 1] as const).map((at) => exchangeAt(ends[at]).start(wires.ends[at], ends[at].account, peers[at])))
      open = { sessions, cut: () => wires.cut() }
    },
    async inSync(...reasons) {
      const states = await Promise.all((open?.sessions ?? []).map((session) => session.compare()))
      const refused = await Promise.all(ends.map(async (side) => (await exchangeAt(side).conflicts(side.account, 10)).refused))
      await hearing
      const isFine = states.every((state) => state === 'in-sync') && refused.every((list) => list.every(({ reason }) => reasons.includes(reason)))
      if (!isFine) throw new Error(JSON.stringify({ states, refused }))
    },
    async disconnect() {
      open?.cut()
      await Promise.all(open?.sessions.map(({ ended }) => ended) ?? [])
      open = undefined
      await hearing
    },
  }
}

/** Returns all texts within messages, with those of changes and of other bytes. */
export function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return `${Buffer.from(value).toString('utf8')}\n${Buffer.from(value).toString('hex')}\n`
  if (value instanceof Map) return textOf([...value])
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  if (typeof value === 'object' && value !== null) return Object.entries(value).map(([key, one]) => `${key} ${textOf(one)}`).join('\n')
  return String(value)
}
