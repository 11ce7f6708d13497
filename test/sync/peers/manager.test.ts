/** Peer manager over time: dials, backs off, replaces connections, and stores the state of peers. */
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
import { channelTo, fakeDeps, settle, waitFor, type FakeSession, type FakeDeps } from './fakeDeps.js'

const node = withNode()
let deps: FakeDeps
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
  deps = fakeDeps('m')
  manager = managerIn(deps)
  return async () => {
    await manager.stop()
    // Each test begins with its own peers alone.
    for (const { number } of await listPeers(account.db, account.prefix)) await forgetPeer(account, number, 0)
  }
})

const managerIn = (its: FakeDeps): PeerManager =>
  createPeerManager({ store: node().node.store, deps: its, log: { warn: () => {} } })

const paired = ({ address = 'http://127.0.0.1:1/', ...more }: Partial<Peer> = {}, isReached = true): Promise<Peer> =>
  addPeer(account, {
    name: 'laptop',
    pairing: `pairing-${count}-${more.name ?? ''}`,
    node: 'z',
    ...(isReached ? { address } : {}),
    scope: { is: 'mirror' },
    paired: deps.now(),
    ...more,
  })

/** Begins with the peer of this test alone. */
async function begin(peer: Peer): Promise<void> {
  await manager.begin()
  await manager.added(account, peer.number)
  await deps.pass(0)
}

const status = async (): Promise<Record<string, unknown>> => ({ ...(await manager.statuses(account))[0] })
const last = (): FakeSession => {
  const session = deps.sessions.at(-1)
  if (session === undefined) throw new Error('no session')
  return session
}
const stored = async (): Promise<Peer | undefined> => {
  const [found] = (await manager.statuses(account)).length === 0 ? [] : [await manager.named(account, 'laptop')]
  return found
}

describe('dialing', () => {
  it('retries after 1, 2, 4 seconds and so on, at most 5 minutes, and after a successful contact after 1 again', async () => {
    deps.reach = () => 'nobody is there'
    await begin(await paired())
    await deps.pass(1300)
    expect(deps.dialed).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 811, 1111])
    expect(await status()).toMatchObject({ state: 'offline', reason: 'nobody is there', lastContact: null })
    deps.reach = () => undefined
    await deps.pass(111)
    last().set({ state: 'in-sync', inSyncAt: 5 })
    expect(await status()).toMatchObject({ state: 'in-sync', lastContact: deps.now() })
    last().end({ reason: 'lost', message: 'The connection was lost.', byPeer: false })
    await deps.pass(3)
    expect(deps.dialed.slice(12)).toEqual([1411, 1412])
  })

  it('shortens its delays at random, so that nodes do not all reconnect at once', async () => {
    deps.reach = () => 'nobody is there'
    deps.random = () => 0.5
    await begin(await paired())
    await deps.pass(6)
    expect(deps.dialed).toEqual([0, 0.75, 2.25, 5.25])
  })

  it('stores one history entry for repeated equal failures', async () => {
    deps.reach = () => 'nobody is there'
    const peer = await paired()
    await begin(peer)
    await deps.pass(20)
    deps.reach = () => 'certificate has expired'
    await deps.pass(20)
    await settle()
    expect(await manager.history(account, peer.number)).toMatchObject([
      { result: 'certificate has expired', met: false },
      { result: 'nobody is there', attempts: 5, met: false },
    ])
  })

  it('happens at once for a waiting caller, and not during a session', async () => {
    deps.reach = () => 'nobody is there'
    await begin(await paired())
    await deps.pass(200)
    const before = deps.dialed.length
    deps.reach = () => undefined
    expect(await manager.compare({ account }, { seconds: 10 })).toMatchObject([{ name: 'laptop', state: 'in-sync' }])
    expect(deps.dialed).toHaveLength(before + 1)
    await manager.compare({ account }, { seconds: 10 })
    await deps.pass(600)
    expect(deps.dialed).toHaveLength(before + 1)
  })

  it('happens again when a caller waits and the session leads to a dead process', async () => {
    await begin(await paired())
    last().answers = 'nothing'
    const asked = manager.compare({ account }, { seconds: 10 })
    await deps.pass(0)
    last().end({ reason: 'lost', message: 'The connection was lost.', byPeer: false })
    await deps.pass(0)
    expect(await asked).toMatchObject([{ name: 'laptop', state: 'in-sync' }])
    expect(deps.sessions).toHaveLength(2)
  })
})

