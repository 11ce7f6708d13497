/** Delegate tokens: docs/interface/delegations.md#tokens, docs/interface/delegations.md#delegate-tokens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSession } from '../../../../src/server/api/auth/session.js'
import { putSession } from '../../../../src/store/accesses/accesses.js'
import { controlledAccounts, delegates } from '../../../../src/store/accesses/delegations.js'
import type { Controlled, Delegate } from '../../../../src/store/model/delegation.js'
import { actionsOf } from '../../../support/people/audit.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { describeMethod, newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { accountOf, activePair, anchorsOf, invitedPair, kindsOf, markedOf, mirrorsOf, tokenOf, tokenOfKind, outcomeOf, type Pair } from './support.js'

async function attachControlled(a: Stage): Promise<Pair> {
  const b = await newStage(a.node)
  await b.arrange('delegations.requestAttach', { delegateUsername: a.username })
  await a.arrange('delegations.acceptAttach', { username: b.username })
  return { a, b }
}

/** Changes the only mirror of a stage's account. */
async function changeMirror(stage: Stage, changes: Partial<Controlled>): Promise<void> {
  const [mirror] = await mirrorsOf(stage)
  if (mirror === undefined) throw new Error('no mirror')
  const account = await accountOf(stage)
  await account.write((t) => controlledAccounts.put(t, stage.node.node.store.seal, { ...mirror, ...changes }))
}
/** Changes or removes the only anchor of a stage's account. */
async function changeAnchor(stage: Stage, changes: Partial<Delegate> | null): Promise<void> {
  const [anchor] = await anchorsOf(stage)
  if (anchor === undefined) throw new Error('no anchor')
  const account = await accountOf(stage)
  await account.write((t) => {
    if (changes === null) delegates.remove(t, anchor.relId)
    else delegates.put(t, stage.node.node.store.seal, { ...anchor, ...changes })
  })
}

