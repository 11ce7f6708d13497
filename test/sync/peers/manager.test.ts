/** What a node does about its peers as time passes: dials, waits, gives way, remembers. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { accountOfUsername } from '../../../src/store/accounts/users.js'
import { forgetPeer } from '../../../src/sync/peers/forget.js'
import { createPeerManager, type PeerManager } from '../../../src/sync/peers/manager.js'
import { addPeer, listPeers, type Peer } from '../../../src/store/replication/peers.js'
import { erase } from '../../../src/server/api/register/deleteUser.js'
import { makeAccount } from '../../support/nodes/node.js'
import { withNode } from '../../support/nodes/started.js'
import { channelTo, fakeWorld, settle, waitFor, type FakeSession, type FakeWorld } from './world.js'

const node = withNode()
let world: FakeWorld
let manager: PeerManager
let account: Account
let count = 0

beforeEach(async () => {
  count += 1
  const { store } = node().node
  const username = `manager-${count}`
  await makeAccount(node(), username)
  account = await store.account(accountOfUsername(store.db, username) ?? '')
  waitFor(() => store.settled())
  world = fakeWorld('m')
  manager = managerIn(world)
  return async () => {
    await manager.stop()
    // Each test begins with its own peers alone.
    for (const { number } of await listPeers(account.db, account.prefix)) await forgetPeer(account, number, 0)
  }
})

const managerIn = (its: FakeWorld): PeerManager =>
  createPeerManager({ store: node().node.store, deps: its, log: { warn: () => {} } })

const paired = ({ address = 'http://127.0.0.1:1/', ...more }: Partial<Peer> = {}, isReached = true): Promise<Peer> =>
  addPeer(account, {
    name: 'laptop',
    pairing: `pairing-${count}-${more.name ?? ''}`,
    node: 'z',
    ...(isReached ? { address } : {}),
    scope: { is: 'mirror' },
    paired: world.now(),
    ...more,
  })

/** Begins with the peer of this test alone. */
async function begin(peer: Peer): Promise<void> {
  await manager.begin()
  await manager.added(account, peer.number)
  await world.pass(0)
}

const status = async (): Promise<Record<string, unknown>> => ({ ...(await manager.statuses(account))[0] })
const last = (): FakeSession => {
  const session = world.sessions.at(-1)
  if (session === undefined) throw new Error('no session')
  return session
}
const kept = async (): Promise<Peer | undefined> => {
  const [found] = (await manager.statuses(account)).length === 0 ? [] : [await manager.named(account, 'laptop')]
  return found
}

describe('dialing', () => {
  it('tries again after 1, 2, 4 seconds and so on, at most 5 minutes, and after a good contact after 1 again', async () => {
    world.reach = () => 'nobody is there'
    await begin(await paired())
    await world.pass(1300)
    expect(world.dialed).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 811, 1111])
    expect(await status()).toMatchObject({ state: 'offline', reason: 'nobody is there', lastContact: null })
    world.reach = () => undefined
    await world.pass(111)
    last().set({ state: 'in-sync', inSyncAt: 5 })
    expect(await status()).toMatchObject({ state: 'in-sync', lastContact: world.now() })
    last().end({ reason: 'lost', message: 'The connection was lost.', byPeer: false })
    await world.pass(3)
    expect(world.dialed.slice(12)).toEqual([1411, 1412])
  })

  it('is shorter by chance, so that nodes do not all come back at one moment', async () => {
    world.reach = () => 'nobody is there'
    world.random = () => 0.5
    await begin(await paired())
    await world.pass(6)
    expect(world.dialed).toEqual([0, 0.75, 2.25, 5.25])
  })

  it('keeps one line of history for attempts that fail alike', async () => {
    world.reach = () => 'nobody is there'
    const peer = await paired()
    await begin(peer)
    await world.pass(20)
    world.reach = () => 'certificate has expired'
    await world.pass(20)
    await settle()
    expect(await manager.history(account, peer.number)).toMatchObject([
      { result: 'certificate has expired', met: false },
      { result: 'nobody is there', attempts: 5, met: false },
    ])
  })

  it('happens at once when somebody waits, and not while there is a session', async () => {
    world.reach = () => 'nobody is there'
    await begin(await paired())
    await world.pass(200)
    const before = world.dialed.length
    world.reach = () => undefined
    expect(await manager.compare({ account }, { seconds: 10 })).toMatchObject([{ name: 'laptop', state: 'in-sync' }])
    expect(world.dialed).toHaveLength(before + 1)
    await manager.compare({ account }, { seconds: 10 })
    await world.pass(600)
    expect(world.dialed).toHaveLength(before + 1)
  })

  it('happens again when a caller waits and the session leads to a process that is gone', async () => {
    await begin(await paired())
    last().answers = 'nothing'
    const asked = manager.compare({ account }, { seconds: 10 })
    await world.pass(0)
    last().end({ reason: 'lost', message: 'The connection was lost.', byPeer: false })
    await world.pass(0)
    expect(await asked).toMatchObject([{ name: 'laptop', state: 'in-sync' }])
    expect(world.sessions).toHaveLength(2)
  })
})