describe('a schedule', () => {
  it('closes a contact once both are in sync, and begins the next on time', async () => {
    await begin(await paired({ every: 900 }))
    await deps.pass(20)
    last().set({ state: 'in-sync', inSyncAt: deps.now(), filesPending: 10 })
    expect(last().closedWith).toBeUndefined()
    last().set({ filesPending: 0 })
    await deps.pass(0)
    expect(last().closedWith).toBe('closed')
    expect(await status()).toMatchObject({ state: 'in-sync', inSyncAt: deps.now(), every: 900 })
    await deps.pass(1000)
    expect(deps.dialed).toEqual([0, 900])
  })

  it('does not close a session that a caller waits for', async () => {
    await begin(await paired({ every: 900 }))
    const session = last()
    session.answers = 'nothing'
    const asked = manager.compare({ account }, { deep: true, seconds: 30 })
    await deps.pass(1)
    session.set({ state: 'in-sync', inSyncAt: deps.now() })
    expect([session.closedWith, session.compared]).toEqual([undefined, [true]])
    await deps.pass(30)
    expect(await asked).toMatchObject([{ state: 'behind', reason: 'Timed out.' }])
    expect(session.closedWith).toBe('closed')
  })

  it('does not apply to contacts that the other node began', async () => {
    await manager.begin()
    const peer = await paired({ every: 900 }, false)
    await manager.added(account, peer.number)
    void manager.answer(channelTo('z'), peer.pairing)
    await settle()
    last().set({ state: 'in-sync', inSyncAt: deps.now() })
    expect(last().closedWith).toBeUndefined()
  })
})

describe('two connections of one pairing', () => {
  it.each([
    ['z', 'us'],
    ['a', 'them'],
  ])('at one moment: the one dialed by the smaller key stays, on both sides (the other is %s)', async (other, winner) => {
    const peer = await paired({ node: other })
    let reached: (problem: undefined) => void = () => {}
    deps.reach = () => new Promise((resolve) => (reached = resolve))
    await begin(peer)
    void manager.answer(channelTo(other), peer.pairing)
    await settle()
    reached(undefined)
    await deps.pass(2)
    const [theirs, ours] = deps.sessions
    if (winner === 'us') {
      expect([theirs?.closedWith, ours?.closedWith]).toEqual(['closed', undefined])
    } else {
      expect([theirs?.closedWith, ours, deps.refused[0]?.[0]]).toEqual([undefined, undefined, 'closed'])
    }
  })

  it('later on: the newer one replaces the one that the dialing node lost', async () => {
    const peer = await paired({ node: 'z' })
    await begin(peer)
    await deps.pass(30)
    void manager.answer(channelTo('z'), peer.pairing)
    await deps.pass(5)
    expect(deps.sessions.map(({ closedWith }) => closedWith)).toEqual(['closed', undefined])
    expect(deps.dialed).toEqual([0])
  })
})

describe('an incoming connection', () => {
  it('must come from the node of the pairing', async () => {
    const peer = await paired()
    await begin(peer)
    const sessions = deps.sessions.length
    const answers = Promise.all([manager.answer(channelTo('other'), peer.pairing), manager.answer(channelTo('z'), 'unknown')])
    await deps.pass(3)
    await answers
    expect(deps.refused.map(([reason]) => reason)).toEqual(['unknown-pairing', 'unknown-pairing'])
    expect(deps.sessions).toHaveLength(sessions)
  })

  it('may arrive shortly before the pairing is added', async () => {
    await manager.begin()
    const peer = await paired({}, false)
    void manager.answer(channelTo('z'), peer.pairing)
    await deps.pass(1)
    await manager.added(account, peer.number)
    await deps.pass(2)
    expect([deps.refused, deps.sessions.length > 0]).toEqual([[], true])
  })

  it('is refused until the manager has begun', async () => {
    const peer = await paired()
    await manager.answer(channelTo('z'), peer.pairing)
    expect(deps.refused).toEqual([['closed', 'The node is not ready.']])
  })
})