describeMethod('delegations.getToken', [
  {
    it: 'returns the token of a personal access of the controlled account',
    given: async (stage) => ({ username: (await attachControlled(stage)).b.username.toUpperCase() }),
    gives: 200,
    async then({ token, apiEndpoint }, stage) {
      const [mirror] = await mirrorsOf(stage)
      const b = { ...stage, username: mirror?.controlled.username ?? '' }
      expect(apiEndpoint).toBe(`${stage.node.url.replace('://', `://${String(token)}@`)}${b.username}/`)
      const info = await request(`${stage.node.url}${b.username}/access-info`, { token: String(token) })
      const name = `delegation:${stage.username}@127-0-0-1`
      expect(info.body).toMatchObject({ type: 'personal', name, user: { username: b.username } })
      const [anchor] = await anchorsOf(b)
      expect(anchor).toMatchObject({ patAccessId: info.body['id'], lastTokenIssuedAt: expect.any(Number) as number })
      const delegate = { username: stage.username, hostSlug: '127-0-0-1' }
      const marked = (await markedOf(b)).find(({ kind }) => kind === 'delegate-pat')
      expect(marked?.permissions).toEqual([])
      expect(marked?.clientData).toEqual({ delegation: { kind: 'delegate-pat', relId: anchor?.relId, delegate } })
    },
  },
  { it: 'refuses the username of an account without a delegation', send: { username: 'nobody-here' }, gives: [404, 'delegation-not-found'] },
  { it: 'refuses an empty username', send: { username: '' }, gives: [404, 'delegation-not-found'], only: ['batch', 'socket'] },
  {
    it: 'refuses a pending invite',
    given: async (stage) => {
      const b = await newStage(stage.node)
      await b.arrange('delegations.requestAttach', { delegateUsername: stage.username })
      return { username: b.username }
    },
    gives: [410, 'delegation-not-active'],
  },
  {
    it: 'refuses a stale delegation',
    given: async (stage) => {
      const { b } = await attachControlled(stage)
      await changeMirror(stage, { status: 'stale' })
      return { username: b.username }
    },
    gives: [410, 'delegation-not-active'],
  },
  {
    it: 'marks the delegation stale when the control access does not exist',
    given: async (stage) => {
      const { b } = await attachControlled(stage)
      const [mirror] = await mirrorsOf(stage)
      await changeMirror(stage, { controlApiEndpoint: mirror?.controlApiEndpoint?.replace(/:\/\/\w+@/, '://gone@') ?? '' })
      return { username: b.username }
    },
    gives: [410, 'delegation-not-active'],
    data: { peerStatus: 403 },
    then: async (_, stage) => expect(await mirrorsOf(stage)).toMatchObject([{ status: 'stale' }]),
  },
  {
    it: 'marks the delegation stale when the other side names another delegate',
    given: async (stage) => {
      const { b } = await attachControlled(stage)
      await changeAnchor(b, { delegate: { username: 'another', hostSlug: '127-0-0-1' } })
      return { username: b.username }
    },
    gives: [410, 'delegation-not-active'],
    data: { peerStatus: 403 },
    then: async (_, stage) => expect(await mirrorsOf(stage)).toMatchObject([{ status: 'stale' }]),
  },
  {
    it: 'keeps the delegation active when the other side accepts the access but has no delegation',
    given: async (stage) => {
      const { b } = await attachControlled(stage)
      await changeAnchor(b, null)
      return { username: b.username }
    },
    gives: [503, 'delegation-delivery-failed'],
    data: { peerStatus: 410 },
    then: async (_, stage) => expect(await mirrorsOf(stage)).toMatchObject([{ status: 'active' }]),
  },
  { it: 'refuses apps', as: [], send: { username: 'nobody-here' }, gives: [403, 'forbidden'] },
])

describeMethod('delegations.dismissControlled', [
  {
    it: 'removes a stale delegation with its notify access',
    given: async (stage) => {
      const { b } = await attachControlled(stage)
      await changeMirror(stage, { status: 'stale' })
      return { username: b.username.toUpperCase() }
    },
    gives: 200,
    then: async (_, stage) => expect([await mirrorsOf(stage), await kindsOf(stage)]).toEqual([[], []]),
  },
  {
    it: 'refuses an active delegation',
    given: async (stage) => ({ username: (await attachControlled(stage)).b.username }),
    gives: [409, 'delegation-mirror-not-stale'],
    then: async (_, stage) => expect(await mirrorsOf(stage)).toHaveLength(1),
  },
  { it: 'refuses the username of an account without a delegation', send: { username: 'nobody-here' }, gives: [404, 'delegation-not-found'] },
  { it: 'refuses apps', as: [], send: { username: 'nobody-here' }, gives: [403, 'forbidden'] },
])

describe('the token of a delegate', () => {
  const clock = fakeClock()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({ 'auth.trustedApps': '*@*' }, { clock })
  })
  afterAll(() => node.stop())

  it('remains the same for its session; the next session has another for the same access', async () => {
    const pair = await activePair(node)
    const first = await tokenOf(pair)
    expect(await tokenOf(pair)).toBe(first)
    const [before] = await anchorsOf(pair.b)
    clock.pass(node.node.config.get('auth.sessionMaxAge') / 1000 + 1)
    const loaded = await node.node.accounts.find(pair.a.username)
    // The delegate logs in again.
    const owner = await loaded?.account.write((t) => openSession(node.node, t, 'again-app'))
    const { body } = await request(`${node.url}${pair.a.username}/delegations/controlled/${pair.b.username}/token`, { method: 'POST', token: owner?.reveal() ?? '' })
    expect(body['token']).toMatch(/^[a-z0-9]{24}$/)
    expect(body['token']).not.toBe(first)
    expect((await anchorsOf(pair.b))[0]?.patAccessId).toBe(before?.patAccessId)
    expect((await request(`${node.url}${pair.b.username}/access-info`, { token: first })).status).toBe(403)
    expect((await markedOf(pair.b)).filter(({ kind }) => kind === 'delegate-pat')).toHaveLength(1)
  })

  it('changes after a logout', async () => {
    const pair = await activePair(node)
    const first = await tokenOf(pair)
    const account = await accountOf(pair.b)
    const [anchor] = await anchorsOf(pair.b)
    await account.write((t) => putSession(t, anchor?.patAccessId ?? '', undefined))
    expect(await tokenOf(pair)).not.toBe(first)
  })

  it('cannot be obtained by a login with the name of its access', async () => {
    const pair = await activePair(node)
    const appId = `delegation:${pair.a.username}@127-0-0-1`
    const login = (): ReturnType<typeof request> =>
      request(`${node.url}${pair.b.username}/auth/login`, {
        body: { username: pair.b.username, password: 'correct horse', appId },
        headers: { origin: 'https://example.org' },
      })
    const refused = { status: 400, body: { error: { id: 'invalid-operation', data: { id: 'delegation-managed-resource' } } } }
    expect(await login()).toMatchObject(refused)
    const token = await tokenOf(pair)
    expect(await login()).toMatchObject(refused)
    const info = await request(`${node.url}${pair.b.username}/access-info`, { token })
    expect(info.body).toMatchObject({ clientData: { delegation: { kind: 'delegate-pat' } } })
  })

  it('permits calls for the account, also as a delegate of a third account', async () => {
    const pair = await activePair(node)
    const token = await tokenOf(pair)
    const third = await newStage(node)
    await third.arrange('delegations.requestAttach', { delegateUsername: pair.b.username })
    expect(await outcomeOf(pair.b, token, 'delegations.acceptAttach', { username: third.username })).toEqual([200, undefined])
    expect(await outcomeOf(pair.b, token, 'delegations.getToken', { username: third.username })).toEqual([200, undefined])
    expect(await outcomeOf(pair.b, token, 'streams.create', { name: 'Theirs' })).toEqual([201, undefined])
  })

  it('is issued with one audit record of the controlled account', async () => {
    const pair = await activePair(node)
    await tokenOf(pair)
    const action = 'delegations.issueToken'
    expect(await actionsOf(pair.b, [`:_audit:action-${action}`])).toEqual([action])
  })
})

