/** Paired node controlled by a test: it has a key and a pairing, and follows no other rule. */
import { randomBytes } from 'node:crypto'
import { dial } from '../../../src/server/sync/dial.js'
import type { Account } from '../../../src/store/engine/account.js'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import type { Channel } from '../../../src/sync/channel/channel.js'
import { purposeMessage } from '../../../src/sync/channel/purpose.js'
import type { Signer } from '../../../src/sync/channel/signer.js'
import { decode, encode } from '../../../src/sync/wire/codec.js'
import type { Entry } from '../../../src/sync/wire/entry.js'
import type { Acknowledgement, Begin, End, Group, Hello, Message } from '../../../src/sync/wire/message.js'
import { addPeer, type Peer, type Scope } from '../../../src/store/replication/peers.js'
import type { TestNode } from '../nodes/node.js'
import { newSigner, realTimers } from './signers.js'

export interface ScriptedPeer {
  node: TestNode
  signer: Signer
  peer: Peer
  account: Account
}

export const emptyGroup: Group = { type: 'group', entries: [], offers: [], lacking: [], aside: [], answers: false, reconciled: false, left: 0 }
export const nothing = { state: new Uint8Array(16) }

const MIRRORED = { send: 'receive', receive: 'send', both: 'both' } as const

/** Returns the scope as the other side of a pairing stores it. */
export function seenFrom(scope: Scope): Scope {
  if (scope.is === 'mirror') return scope
  return { ...scope, direction: MIRRORED[scope.direction], grantor: scope.grantor === 'us' ? 'them' : 'us' }
}

/** Pairs an account of a node with a scripted peer. The address is where the node would dial it. */
export async function pairScripted(node: TestNode, username: string, scope: Scope = { is: 'mirror' }): Promise<ScriptedPeer> {
  const account = (await node.node.accounts.find(username))?.account
  if (account === undefined) throw new Error('no such account')
  const signer = await newSigner()
  const pairing = randomBytes(16).toString('base64url')
  const peer = await addPeer(account, { name: `peer ${pairing}`, pairing, node: signer.node, scope, paired: 1 })
  await node.node.sync.peers.added(account, peer.number)
  return { node, signer, peer, account }
}

/** Session of a scripted peer with its node. */
export class Talk {
  readonly heard: Message[] = []
  /** Greeting of the node. */
  hello: Hello | undefined
  #groups = 0
  #listening: Promise<void>
  #wake: (() => void)[] = []
  isOver = false

  constructor(
    readonly peer: ScriptedPeer,
    readonly channel: Channel,
    reads = true,
  ) {
    this.#listening = reads ? this.#listen() : Promise.resolve()
  }

  async #listen(): Promise<void> {
    try {
      for await (const bytes of this.channel.messages) {
        const message = await decode(bytes)
        if (message.type === 'hello') this.hello = message
        this.heard.push(message)
        for (const wake of this.#wake.splice(0)) wake()
      }
    } catch {
      // The channel ended without a reason.
    }
    this.isOver = true
    for (const wake of this.#wake.splice(0)) wake()
  }

  async say(...messages: (Message | Uint8Array)[]): Promise<void> {
    for (const message of messages) {
      await this.channel.send(message instanceof Uint8Array ? message : await encode(message)).catch(() => {})
    }
  }

  /** Returns the first matching message, received or to come; undefined once the session is over. */
  async hear<M extends Message>(isWanted: (message: Message) => message is M): Promise<M | undefined> {
    for (let at = 0; ; ) {
      for (; at < this.heard.length; at++) {
        const message = this.heard[at]
        if (message !== undefined && isWanted(message)) return message
      }
      if (this.isOver) return undefined
      await new Promise<void>((resolve) => void this.#wake.push(resolve))
    }
  }

  /** Greets as an empty peer, and begins. */
  async greet(more: Partial<Hello> = {}): Promise<void> {
    const epoch = randomBytes(8).toString('hex')
    await this.say({
      type: 'hello',
      product: 'scripted',
      instance: 'scripted',
      now: this.peer.node.node.clock.now(),
      scope: seenFrom(this.peer.peer.scope),
      mine: { epoch, sequence: 0 },
      digest: nothing,
      pendingFetch: 0,
      ...more,
    })
  }

  async begin(): Promise<void> {
    await this.greet()
    await this.hear((message): message is Begin => message.type === 'begin')
    await this.say({ type: 'begin', how: 'feed' })
  }

  /** Sends a group; returns the number of its refused entries; undefined when the node closes instead. */
  async give(group: Partial<Group>): Promise<number | undefined> {
    const before = this.#refused()
    const groups = ++this.#groups
    await this.say({ ...emptyGroup, ...group })
    const said = await this.hear((message): message is Acknowledgement => message.type === 'acknowledgement' && message.groups >= groups)
    return said === undefined ? undefined : this.#refused() - before
  }

  #refused(): number {
    return Math.max(0, ...this.heard.map((message) => (message.type === 'acknowledgement' ? message.refused : 0)))
  }

  /** Requests items; returns the group that answers. */
  async ask(items: { kind: Entry['kind']; id: string }[], reaches?: ReadonlyMap<string, number>): Promise<Group | undefined> {
    const from = this.heard.length
    await this.say({ type: 'request', items: items.map((item) => ({ item, ...(reaches === undefined ? {} : { reaches }) })) })
    return this.hear((message): message is Group => message.type === 'group' && message.answers && this.heard.indexOf(message) >= from)
  }

  /** Returns the reason of the node's close. */
  async end(): Promise<End | undefined> {
    return this.hear((message): message is End => message.type === 'end')
  }

  async close(): Promise<void> {
    this.channel.close()
    await this.#listening
  }
}

/** Dials the node. */
export async function call(peer: ScriptedPeer, pairing = peer.peer.pairing, signer = peer.signer, reads = true): Promise<Talk> {
  const channel = await dial(peer.node.url, { signer, timers: realTimers })
  await channel.send(purposeMessage({ is: 'session', pairing }))
  return new Talk(peer, channel, reads)
}

/** Opens a session that has begun. */
export async function begun(peer: ScriptedPeer): Promise<Talk> {
  const talk = await call(peer)
  await talk.begin()
  return talk
}

/** Returns the reasons of refusals of a peer, by item. */
export async function refusalsOf({ account, peer }: ScriptedPeer): Promise<Record<string, string>> {
  const family = accountKeys.refusedFrom(account.prefix, peer.number)
  const found: Record<string, string> = {}
  for await (const [key, text] of each(account.db.entries(under(family)))) {
    found[key.slice(family.length)] = (JSON.parse(text) as { reason: string }).reason
  }
  return found
}

/** Returns the keys of an account, sorted, without those that belong to sessions. */
export async function itemsOf({ account }: ScriptedPeer): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const all = accountKeys.all(account.prefix)
  for await (const [key, text] of each(account.db.entries(under(all)))) {
    if (!/^[LlOIXJoBgGA]\//.test(key.slice(all.length))) found[key.slice(all.length)] = text
  }
  return found
}
