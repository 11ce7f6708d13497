/** The end of a relationship: docs/interface/delegations.md#detaching. */
import { describe, expect, it } from 'vitest'
import { findAccess } from '../../../../src/store/accesses/accesses.js'
import type { Access } from '../../../../src/store/model/access.js'
import { grantAccess } from '../../../support/people/access.js'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { request, startTestNode } from '../../../support/nodes/node.js'
import { callThrough, describeMethod, newStage, type Stage } from '../../../support/http/methodTable.js'
import { connectSocket } from '../../../support/http/socket.js'
import { withNode } from '../../../support/nodes/started.js'
import { accountOf, activePair, anchorsOf, invitedPair, kindsOf, mirrorsOf, tokenOf, tokenOfKind, tried, type Pair } from './support.js'

const { home } = homes()

/** An access that was granted through the only delegation of an account. */
async function granted({ node, username }: Stage, more: Partial<Access> = {}, viaAccessId = 'via'): Promise<{ id: string; token: string }> {
  const [anchor] = await anchorsOf({ node, username } as Stage)
  if (anchor === undefined) throw new Error('no anchor')
  const { relId, delegate } = anchor
  const clientData = { ...more.clientData, delegation: { kind: 'delegated-child', relId, delegate, viaAccessId } }
  return grantAccess(node, username, [{ streamId: 'diary', level: 'read' }], { ...more, clientData })
}

const consent = (acceptEventId?: string): { clientData: Record<string, unknown> } => ({
  clientData: { cmc: { role: 'counterparty', appCode: 'study', acceptEventId }, other: 1 },
})

const isThere = async (stage: Stage, id: string): Promise<boolean> =>
  findAccess(stage.node.node.store.db, stage.node.node.store.seal, (await accountOf(stage)).prefix, id) !== undefined

/** An account with a delegate, for a table. */
async function delegated(stage: Stage): Promise<Pair> {
  const a = await newStage(stage.node)
  await stage.arrange('delegations.requestAttach', { delegateUsername: a.username })
  await a.arrange('delegations.acceptAttach', { username: stage.username })
  return { a, b: stage }
}

/** A refused list of what to keep, after which everything is there still. */
const refusedList = (it: string, list: (pair: Pair) => Promise<unknown>, badId = false) => ({
  it: `refuses ${it}`,
  given: async (stage: Stage) => {
    const pair = await delegated(stage)
    await tokenOf(pair)
    return { username: pair.a.username, keepAccessIds: await list(pair) }
  },
  gives: [400, 'delegation-invalid-keep-list'] as [number, 'delegation-invalid-keep-list'],
  ...(badId ? { data: { accessId: expect.any(String) as string } } : {}),
  then: async (_: unknown, stage: Stage) => {
    expect(await anchorsOf(stage)).toMatchObject([{ status: 'active' }])
    expect(await kindsOf(stage)).toEqual(expect.arrayContaining(['control', 'delegate-pat']))
  },
})

describeMethod('delegations.detachDelegate', [
  {
    it: 'ends the relationship on both sides',
    given: async (stage) => {
      const pair = await delegated(stage)
      await tokenOf(pair)
      return { username: pair.a.username.toUpperCase() }
    },
    gives: 200,
    then: async (_, stage) => expect([await anchorsOf(stage), await kindsOf(stage)]).toEqual([[], []]),
  },
  {
    it: 'cancels an invite',
    given: async (stage) => {
      const a = await newStage(stage.node)
      await stage.arrange('delegations.requestAttach', { delegateUsername: a.username })
      return { username: a.username, keepAccessIds: [] }
    },
    gives: 200,
    then: async (_, stage) => expect([await anchorsOf(stage), await kindsOf(stage)]).toEqual([[], []]),
  },
  { it: 'refuses an unknown delegate', send: { username: 'nobody-here' }, gives: [404, 'delegation-not-found'] },
  { it: 'refuses a bad list before it looks', send: { username: 'nobody-here', keepAccessIds: [''] }, gives: [400, 'delegation-invalid-keep-list'] },
  { it: 'refuses an empty name before the list', send: { username: '', keepAccessIds: [''] }, gives: [404, 'delegation-unknown-username'], only: ['batch', 'socket'] },
  { it: 'refuses apps before all else', as: [{ streamId: '*', level: 'manage' }], send: { username: 'x', keepAccessIds: [''] }, gives: [403, 'delegation-genuine-login-required'] },
  { ...refusedList('a list that is none', () => Promise.resolve('text')), only: ['batch', 'socket'] },
  { ...refusedList('a list of something else', () => Promise.resolve([1])), only: ['batch', 'socket'] },
  refusedList('an empty id', () => Promise.resolve([''])),
  refusedList('an id that nobody has', () => Promise.resolve(['cabcdefghijklmnopqrstuvwx']), true),
  refusedList('an access that is no consent', async ({ b }) => [(await granted(b)).id], true),
  refusedList('a consent of the owner', async ({ b }) => [(await grantAccess(b.node, b.username, [], consent())).id], true),
  refusedList('a good one beside a bad one', async ({ b }) => [(await granted(b, consent())).id, 'bad'], true),
  refusedList(
    'a consent of another relationship',
    async ({ b }) => {
      const [anchor] = await anchorsOf(b)
      const marker = { kind: 'delegated-child', relId: 'another', delegate: anchor?.delegate, viaAccessId: 'via' }
      return [(await grantAccess(b.node, b.username, [], { clientData: { ...consent().clientData, delegation: marker } })).id]
    },
    true,
  ),
  {
    it: 'refuses a list for an invite',
    given: async (stage) => {
      const a = await newStage(stage.node)
      await stage.arrange('delegations.requestAttach', { delegateUsername: a.username })
      return { username: a.username, keepAccessIds: ['any'] }
    },
    gives: [400, 'delegation-invalid-keep-list'],
    data: { accessId: 'any' },
    then: async (_, stage) => expect(await anchorsOf(stage)).toHaveLength(1),
  },
])