describe('an operation of the owner', () => {
  it('pauses, with a notification of the other node, and resumes at once', async () => {
    const peer = await paired()
    await begin(peer)
    await manager.change(account, peer.number, { paused: true })
    expect(last().closedWith).toBe('paused')
    await deps.pass(1000)
    await manager.answer(channelTo('z'), peer.pairing)
    expect(deps.refused).toEqual([['paused', 'The pairing is paused on the other node.']])
    expect([deps.dialed, await status()]).toEqual([[0], expect.objectContaining({ state: 'offline', paused: true, reason: 'The pairing is paused on this node.' })])
    expect(await manager.compare({ account }, { seconds: 5 })).toMatchObject([{ state: 'offline' }])
    await manager.change(account, peer.number, { paused: false })
    await deps.pass(0)
    expect(deps.dialed).toEqual([0, 1000])
  })

  it('refuses the name of another peer', async () => {
    await begin(await paired())
    const other = await paired({ name: 'phone' })
    await manager.added(account, other.number)
    await expect(manager.change(account, other.number, { name: 'laptop' })).rejects.toMatchObject({ id: 'item-already-exists' })
    expect(await manager.change(account, other.number, { name: 'tablet' })).toMatchObject({ name: 'tablet' })
  })

  it('unpairs: notifies the other node, and leaves nothing but the account', async () => {
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
    await deps.pass(6)
    expect([await unpaired, last().closedWith]).toEqual([{ notified: true }, 'unpaired'])
    await settle()
    for (const key of notes) expect(account.db.get(key)).toBeUndefined()
    for (const family of [accountKeys.contacts(prefix, peer.number)]) {
      expect(await account.db.keys(under(family)).next(10)).toEqual([])
    }
    expect(await manager.statuses(account)).toEqual([])
    await deps.pass(1000)
    expect(deps.dialed).toEqual([0])
  })

  it('unpairs a node that cannot be reached', async () => {
    deps.reach = () => 'nobody is there'
    const peer = await paired()
    await begin(peer)
    expect(await manager.unpair(account, peer.number)).toEqual({ notified: false })
    expect(await manager.statuses(account)).toEqual([])
  })
})

describe('the end of a pairing', () => {
  it('by the other node is shown, and stops dialing', async () => {
    const peer = await paired()
    await begin(peer)
    last().end({ reason: 'unpaired', message: 'The pairing was ended on the other node.', byPeer: true })
    await deps.pass(1000)
    expect(await status()).toMatchObject({ state: 'refused', reason: 'The other node has ended the pairing.' })
    expect([deps.dialed, (await stored())?.ended]).toEqual([[0], expect.any(Number)])
  })

  it('is not stored while the other node may not have stored the pairing yet', async () => {
    const peer = await paired()
    await begin(peer)
    const unknown = { reason: 'unknown-pairing', message: 'There is no such pairing.', byPeer: true } as const
    last().end(unknown)
    await deps.pass(100)
    expect((await stored())?.ended).toBeUndefined()
    last().end(unknown)
    await deps.pass(1)
    expect((await stored())?.ended).toEqual(expect.any(Number))
  })

  it('happens with the deletion of the account', async () => {
    await begin(await paired())
    const found = await node().node.accounts.find(`manager-${count}`)
    if (found === undefined) throw new Error('no account')
    const session = last()
    await erase(node().node, found)
    await deps.pass(1000)
    expect([session.closedWith, deps.dialed]).toEqual(['unpaired', [0]])
  })
})

