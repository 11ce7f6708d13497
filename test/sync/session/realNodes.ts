/** Nodes with stores on disk, whose accounts are paired with each other. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '../../../src/store/engine/account.js'
import { addEvent } from '../../../src/store/events/events.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import type { Event } from '../../../src/store/model/event.js'
import { createStore, openStore } from '../../../src/store/engine/open.js'
import { Secret } from '../../../src/store/model/secret.js'
import { createSeal } from '../../../src/store/keyring/seal.js'
import { createStoreView, type Store } from '../../../src/store/index.js'
import { addStream } from '../../../src/store/streams/streams.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import type { Merger } from '../../../src/sync/merge/context.js'
import type { Peer, Scope } from '../../../src/store/replication/peers.js'
import { startSession } from '../../../src/sync/session/session.js'
import type { Session } from '../../../src/sync/session/types.js'
import { createStateKeeper, type StateKeeper } from '../../../src/sync/digest/stateKeeper.js'
import { plainChannels } from '../../support/sync/wires.js'
import { mergerOf } from './realMerger.js'
import { quiet } from './sessionPair.js'

const now = (): number => Date.now() / 1000

export interface RealNode {
  name: string
  store: Store
  account: Account
  states: StateKeeper
  merger: Merger
  peers: number
  write(events: readonly Event[]): Promise<void>
  stop(): Promise<void>
}

export async function realNode(name: string): Promise<RealNode> {
  const root = await mkdtemp(join(tmpdir(), 'coffer-session-'))
  const seal = await createSeal(new Secret(randomBytes(32)))
  await createStore({ folder: join(root, 'store'), now }, name, seal)
  const opened = await openStore({ folder: join(root, 'store'), now })
  const recorder = createRecorder({ actor: randomBytes(16).toString('hex') })
  const store = await createStoreView(opened, seal, recorder)
  const account = await store.createAccount((t, one) => {
    t.put(accountKeys.user(one.prefix), '{}')
    t.journal('user', 'create', one.prefix)
    return one
  })
  const states = createStateKeeper({ store, log: quiet })
  return {
    name,
    store,
    account,
    states,
    merger: mergerOf(store),
    peers: 0,
    write: (events) => account.write((t) => void events.map((event) => addEvent(t, recorder, event))),
    async stop() {
      await states.stop()
      await store.close()
      await rm(root, { recursive: true })
    },
  }
}

export const withStream = (node: RealNode, id: string): Promise<void> =>
  node.account.write((t) => {
    const stream = { id, name: id, parentId: null, created: 1, createdBy: 'c', modified: 1, modifiedBy: 'c' }
    void addStream(node.account, t, node.store.recorder, stream)
  })

export interface Pairing {
  peers: [Peer, Peer]
  connect(): Promise<{ a: Session; b: Session; cut(): void; end(): Promise<void> }>
}

/** Pairs the accounts of two nodes. */
export function pair(a: RealNode, b: RealNode, scopes: [Scope, Scope] = [{ is: 'mirror' }, { is: 'mirror' }]): Pairing {
  const peer = (node: RealNode, other: RealNode, scope: Scope): Peer => {
    node.peers += 1
    return { number: node.peers, name: other.name, pairing: 'p', node: other.name, scope, paired: 1 }
  }
  const peers: [Peer, Peer] = [peer(a, b, scopes[0]), peer(b, a, scopes[1])]
  return {
    peers,
    async connect() {
      const { ends, cut } = plainChannels([a.name, b.name])
      const side = (node: RealNode, at: 0 | 1): Promise<Session> => {
        const { store, account, states, merger } = node
        const channel = ends[at]
        return startSession({ channel, store, account, states, merger, peer: peers[at], now, log: quiet })
      }
      const [one, two] = await Promise.all([side(a, 0), side(b, 1)])
      return {
        a: one,
        b: two,
        cut,
        async end() {
          await one.close('closed', 'Enough.')
          await two.ended
        },
      }
    },
  }
}