describe('a schedule', () => {
  it('ends a contact once both are in sync, and begins the next at its time', async () => {
    await begin(await paired({ every: 900 }))
    await world.pass(20)
    last().set({ state: 'in-sync', inSyncAt: world.now(), filesPending: 10 })
    expect(last().closedWith).toBeUndefined()
    last().set({ filesPending: 0 })
    await world.pass(0)
    expect(last().closedWith).toBe('closed')
    expect(await status()).toMatchObject({ state: 'in-sync', inSyncAt: world.now(), every: 900 })
    await world.pass(1000)
    expect(world.dialed).toEqual([0, 900])
  })

  it('does not end what somebody waits for', async () => {
    await begin(await paired({ every: 900 }))
    const session = last()
    session.answers = 'nothing'
    const asked = manager.compare({ account }, { deep: true, seconds: 30 })
    await world.pass(1)
    session.set({ state: 'in-sync', inSyncAt: world.now() })
    expect([session.closedWith, session.compared]).toEqual([undefined, [true]])
    await world.pass(30)
    expect(await asked).toMatchObject([{ state: 'behind', reason: 'Timed out.' }])
    expect(session.closedWith).toBe('closed')
  })

  it('does not concern contacts that the other node began', async () => {
    await manager.begin()
    const peer = await paired({ every: 900 }, false)
    await manager.added(account, peer.number)
    void manager.answer(channelTo('z'), peer.pairing)
    await settle()
    last().set({ state: 'in-sync', inSyncAt: world.now() })
    expect(last().closedWith).toBeUndefined()
  })
})

describe('two connections of one pairing', () => {
  it.each([
    ['z', 'us'],
    ['a', 'them'],
  ])('at one moment: that of the smaller key is kept, on both sides (the other is %s)', async (other, winner) => {
    const peer = await paired({ node: other })
    let reached: (problem: undefined) => void = () => {}
    world.reach = () => new Promise((resolve) => (reached = resolve))
    await begin(peer)
    void manager.answer(channelTo(other), peer.pairing)
    await settle()
    reached(undefined)
    await world.pass(2)
    const [theirs, ours] = world.sessions
    if (winner === 'us') {
      expect([theirs?.closedWith, ours?.closedWith]).toEqual(['closed', undefined])
    } else {
      expect([theirs?.closedWith, ours, world.refused[0]?.[0]]).toEqual([undefined, undefined, 'closed'])
    }
  })

  it('later on: who dials has lost the former one', async () => {
    const peer = await paired({ node: 'z' })
    await begin(peer)
    await world.pass(30)
    void manager.answer(channelTo('z'), peer.pairing)
    await world.pass(5)
    expect(world.sessions.map(({ closedWith }) => closedWith)).toEqual(['closed', undefined])
    expect(world.dialed).toEqual([0])
  })
})

describe('who comes', () => {
  it('must be the node of the pairing', async () => {
    const peer = await paired()
    await begin(peer)
    const sessions = world.sessions.length
    const answers = Promise.all([manager.answer(channelTo('other'), peer.pairing), manager.answer(channelTo('z'), 'unknown')])
    await world.pass(3)
    await answers
    expect(world.refused.map(([reason]) => reason)).toEqual(['unknown-pairing', 'unknown-pairing'])
    expect(world.sessions).toHaveLength(sessions)
  })

  it('may come a moment before the pairing is taken up', async () => {
    await manager.begin()
    const peer = await paired({}, false)
    void manager.answer(channelTo('z'), peer.pairing)
    await world.pass(1)
    await manager.added(account, peer.number)
    await world.pass(2)
    expect([world.refused, world.sessions.length > 0]).toEqual([[], true])
  })

  it('waits until the node has begun', async () => {
    const peer = await paired()
    await manager.answer(channelTo('z'), peer.pairing)
    expect(world.refused).toEqual([['closed', 'The node is not ready.']])
  })
})