describe('the routes between nodes', () => {
  const at = withNode()
  const routes = ['issueToken', 'acceptResponse', 'refuseResponse', 'acceptComplete', 'notifyDetach', 'release'] as const
  const body = { relId: 'x', delegate: { username: 'x' }, notifyApiEndpoint: 'http://x@localhost/x/' }

  it('accept only tokens of their own kind', async () => {
    const pair = await activePair(at())
    const { a, b } = pair
    const other = await newStage(at())
    await b.arrange('delegations.requestAttach', { delegateUsername: other.username })
    const callers: [Stage, string, string[]][] = [
      [b, b.owner, []],
      [b, await tokenOf(pair), []],
      [b, await tokenOfKind(b, 'control'), ['issueToken', 'release']],
      [a, await tokenOfKind(a, 'notify'), ['notifyDetach']],
      [b, await tokenOfKind(b, 'invite-capability'), ['acceptResponse', 'refuseResponse', 'acceptComplete']],
    ]
    for (const [stage, token, allowed] of callers) {
      for (const route of routes) {
        if (allowed.includes(route)) continue
        expect([route, ...(await outcomeOf(stage, token, `delegations.${route}`, body))]).toEqual([route, 403, 'invalid-access-token'])
      }
    }
    const capability = await tokenOfKind(b, 'invite-capability')
    expect(await outcomeOf(b, capability, 'delegations.acceptResponse', body)).toEqual([403, 'delegation-delegate-mismatch'])
    expect(await anchorsOf(b)).toHaveLength(2)
    expect((await request(`${at().url}system/delegation/invite`, { body: {} })).status).toBe(404)
    expect((await request(`${at().url}system/delegation/create-account`, { body: {} })).status).toBe(404)
  })

  it('report an expired invite', async () => {
    const clock = fakeClock()
    const node = await startTestNode({ 'auth.sessionMaxAge': 40 * 86_400_000 }, { clock })
    const pair = await invitedPair(node)
    const capability = await tokenOfKind(pair.b, 'invite-capability')
    clock.pass(30 * 86_400)
    const delegate = { username: pair.a.username, hostSlug: '127-0-0-1' }
    expect(await outcomeOf(pair.b, capability, 'delegations.acceptResponse', { ...body, delegate })).toEqual([410, 'delegation-invite-expired'])
    expect(await outcomeOf(pair.a, pair.a.owner, 'delegations.acceptAttach', { username: pair.b.username })).toEqual([410, 'delegation-invite-expired'])
    // An expired invite can be replaced.
    await pair.b.arrange('delegations.requestAttach', { delegateUsername: pair.a.username })
    expect([(await anchorsOf(pair.b)).length, (await mirrorsOf(pair.a)).length, await kindsOf(pair.b)]).toEqual([1, 1, ['invite-capability']])
    await pair.a.arrange('delegations.acceptAttach', { username: pair.b.username })
    await node.stop()
  })
})
