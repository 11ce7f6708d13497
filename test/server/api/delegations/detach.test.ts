/** Detaching of delegates: docs/interface/delegations.md#detaching. */
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
import { accountOf, activePair, anchorsOf, invitedPair, kindsOf, mirrorsOf, tokenOf, tokenOfKind, outcomeOf, type Pair } from './support.js'

const { home } = homes()

/** Creates an access granted through the only delegation of an account. */
async function grantThroughDelegation({ node, username }: Stage, more: Partial<Access> = {}, viaAccessId = 'via'): Promise<{ id: string; token: string }> {
  const [anchor] = await anchorsOf({ node, username } as Stage)
  if (anchor === undefined) throw new Error('no anchor')
  const { relId, delegate } = anchor
  const clientData = { ...more.clientData, delegation: { kind: 'delegated-child', relId, delegate, viaAccessId } }
  return grantAccess(node, username, [{ streamId: 'diary', level: 'read' }], { ...more, clientData })
}

const consent = (acceptEventId?: string): { clientData: Record<string, unknown> } => ({
  clientData: { cmc: { role: 'counterparty', appCode: 'study', acceptEventId }, other: 1 },
})

const accessExists = async (stage: Stage, id: string): Promise<boolean> =>
  findAccess(stage.node.node.store.db, stage.node.node.store.seal, (await accountOf(stage)).prefix, id) !== undefined

/** Attaches a new delegate to the account of a stage. */
async function attachNewDelegate(stage: Stage): Promise<Pair> {
  const a = await newStage(stage.node)
  await stage.arrange('delegations.requestAttach', { delegateUsername: a.username })
  await a.arrange('delegations.acceptAttach', { username: stage.username })
  return { a, b: stage }
}