describe('what the owner decides', () => {
  it('pauses, which the other node is told, and resumes at once', async () => {
    const peer = await paired()
    await begin(peer)
    await manager.change(account, peer.number, { paused: true })
    expect(last().closedWith).toBe('paused')
    await world.pass(1000)
    await manager.answer(channelTo('z'), peer.pairing)
    expect(world.refused).toEqual([['paused', 'The pairing is paused on the other node.']])
    expect([world.dialed, await status()]).toEqual([[0], expect.objectContaining({ state: 'offline', paused: true, reason: 'The pairing is paused on this node.' })])
    expect(await manager.compare({ account }, { seconds: 5 })).toMatchObject([{ state: 'offline' }])
    await manager.change(account, peer.number, { paused: false })
    await world.pass(0)
    expect(world.dialed).toEqual([0, 1000])
  })

  it('refuses a name that another peer has', async () => {
    await begin(await paired())
    const other = await paired({ name: 'phone' })
    await manager.added(account, other.number)
    await expect(manager.change(account, other.number, { name: 'laptop' })).rejects.toMatchObject({ id: 'item-already-exists' })
    expect(await manager.change(account, other.number, { name: 'tablet' })).toMatchObject({ name: 'tablet' })
  })

  it('unpairs: the other node is told, and nothing is left but the account', async () => {
    const peer = await paired()
    await begin(peer)
    const { prefix } = account
    const notes = [
      accountKeys.peerPosition(prefix, peer.number),
      accountKeys.pendingFetch(prefix, peer.number, 'ex'),
      accountKeys.shared(prefix, peer.number, 'ex'),
      accountKeys.refused(prefix, peer.number, 'ex'),
    ]
    await account.write((t) => {
      for (const key of notes) t.put(key, '{}')
    })
    const unpaired = manager.unpair(account, peer.number)
    await world.pass(6)
    expect([await unpaired, last().closedWith]).toEqual([{ notified: true }, 'unpaired'])
    await settle()
    for (const key of notes) expect(account.db.get(key)).toBeUndefined()
    for (const family of [accountKeys.contacts(prefix, peer.number)]) {
      expect(await account.db.keys(under(family)).next(10)).toEqual([])
    }
    expect(await manager.statuses(account)).toEqual([])
    await world.pass(1000)
    expect(world.dialed).toEqual([0])
  })

  it('unpairs a node that cannot be reached', async () => {
    world.reach = () => 'nobody is there'
    const peer = await paired()
    await begin(peer)
    expect(await manager.unpair(account, peer.number)).toEqual({ notified: false })
    expect(await manager.statuses(account)).toEqual([])
  })
})

describe('the end of a pairing', () => {
  it('by the other node is shown, and nobody dials any more', async () => {
    const peer = await paired()
    await begin(peer)
    last().end({ reason: 'unpaired', message: 'The pairing was ended on the other node.', byPeer: true })
    await world.pass(1000)
    expect(await status()).toMatchObject({ state: 'refused', reason: 'The other node has ended the pairing.' })
    expect([world.dialed, (await kept())?.ended]).toEqual([[0], expect.any(Number)])
  })

  it('is not believed of a node that may not have written the pairing down yet', async () => {
    const peer = await paired()
    await begin(peer)
    const unknown = { reason: 'unknown-pairing', message: 'There is no such pairing.', byPeer: true } as const
    last().end(unknown)
    await world.pass(100)
    expect((await kept())?.ended).toBeUndefined()
    last().end(unknown)
    await world.pass(1)
    expect((await kept())?.ended).toEqual(expect.any(Number))
  })

  it('comes with the account', async () => {
    await begin(await paired())
    const found = await node().node.accounts.find(`manager-${count}`)
    if (found === undefined) throw new Error('no account')
    const session = last()
    await erase(node().node, found)
    await world.pass(1000)
    expect([session.closedWith, world.dialed]).toEqual(['unpaired', [0]])
  })
})