describe('a detached delegate', () => {
  const at = withNode()
  const statusOf = async (stage: Stage, token: string): Promise<number> =>
    (await request(`${at().url}${stage.username}/access-info`, { token })).status

  /** Connects a websocket; answers how to wait for its end, and why that came. */
  async function endOf(stage: Stage, token: string): Promise<() => Promise<string>> {
    const socket = await connectSocket(at(), stage.username, { token })
    const ended = new Promise<string>((resolve) => socket.io.once('disconnect', resolve))
    return () => ended
  }

  it('has no token any more, and cannot get one; its lists are empty', async () => {
    const pair = await activePair(at())
    const token = await tokenOf(pair)
    const ended = await endOf(pair.b, token)
    await pair.b.arrange('delegations.detachDelegate', { username: pair.a.username })
    expect(await statusOf(pair.b, token)).toBe(403)
    expect(await ended()).toBe('io server disconnect')
    expect(await tried(pair.a, pair.a.owner, 'delegations.getToken', { username: pair.b.username })).toEqual([404, 'delegation-not-found'])
    expect((await pair.a.arrange('delegations.listControlled', {}))['controlled']).toEqual([])
    expect((await pair.b.arrange('delegations.listDelegates', {}))['delegates']).toEqual([])
    expect([await kindsOf(pair.a), await kindsOf(pair.b)]).toEqual([[], []])
    // Nothing stands in the way of beginning anew.
    await pair.b.arrange('delegations.requestAttach', { delegateUsername: pair.a.username })
    await pair.a.arrange('delegations.acceptAttach', { username: pair.b.username })
    expect(await statusOf(pair.b, await tokenOf(pair))).toBe(200)
  })

  it('cannot detach itself, nor can its control access', async () => {
    const pair = await activePair(at())
    const params = { username: pair.a.username }
    const refused = [403, 'delegation-genuine-login-required']
    expect(await tried(pair.b, await tokenOf(pair), 'delegations.detachDelegate', params)).toEqual(refused)
    expect(await tried(pair.b, await tokenOfKind(pair.b, 'control'), 'delegations.detachDelegate', params)).toEqual(refused)
    expect(await anchorsOf(pair.b)).toHaveLength(1)
  })

  it('leaves another delegate, and what the owner made, alone', async () => {
    const pair = await activePair(at())
    const { a: second } = await delegated(pair.b)
    const [token, other] = [await tokenOf(pair), await tokenOf({ a: second, b: pair.b })]
    const own = await grantAccess(at(), pair.b.username, [])
    await pair.b.arrange('delegations.detachDelegate', { username: pair.a.username })
    expect([await statusOf(pair.b, token), await statusOf(pair.b, other), await statusOf(pair.b, own.token)]).toEqual([403, 200, 200])
    expect(await anchorsOf(pair.b)).toMatchObject([{ delegate: { username: second.username } }])
  })

  it('takes with it what it granted and what that granted; kept consents become the owner\'s own', async () => {
    const pair = await activePair(at())
    const { b } = pair
    await tokenOf(pair)
    const app = await granted(b)
    const child = await granted(b, { type: 'shared', manager: app.id }, app.id)
    const grandchild = await grantAccess(at(), b.username, [], { type: 'shared', manager: app.id })
    const kept = await granted(b, { ...consent('none'), type: 'shared', manager: app.id })
    const dropped = await granted(b, consent())
    const ended = await endOf(b, app.token)
    const { status } = await callThrough('http', b, b.owner, 'delegations.detachDelegate', { username: pair.a.username, keepAccessIds: kept.id })
    expect(status).toBe(200)
    expect(await ended()).toBe('io server disconnect')
    for (const { id, token } of [app, child, grandchild, dropped]) {
      expect([await isThere(b, id), await statusOf(b, token)]).toEqual([false, 403])
    }
    const { status: alive, body } = await request(`${at().url}${b.username}/access-info`, { token: kept.token })
    expect([alive, body['id'], body['clientData']]).toEqual([200, kept.id, { cmc: { role: 'counterparty', appCode: 'study', acceptEventId: 'none' }, other: 1 }])
    const deletions = await b.arrange('accesses.get', { includeDeletions: true })
    expect(JSON.stringify(deletions['accessDeletions'])).toContain(dropped.id)
  })

  it('leaves in the events by which consents were given what became of them', async () => {
    const pair = await activePair(at())
    const { b } = pair
    const [anchor] = await anchorsOf(b)
    await b.arrange('streams.create', { id: 'diary', name: 'diary' })
    const ids: string[] = []
    for (let n = 0; n < 2; n++) {
      const { event } = await b.arrange('events.create', { streamIds: ['diary'], type: 'position/wgs84', content: { latitude: 1, longitude: 2 } })
      ids.push((event as { id: string }).id)
    }
    const [keptEvent = '', droppedEvent = ''] = ids
    const kept = await granted(b, consent(keptEvent))
    await granted(b, consent(droppedEvent))
    await b.arrange('delegations.detachDelegate', { username: pair.a.username, keepAccessIds: [kept.id] })
    const contentOf = async (id: string): Promise<unknown> => ((await b.arrange('events.getOne', { id }))['event'] as { content: unknown }).content
    const at_ = expect.any(Number) as number
    expect(await contentOf(keptEvent)).toEqual({ latitude: 1, longitude: 2, ownerConfirmedAt: at_ })
    expect(await contentOf(droppedEvent)).toEqual({ latitude: 1, longitude: 2, withdrawal: { at: at_, by: 'delegation-detach', relId: anchor?.relId } })
  })

  it('that was not told learns it when it asks, and takes the account off its list', async () => {
    const pair = await activePair(at())
    await tokenOf(pair)
    const { delegations } = at().node
    const { toAccount } = delegations
    delegations.toAccount = () => Promise.resolve({ status: 0, cause: 'timeout' })
    await pair.b.arrange('delegations.detachDelegate', { username: pair.a.username }).finally(() => (delegations.toAccount = toAccount))
    expect(await mirrorsOf(pair.a)).toMatchObject([{ status: 'active' }])
    const username = pair.b.username
    expect(await tried(pair.a, pair.a.owner, 'delegations.getToken', { username })).toEqual([410, 'delegation-not-active', { peerStatus: 403 }])
    expect((await pair.a.arrange('delegations.listControlled', {}))['controlled']).toMatchObject([{ status: 'stale' }])
    await pair.a.arrange('delegations.dismissControlled', { username })
    expect([await mirrorsOf(pair.a), await kindsOf(pair.a)]).toEqual([[], []])
  })

  it('is told again without harm', async () => {
    const pair = await activePair(at())
    const token = await tokenOfKind(pair.a, 'notify')
    const answers = await Promise.all(Array.from({ length: 5 }, () => tried(pair.a, token, 'delegations.notifyDetach', {})))
    expect(answers.filter(([status]) => status !== 200 && status !== 403)).toEqual([])
    expect([await mirrorsOf(pair.a), await kindsOf(pair.a)]).toEqual([[], []])
  })
})