/** Row with a refused `keepAccessIds`, which leaves the delegation and its accesses in place. */
const refusedList = (it: string, list: (pair: Pair) => Promise<unknown>, badId = false) => ({
  it: `refuses ${it}`,
  given: async (stage: Stage) => {
    const pair = await attachNewDelegate(stage)
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
    it: 'ends the delegation for the account',
    given: async (stage) => {
      const pair = await attachNewDelegate(stage)
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
  { it: 'validates the list before it looks up the delegate', send: { username: 'nobody-here', keepAccessIds: [''] }, gives: [400, 'delegation-invalid-keep-list'] },
  { it: 'validates the username before the list', send: { username: '', keepAccessIds: [''] }, gives: [404, 'delegation-unknown-username'], only: ['batch', 'socket'] },
  { it: 'refuses apps before it validates the parameters', as: [{ streamId: '*', level: 'manage' }], send: { username: 'x', keepAccessIds: [''] }, gives: [403, 'delegation-genuine-login-required'] },
  { ...refusedList('a text instead of a list', () => Promise.resolve('text')), only: ['batch', 'socket'] },
  { ...refusedList('a list of numbers', () => Promise.resolve([1])), only: ['batch', 'socket'] },
  refusedList('an empty id', () => Promise.resolve([''])),
  refusedList('an unknown access id', () => Promise.resolve(['cabcdefghijklmnopqrstuvwx']), true),
  refusedList('an access that is not a consent', async ({ b }) => [(await grantThroughDelegation(b)).id], true),
  refusedList('a consent of the owner', async ({ b }) => [(await grantAccess(b.node, b.username, [], consent())).id], true),
  refusedList('a valid id beside an invalid one', async ({ b }) => [(await grantThroughDelegation(b, consent())).id, 'bad'], true),
  refusedList(
    'a consent of another delegation',
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

  /** Connects a websocket; returns a function that waits for its disconnection and returns the reason. */
  async function disconnectionOf(stage: Stage, token: string): Promise<() => Promise<string>> {
    const socket = await connectSocket(at(), stage.username, { token })
    const disconnected = new Promise<string>((resolve) => socket.io.once('disconnect', resolve))
    return () => disconnected
  }

  it('loses its token, cannot get another, and is in no list', async () => {
    const pair = await activePair(at())
    const token = await tokenOf(pair)
    const disconnected = await disconnectionOf(pair.b, token)
    await pair.b.arrange('delegations.detachDelegate', { username: pair.a.username })
    expect(await statusOf(pair.b, token)).toBe(403)
    expect(await disconnected()).toBe('io server disconnect')
    expect(await outcomeOf(pair.a, pair.a.owner, 'delegations.getToken', { username: pair.b.username })).toEqual([404, 'delegation-not-found'])
    expect((await pair.a.arrange('delegations.listControlled', {}))['controlled']).toEqual([])
    expect((await pair.b.arrange('delegations.listDelegates', {}))['delegates']).toEqual([])
    expect([await kindsOf(pair.a), await kindsOf(pair.b)]).toEqual([[], []])
    // The delegation can be created again.
    await pair.b.arrange('delegations.requestAttach', { delegateUsername: pair.a.username })
    await pair.a.arrange('delegations.acceptAttach', { username: pair.b.username })
    expect(await statusOf(pair.b, await tokenOf(pair))).toBe(200)
  })

  it('cannot detach itself, nor can its control access', async () => {
    const pair = await activePair(at())
    const params = { username: pair.a.username }
    const refusal = [403, 'delegation-genuine-login-required']
    expect(await outcomeOf(pair.b, await tokenOf(pair), 'delegations.detachDelegate', params)).toEqual(refusal)
    expect(await outcomeOf(pair.b, await tokenOfKind(pair.b, 'control'), 'delegations.detachDelegate', params)).toEqual(refusal)
    expect(await anchorsOf(pair.b)).toHaveLength(1)
  })

  it('does not affect another delegate or accesses of the owner', async () => {
    const pair = await activePair(at())
    const { a: second } = await attachNewDelegate(pair.b)
    const [token, other] = [await tokenOf(pair), await tokenOf({ a: second, b: pair.b })]
    const own = await grantAccess(at(), pair.b.username, [])
    await pair.b.arrange('delegations.detachDelegate', { username: pair.a.username })
    expect([await statusOf(pair.b, token), await statusOf(pair.b, other), await statusOf(pair.b, own.token)]).toEqual([403, 200, 200])
    expect(await anchorsOf(pair.b)).toMatchObject([{ delegate: { username: second.username } }])
  })

  it('loses its accesses and their descendants; kept consents become the owner\'s own', async () => {
    const pair = await activePair(at())
    const { b } = pair
    await tokenOf(pair)
    const app = await grantThroughDelegation(b)
    const child = await grantThroughDelegation(b, { type: 'shared', manager: app.id }, app.id)
    const grandchild = await grantAccess(at(), b.username, [], { type: 'shared', manager: app.id })
    const keptConsent = await grantThroughDelegation(b, { ...consent('none'), type: 'shared', manager: app.id })
    const dropped = await grantThroughDelegation(b, consent())
    const disconnected = await disconnectionOf(b, app.token)
    const { status } = await callThrough('http', b, b.owner, 'delegations.detachDelegate', { username: pair.a.username, keepAccessIds: keptConsent.id })
    expect(status).toBe(200)
    expect(await disconnected()).toBe('io server disconnect')
    for (const { id, token } of [app, child, grandchild, dropped]) {
      expect([await accessExists(b, id), await statusOf(b, token)]).toEqual([false, 403])
    }
    const { status: statusOfKept, body } = await request(`${at().url}${b.username}/access-info`, { token: keptConsent.token })
    expect([statusOfKept, body['id'], body['clientData']]).toEqual([200, keptConsent.id, { cmc: { role: 'counterparty', appCode: 'study', acceptEventId: 'none' }, other: 1 }])
    const deletions = await b.arrange('accesses.get', { includeDeletions: true })
    expect(JSON.stringify(deletions['accessDeletions'])).toContain(dropped.id)
  })

  it('is recorded in the events of kept and withdrawn consents', async () => {
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
    const keptConsent = await grantThroughDelegation(b, consent(keptEvent))
    await grantThroughDelegation(b, consent(droppedEvent))
    await b.arrange('delegations.detachDelegate', { username: pair.a.username, keepAccessIds: [keptConsent.id] })
    const contentOf = async (id: string): Promise<unknown> => ((await b.arrange('events.getOne', { id }))['event'] as { content: unknown }).content
    const time = expect.any(Number) as number
    expect(await contentOf(keptEvent)).toEqual({ latitude: 1, longitude: 2, ownerConfirmedAt: time })
    expect(await contentOf(droppedEvent)).toEqual({ latitude: 1, longitude: 2, withdrawal: { at: time, by: 'delegation-detach', relId: anchor?.relId } })
  })

  it('that missed the notification sees a stale delegation when it requests a token, and dismisses it', async () => {
    const pair = await activePair(at())
    await tokenOf(pair)
    const { delegations } = at().node
    const { toAccount } = delegations
    delegations.toAccount = () => Promise.resolve({ status: 0, cause: 'timeout' })
    await pair.b.arrange('delegations.detachDelegate', { username: pair.a.username }).finally(() => (delegations.toAccount = toAccount))
    expect(await mirrorsOf(pair.a)).toMatchObject([{ status: 'active' }])
    const username = pair.b.username
    expect(await outcomeOf(pair.a, pair.a.owner, 'delegations.getToken', { username })).toEqual([410, 'delegation-not-active', { peerStatus: 403 }])
    expect((await pair.a.arrange('delegations.listControlled', {}))['controlled']).toMatchObject([{ status: 'stale' }])
    await pair.a.arrange('delegations.dismissControlled', { username })
    expect([await mirrorsOf(pair.a), await kindsOf(pair.a)]).toEqual([[], []])
  })

  it('can be notified repeatedly without effect', async () => {
    const pair = await activePair(at())
    const token = await tokenOfKind(pair.a, 'notify')
    const answers = await Promise.all(Array.from({ length: 5 }, () => outcomeOf(pair.a, token, 'delegations.notifyDetach', {})))
    expect(answers.filter(([status]) => status !== 200 && status !== 403)).toEqual([])
    expect([await mirrorsOf(pair.a), await kindsOf(pair.a)]).toEqual([[], []])
  })
})

describe('the deletion of an account', () => {
  it('releases its controlled accounts, and removes it from its delegates', async () => {
    const directories = await home()
    const node = await startTestNode({ 'auth.adminAccessKey': 'the key of the operator' }, { home: directories.home })
    const remove = async ({ username }: Stage): Promise<void> => {
      const { status } = await request(`${node.url}users/${username}`, { method: 'DELETE', token: 'the key of the operator' })
      expect(status).toBe(200)
    }
    const [ofDelegate, ofControlled] = [await activePair(node), await activePair(node)]
    const token = await tokenOf(ofDelegate)
    const app = await grantThroughDelegation(ofDelegate.b)
    await remove(ofDelegate.a)
    expect([await anchorsOf(ofDelegate.b), await kindsOf(ofDelegate.b)]).toEqual([[], []])
    for (const revoked of [token, app.token]) {
      expect((await request(`${node.url}${ofDelegate.b.username}/access-info`, { token: revoked })).status).toBe(403)
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
    await expectSound(directories)
  })
})