describe('the stored state of a peer', () => {
  it('includes the reason of a refusal until it ends', async () => {
    await begin(await paired())
    last().end({ reason: 'clock', message: 'Its clock is 9 min ahead.', byPeer: false })
    await settle()
    expect(await status()).toMatchObject({ state: 'refused', reason: 'Its clock is 9 min ahead.' })
    await deps.pass(1.5)
    expect((await status())['reason']).toBeUndefined()
  })

  it('survives a restart: the times of the last contact and of the last sync', async () => {
    await begin(await paired())
    last().set({ state: 'in-sync', inSyncAt: 77, sent: 3, behind: 0, ahead: 0 })
    await deps.pass(50)
    last().end({ reason: 'lost', message: 'The connection was lost.', byPeer: false })
    await settle()
    await node().node.store.settled()
    const lastContact = deps.now()
    expect(await status()).toMatchObject({ state: 'offline', lastContact, inSyncAt: 77, behind: 0, ahead: 0 })
    const again = managerIn(fakeDeps())
    expect(await again.statuses(account)).toMatchObject([{ state: 'offline', lastContact, inSyncAt: 77, behind: null, ahead: null }])
    await again.stop()
  })

  it('includes the 200 latest contacts', async () => {
    const peer = await paired()
    await begin(peer)
    for (let i = 0; i < 230; i++) {
      last().end({ reason: 'lost', message: `lost ${i}`, byPeer: false })
      await deps.pass(1.5)
      while (deps.sessions.length < i + 2) await deps.pass(10)
    }
    await settle()
    const all = await account.db.keys(under(accountKeys.contacts(account.prefix, peer.number))).next(1000)
    expect(all.length).toBeLessThan(221)
    expect((await manager.history(account, peer.number))[0]?.result).toBe('lost 229')
  })

  it('is sent to followers, once for several quick changes', async () => {
    await begin(await paired())
    const notified: unknown[] = []
    const unfollow = manager.follow(account.prefix, ({ state, received }) => notified.push([state, received]))
    for (let received = 1; received <= 50; received++) last().set({ received })
    const notifiedOnce = async (count: number): Promise<void> => {
      await deps.pass(0.2)
      while (notified.length < count) await settle()
    }
    await notifiedOnce(1)
    last().set({ state: 'in-sync' })
    await notifiedOnce(2)
    unfollow()
    last().set({ state: 'behind' })
    await deps.pass(1)
    expect(notified).toEqual([['syncing', 50], ['in-sync', 50]])
  })
})

describe('two live copies of one home', () => {
  /** Returns a session that a process of the peer dials, by its instance id. */
  async function dialedBy(peer: Peer, instance: string): Promise<FakeSession> {
    const before = deps.sessions.length
    deps.instance = instance
    void manager.answer(channelTo(peer.node), peer.pairing)
    while (deps.sessions.length === before) await settle()
    await settle()
    return last()
  }

  it("are distinguished from a restart, reported, and do not replace each other's session", async () => {
    const peer = await paired({}, false)
    await begin(peer)
    const first = await dialedBy(peer, 'one')
    await deps.pass(60)
    // A restarted process replaces the one before, several times.
    const second = await dialedBy(peer, 'two')
    expect([first.closedWith, second.closedWith]).toEqual(['closed', undefined])
    expect(await status()).not.toHaveProperty('copied')
    await deps.pass(60)
    // The first one dials again: both are live.
    const third = await dialedBy(peer, 'one')
    expect([second.closedWith, third.closedWith]).toEqual([undefined, 'copied'])
    expect(second.copiedTold).toBe(1)
    expect(await status()).toMatchObject({ copied: 'theirs', state: 'syncing' })
    for (let n = 0; n < 5; n++) {
      await deps.pass(1)
      expect((await dialedBy(peer, 'one')).closedWith).toBe('copied')
    }
    expect(second.closedWith).toBeUndefined()
    // The same process that connects once more is no copy.
    await deps.pass(60)
    const again = await dialedBy(peer, 'two')
    expect([second.closedWith, again.closedWith]).toEqual(['closed', undefined])
    // After one of them stops, it is reported for another hour.
    await deps.pass(3700)
    expect(await status()).not.toHaveProperty('copied')
  })

  it('are reported by the peer, to the refused one and to the accepted one', async () => {
    const peer = await paired()
    await begin(peer)
    last().set({ copiedAt: deps.now() })
    expect(await status()).toMatchObject({ copied: 'ours' })
    last().end({ reason: 'copied', message: 'Two copies run.', byPeer: true })
    await settle()
    expect(await status()).toMatchObject({ copied: 'ours', state: 'refused', reason: 'Two copies run.' })
    const dialed = deps.dialed.length
    await deps.pass(0.5)
    expect(deps.dialed.length).toBe(dialed)
  })
})