describe('the end of an account', () => {
  it('releases the accounts that it acted for, and leaves nothing with its delegates', async () => {
    const places = await home()
    const node = await startTestNode({ 'auth.adminAccessKey': 'the key of the operator' }, { home: places.home })
    const remove = async ({ username }: Stage): Promise<void> => {
      const { status } = await request(`${node.url}users/${username}`, { method: 'DELETE', token: 'the key of the operator' })
      expect(status).toBe(200)
    }
    const [ofDelegate, ofControlled] = [await activePair(node), await activePair(node)]
    const token = await tokenOf(ofDelegate)
    const app = await granted(ofDelegate.b)
    await remove(ofDelegate.a)
    expect([await anchorsOf(ofDelegate.b), await kindsOf(ofDelegate.b)]).toEqual([[], []])
    for (const dead of [token, app.token]) {
      expect((await request(`${node.url}${ofDelegate.b.username}/access-info`, { token: dead })).status).toBe(403)
    }
    await tokenOf(ofControlled)
    await remove(ofControlled.b)
    expect([await mirrorsOf(ofControlled.a), await kindsOf(ofControlled.a)]).toEqual([[], []])
    const [invite, invited] = [await invitedPair(node), await invitedPair(node)]
    await remove(invite.b)
    expect([await mirrorsOf(invite.a), await kindsOf(invite.a)]).toEqual([[], []])
    await remove(invited.a)
    expect([await anchorsOf(invited.b), await kindsOf(invited.b)]).toEqual([[], []])
    await activePair(node)
    await node.stop()
    await expectSound(places)
  })
})
