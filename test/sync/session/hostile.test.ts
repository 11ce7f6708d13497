/** Hostile peers: the session ends with a reason, and nothing is applied partially. */
import { describe, expect, it } from 'vitest'
import type { Channel } from '../../../src/sync/channel/channel.js'
import { encode } from '../../../src/sync/wire/codec.js'
import type { Group, Message } from '../../../src/sync/wire/message.js'
import { runProtocol } from '../../../src/sync/session/protocol.js'
import type { Session } from '../../../src/sync/session/types.js'
import { plainChannels } from '../../support/sync/wires.js'
import { FakeAccount } from './fakeAccount.js'
import { openSessions, quiet } from './sessionPair.js'

const hello: Message = {
  type: 'hello', product: 'x', instance: 'i', now: 1000, scope: { is: 'mirror' }, mine: { epoch: 'them', sequence: 0 },
  digest: { state: new Uint8Array(16) }, pendingFetch: 0,
}
const begin: Message = { type: 'begin', how: 'feed' }
const group: Group = { type: 'group', entries: [], offers: [], lacking: [], aside: [], answers: false, reconciled: false, left: 0 }
const H = '00'.repeat(32)

/** Returns a session of an account with an item, and the channel of its hostile peer. */
async function startHostile(): Promise<{ session: Session; peer: Channel; account: FakeAccount }> {
  const account = new FakeAccount('a')
  account.write('event', 'x', 'one')
  const { ends } = plainChannels(['a', 'b'])
  const replica = account.replica(1)
  // Simulates a slow disk.
  replica.files.read = () => new Promise(() => {})
  const session = await runProtocol({
    channel: ends[0], replica, now: () => 1000, log: quiet, maxSkew: 300,
  })
  return { session, peer: ends[1], account }
}

describe('a session ends as damaged by', () => {
  const cases: [string, (Message | Uint8Array)[], string][] = [
    ['bytes that are not a message', [new Uint8Array([0])], 'a message that cannot be read'],
    ['a message before the greeting', [begin], 'a message before its greeting'],
    ['a second greeting', [hello, hello], 'a second greeting'],
    ['the greeting of the node itself', [{ ...hello, mine: { epoch: 'a0', sequence: 1 } }], 'the feed of this node itself'],
    ['a message before the begin message', [hello, group], 'a message before its begin message'],
    ['a second begin message', [hello, begin, begin], 'a begin message out of order'],
    ['a position other than that of its greeting', [hello, { ...begin, skip: { epoch: 'them', sequence: 5 } }], 'a position other than that of its greeting'],
    ['an acknowledgement of a group that was not sent', [hello, begin, { type: 'acknowledgement', groups: 9, refused: 0, refusals: [] }], 'an acknowledgement of a group that was not sent'],
    ['an answer without a request', [hello, begin, { ...group, answers: true }], 'an answer without a request'],
    ['the end of a comparison that is not running', [hello, begin, { ...group, reconciled: true }], 'the end of a comparison that is not running'],
    ['too many groups at once', [hello, begin, ...Array.from({ length: 40 }, () => group)], 'too many groups at once'],
    ['too many requests at once', [hello, begin, ...Array.from({ length: 9 }, (): Message => ({ type: 'request', items: [{ item: { kind: 'event', id: 'q' } }] }))], 'too many requests at once'],
    ['too many file requests at once', [hello, begin, ...Array.from({ length: 33 }, (): Message => ({ type: 'file-request', digest: H, offset: 0, length: 9 }))], 'too many file requests at once'],
    ['a file request of an invalid length', [hello, begin, { type: 'file-request', digest: H, offset: 0, length: 2 ** 30 }], 'a file request of an invalid length'],
    ['a part of a file that was not requested', [hello, begin, { type: 'file-part', digest: H, offset: 0, bytes: new Uint8Array(3) }], 'a part of a file that was not requested'],
    ['endless parts', [hello, begin, ...Array.from({ length: 40 }, (): Message => ({ type: 'part', isLast: false, bytes: new Uint8Array(1_000_000) }))], 'a message that is too long'],
    ['a message within another', [hello, begin, { type: 'part', isLast: false, bytes: new Uint8Array(3) }, group], 'a message within a fragmented message'],
    ['an empty reconciliation step', [hello, begin, { type: 'reconcile', body: new Uint8Array([255, 255]) }], ''],
  ]
  it.each(cases)('%s', async (_, messages, what) => {
    const { session, peer, account } = await startHostile()
    const before = account.shown()
    for (const message of messages) {
      await peer.send(message instanceof Uint8Array ? message : await encode(message)).catch(() => {})
    }
    const end = await session.ended
    expect(end).toMatchObject({ reason: 'damaged', byPeer: false })
    expect(end.message).toContain(what)
    expect(account.shown()).toEqual(before)
    expect(session.status()).toMatchObject({ state: 'refused', reason: end.message })
  })
})

it('ends with reason version for messages of another version', async () => {
  const { session, peer } = await startHostile()
  await peer.send(new Uint8Array([0, 99]))
  expect(await session.ended).toMatchObject({ reason: 'version' })
})

it('ends with reason clock for a large clock skew, and states the skew', async () => {
  const sessions = await openSessions(new FakeAccount('a'), new FakeAccount('b'), { ahead: 3 * 86_400 })
  const [a, b] = await Promise.all([sessions.a.ended, sessions.b.ended])
  for (const end of [a, b]) expect(end.reason).toBe('clock')
  expect(a.message).toContain('3 days')
  const near = await openSessions(new FakeAccount('a'), new FakeAccount('b'), { ahead: 290 })
  expect(await near.a.compare()).toBe('in-sync')
  await near.end()
})

it('ends with reason scope when the scopes of both sides differ', async () => {
  const share = { is: 'share', streams: ['x'], direction: 'send', grantor: 'us' } as const
  for (const other of [{ is: 'mirror' } as const, share, { ...share, grantor: 'them' } as const, { ...share, grantor: 'them', direction: 'receive', streams: ['y'] } as const]) {
    const sessions = await openSessions(new FakeAccount('a'), new FakeAccount('b'), { scopes: [share, other] })
    expect((await sessions.a.ended).reason).toBe('scope')
    expect((await sessions.b.ended).reason).toBe('scope')
  }
})

it('sends the reason of a close to the peer', async () => {
  const sessions = await openSessions(new FakeAccount('a'), new FakeAccount('b'))
  await sessions.a.close('paused', 'Paused by its owner.')
  expect(await sessions.b.ended).toEqual({ reason: 'paused', message: 'Paused by its owner.', byPeer: true })
  expect(await sessions.a.ended).toEqual({ reason: 'paused', message: 'Paused by its owner.', byPeer: false })
})