describe('what is remembered', () => {
  it('says why a peer refuses, until it does not', async () => {
    await begin(await paired())
    last().end({ reason: 'clock', message: 'Its clock is 9 min ahead.', byPeer: false })
    await settle()
    expect(await status()).toMatchObject({ state: 'refused', reason: 'Its clock is 9 min ahead.' })
    await world.pass(1.5)
    expect((await status())['reason']).toBeUndefined()
  })

  it('outlives the process: when there was contact, and when both were in sync', async () => {
    await begin(await paired())
    last().set({ state: 'in-sync', inSyncAt: 77, sent: 3, behind: 0, ahead: 0 })
    await world.pass(50)
    last().end({ reason: 'lost', message: 'The connection was lost.', byPeer: false })
    await settle()
    await node().node.store.settled()
    const lastContact = world.now()
    expect(await status()).toMatchObject({ state: 'offline', lastContact, inSyncAt: 77, behind: 0, ahead: 0 })
    const again = managerIn(fakeWorld())
    expect(await again.statuses(account)).toMatchObject([{ state: 'offline', lastContact, inSyncAt: 77, behind: null, ahead: null }])
    await again.stop()
  })

  it('keeps the 200 latest contacts', async () => {
    const peer = await paired()
    await begin(peer)
    for (let i = 0; i < 230; i++) {
      last().end({ reason: 'lost', message: `lost ${i}`, byPeer: false })
      await world.pass(1.5)
      while (world.sessions.length < i + 2) await world.pass(10)
    }
    await settle()
    const all = await account.db.keys(under(accountKeys.contacts(account.prefix, peer.number))).next(1000)
    expect(all.length).toBeLessThan(221)
    expect((await manager.history(account, peer.number))[0]?.result).toBe('lost 229')
  })

  it('tells those who follow, of changes that come together once', async () => {
    await begin(await paired())
    const told: unknown[] = []
    const leave = manager.follow(account.prefix, ({ state, received }) => told.push([state, received]))
    for (let received = 1; received <= 50; received++) last().set({ received })
    const toldOnce = async (count: number): Promise<void> => {
      await world.pass(0.2)
      while (told.length < count) await settle()
    }
    await toldOnce(1)
    last().set({ state: 'in-sync' })
    await toldOnce(2)
    leave()
    last().set({ state: 'behind' })
    await world.pass(1)
    expect(told).toEqual([['syncing', 50], ['in-sync', 50]])
  })
})

describe('two live copies of one home', () => {
  /** A session that the peer's process of an id dials. */
  async function dialedBy(peer: Peer, instance: string): Promise<FakeSession> {
    const before = world.sessions.length
    world.instance = instance
    void manager.answer(channelTo(peer.node), peer.pairing)
    while (world.sessions.length === before) await settle()
    await settle()
    return last()
  }

  it('are told from a restart, named, and do not take the session from each other', async () => {
    const peer = await paired({}, false)
    await begin(peer)
    const first = await dialedBy(peer, 'one')
    await world.pass(60)
    // A restarted process takes the place of the one before, several times.
    const second = await dialedBy(peer, 'two')
    expect([first.closedWith, second.closedWith]).toEqual(['closed', undefined])
    expect(await status()).not.toHaveProperty('copied')
    await world.pass(60)
    // The first one comes back: both are live.
    const third = await dialedBy(peer, 'one')
    expect([second.closedWith, third.closedWith]).toEqual([undefined, 'copied'])
    expect(second.copiedTold).toBe(1)
    expect(await status()).toMatchObject({ copied: 'theirs', state: 'syncing' })
    for (let n = 0; n < 5; n++) {
      await world.pass(1)
      expect((await dialedBy(peer, 'one')).closedWith).toBe('copied')
    }
    expect(second.closedWith).toBeUndefined()
    // The same process that connects once more is no copy.
    await world.pass(60)
    const again = await dialedBy(peer, 'two')
    expect([second.closedWith, again.closedWith]).toEqual(['closed', undefined])
    // Once one of them is stopped, it is named for an hour more.
    await world.pass(3700)
    expect(await status()).not.toHaveProperty('copied')
  })

  it('learn of it from the peer, the one that is refused and the one that is kept', async () => {
    const peer = await paired()
    await begin(peer)
    last().set({ copiedAt: world.now() })
    expect(await status()).toMatchObject({ copied: 'ours' })
    last().end({ reason: 'copied', message: 'Two copies run.', byPeer: true })
    await settle()
    expect(await status()).toMatchObject({ copied: 'ours', state: 'refused', reason: 'Two copies run.' })
    const dialed = world.dialed.length
    await world.pass(0.5)
    expect(world.dialed.length).toBe(dialed)
  })
})
