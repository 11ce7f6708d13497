/** Invites of delegates, and their acceptance, refusal and cancellation: docs/interface/delegations.md#life-of-a-delegation. */
import { describe, expect, it } from 'vitest'
import { delegates } from '../../../../src/store/accesses/delegations.js'
import { describeMethod, newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { accountOf, activePair, anchorsOf, invitedPair, kindsOf, markedOf, mirrorsOf, newPair, tokenOf, outcomeOf } from './support.js'

/** Creates another account on the node of a stage, which invites the stage's account as its delegate. */
async function inviteFrom({ node, username }: Stage): Promise<Stage> {
  const b = await newStage(node)
  await b.arrange('delegations.requestAttach', { delegateUsername: username })
  return b
}

async function attachControlled(stage: Stage): Promise<Stage> {
  const b = await inviteFrom(stage)
  await stage.arrange('delegations.acceptAttach', { username: b.username })
  return b
}

/** Creates another account, which the stage's account invites as its delegate. */
async function inviteDelegate(stage: Stage): Promise<Stage> {
  const a = await newStage(stage.node)
  await stage.arrange('delegations.requestAttach', { delegateUsername: a.username })
  return a
}

async function attachDelegate(stage: Stage): Promise<Stage> {
  const a = await inviteDelegate(stage)
  await a.arrange('delegations.acceptAttach', { username: stage.username })
  return a
}

describeMethod('delegations.requestAttach', [
  {
    it: 'invites an account, with a case-insensitive username',
    given: async ({ node }) => ({ delegateUsername: (await newStage(node)).username.toUpperCase() }),
    gives: 201,
    async then({ delegation }, stage) {
      const [anchor] = await anchorsOf(stage)
      const { relId, delegate, requestedAt = 0 } = anchor ?? {}
      expect(delegation).toEqual({ relId, delegate: { username: delegate?.username, hostSlug: '127-0-0-1' }, status: 'invite', requestedAt, expiresAt: requestedAt + 2_592_000 })
      expect(anchor).toMatchObject({ status: 'invite', delegate: { hostSlug: '127-0-0-1' } })
      expect(await kindsOf(stage)).toEqual(['invite-capability'])
      const [capability] = await markedOf(stage)
      expect(capability).toMatchObject({
        type: 'shared',
        name: `__deleg-inv-${relId?.slice(0, 8)}`,
        permissions: [],
        expires: requestedAt + 2_592_000,
        clientData: { delegation: { kind: 'invite-capability', relId } },
      })
      const a = { ...stage, username: delegate?.username ?? '' }
      const [mirror] = await mirrorsOf(a)
      expect(mirror).toMatchObject({ relId, controlled: { username: stage.username, hostSlug: '127-0-0-1' }, status: 'invite' })
      expect(mirror?.capabilityUrl).toMatch(/^http:\/\/[a-z0-9]{24}@127\.0\.0\.1:\d+\/user-\d+\/$/)
    },
  },
  { it: 'refuses a missing username', gives: [400, 'delegation-unknown-username'], only: ['http', 'form'] },
  { it: 'refuses a missing username', gives: [404, 'delegation-unknown-username'], only: ['batch', 'socket'] },
  { it: 'refuses an empty username', send: { delegateUsername: '' }, gives: [400, 'delegation-unknown-username'], only: ['http', 'form'] },
  { it: 'refuses a username that is not a string', send: { delegateUsername: { name: 'x' } }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses an unknown username', send: { delegateUsername: 'nobody-here' }, gives: [404, 'delegation-unknown-username'] },
  { it: 'refuses the account itself', given: ({ username }) => ({ delegateUsername: username.toUpperCase() }), gives: [400, 'delegation-self-not-allowed'] },
  {
    it: 'refuses a second invite',
    given: async (stage) => ({ delegateUsername: (await inviteDelegate(stage)).username }),
    gives: [409, 'delegation-already-exists'],
    then: async (_, stage) => expect(await kindsOf(stage)).toEqual(['invite-capability']),
  },
  {
    it: 'refuses to invite a delegate',
    given: async (stage) => ({ delegateUsername: (await attachDelegate(stage)).username.toUpperCase() }),
    gives: [409, 'delegation-already-exists'],
  },
  { it: 'refuses apps', as: [{ streamId: '*', level: 'manage' }], send: { delegateUsername: 'nobody-here' }, gives: [403, 'forbidden'] },
])

describeMethod('delegations.acceptAttach', [
  {
    it: 'accepts an invite, with a case-insensitive username',
    given: async (stage) => ({ username: (await inviteFrom(stage)).username.toUpperCase() }),
    gives: 200,
    async then({ delegation }, stage) {
      const [mirror] = await mirrorsOf(stage)
      expect(delegation).toEqual({ relId: mirror?.relId, controlled: mirror?.controlled, status: 'active', activatedAt: mirror?.activatedAt })
      expect(mirror).toMatchObject({ status: 'active' })
      expect(mirror).not.toHaveProperty('capabilityUrl')
      const b = { ...stage, username: mirror?.controlled.username ?? '' }
      const [anchor] = await anchorsOf(b)
      const [control] = await markedOf(b)
      expect(anchor).toMatchObject({ relId: mirror?.relId, status: 'active', activatedAt: mirror?.activatedAt, controlAccessId: control?.id })
      expect(anchor).not.toHaveProperty('expiresAt')
      expect(await kindsOf(b)).toEqual(['control'])
      expect(await kindsOf(stage)).toEqual(['notify'])
      expect(control).toMatchObject({
        type: 'shared',
        name: `__deleg-ctl-${mirror?.relId.slice(0, 8)}`,
        permissions: [],
        clientData: { delegation: { relId: mirror?.relId, delegate: { username: stage.username, hostSlug: '127-0-0-1' } } },
      })
      expect(anchor?.notifyApiEndpoint).toContain(`/${stage.username}/`)
      expect(mirror?.controlApiEndpoint).toContain(`/${b.username}/`)
    },
  },
  {
    it: 'creates no second access for an accepted invite',
    given: async (stage) => ({ username: (await attachControlled(stage)).username }),
    gives: 200,
    result: { delegation: { status: 'active' } },
    async then(_, stage) {
      const [mirror] = await mirrorsOf(stage)
      expect(await kindsOf({ ...stage, username: mirror?.controlled.username ?? '' })).toEqual(['control'])
    },
  },
  { it: 'refuses the username of an account that sent no invite', send: { username: 'nobody-here' }, gives: [404, 'delegation-not-found'] },
  {
    it: 'fails for an invite that was withdrawn without notification',
    given: async (stage) => {
      const b = await inviteFrom(stage)
      const account = await accountOf(b)
      const [anchor] = await anchorsOf(b)
      await account.write((t) => delegates.remove(t, anchor?.relId ?? ''))
      return { username: b.username }
    },
    gives: [410, 'delegation-invite-expired'],
    then: async (_, stage) => expect(await kindsOf(stage)).toEqual([]),
  },
  { it: 'refuses apps', as: [], send: { username: 'nobody-here' }, gives: [403, 'forbidden'] },
])

describeMethod('delegations.refuseAttach', [
  {
    it: 'ends the invite on both sides',
    given: async (stage) => ({ username: (await inviteFrom(stage)).username.toUpperCase() }),
    gives: 200,
    then: async (_, stage) => expect(await mirrorsOf(stage)).toEqual([]),
  },
  {
    it: 'leaves an accepted delegation active',
    given: async (stage) => ({ username: (await attachControlled(stage)).username }),
    gives: 200,
    then: async (_, stage) => expect(await mirrorsOf(stage)).toMatchObject([{ status: 'active' }]),
  },
  { it: 'refuses the username of an account that sent no invite', send: { username: 'nobody-here' }, gives: [404, 'delegation-not-found'] },
  { it: 'refuses apps', as: [], send: { username: 'nobody-here' }, gives: [403, 'forbidden'] },
])

describeMethod('delegations.cancelInvite', [
  {
    it: 'ends the invite on both sides',
    given: async (stage) => ({ username: (await inviteDelegate(stage)).username.toUpperCase() }),
    gives: 200,
    async then(_, stage) {
      expect(await anchorsOf(stage)).toEqual([])
      expect(await kindsOf(stage)).toEqual([])
    },
  },
  {
    it: 'refuses to cancel an active delegation',
    given: async (stage) => ({ username: (await attachDelegate(stage)).username }),
    gives: [409, 'delegation-not-active'],
    only: ['http', 'form'],
    then: async (_, stage) => expect(await kindsOf(stage)).toEqual(['control']),
  },
  { it: 'refuses the username of an account that sent no invite', send: { username: 'nobody-here' }, gives: [404, 'delegation-not-found'] },
  { it: 'refuses apps', as: [], send: { username: 'nobody-here' }, gives: [403, 'delegation-genuine-login-required'] },
])

describe('an invite', () => {
  const at = withNode()

  it('leaves no data on either side after refusal or cancellation', async () => {
    for (const [method, side] of [['delegations.refuseAttach', 'a'], ['delegations.cancelInvite', 'b']] as const) {
      const pair = await invitedPair(at())
      const other = side === 'a' ? pair.b : pair.a
      await pair[side].arrange(method, { username: other.username })
      expect(await Promise.all([anchorsOf(pair.b), kindsOf(pair.b), mirrorsOf(pair.a), kindsOf(pair.a)])).toEqual([[], [], [], []])
    }
  })

  it('cannot be cancelled with a delegate token', async () => {
    const pair = await activePair(at())
    const other = await newStage(at())
    await pair.b.arrange('delegations.requestAttach', { delegateUsername: other.username })
    const token = await tokenOf(pair)
    expect(await outcomeOf(pair.b, token, 'delegations.cancelInvite', { username: other.username })).toEqual([403, 'delegation-genuine-login-required'])
    expect(await anchorsOf(pair.b)).toHaveLength(2)
  })

  it('appears with its current state in both lists, without endpoints and tokens', async () => {
    const pair = await newPair(at())
    const bodies: string[] = []
    const lists = async (): Promise<unknown> => {
      const { delegates } = await pair.b.arrange('delegations.listDelegates', {})
      const { controlled } = await pair.a.arrange('delegations.listControlled', {})
      bodies.push(JSON.stringify([delegates, controlled]))
      return [delegates, controlled]
    }
    expect(await lists()).toEqual([[], []])
    await pair.b.arrange('delegations.requestAttach', { delegateUsername: pair.a.username })
    const slug = { hostSlug: '127-0-0-1' }
    const [{ relId, requestedAt, expiresAt } = {}] = await anchorsOf(pair.b)
    const number = expect.any(Number) as number
    const anchor = { relId, delegate: { username: pair.a.username, ...slug }, requestedAt }
    const mirror = { relId, controlled: { username: pair.b.username, ...slug }, requestedAt: number }
    expect(await lists()).toEqual([[{ ...anchor, status: 'invite', expiresAt }], [{ ...mirror, status: 'invite' }]])
    await pair.a.arrange('delegations.acceptAttach', { username: pair.b.username })
    expect(await lists()).toEqual([[{ ...anchor, status: 'active', activatedAt: number }], [{ ...mirror, status: 'active', activatedAt: number }]])
    const token = await tokenOf(pair)
    expect(await lists()).toMatchObject([[{ lastTokenIssuedAt: number }], [{ status: 'active' }]])
    expect(bodies.join()).not.toMatch(/apiEndpoint|capabilityUrl|http|accessId/i)
    expect(bodies.join()).not.toContain(token)
  })
})
