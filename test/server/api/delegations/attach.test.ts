/** Invites, and what becomes of them: docs/interface/delegations.md#life-of-a-delegation. */
import { describe, expect, it } from 'vitest'
import { delegates } from '../../../../src/store/accesses/delegations.js'
import { describeMethod, newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { accountOf, activePair, anchorsOf, invitedPair, kindsOf, markedOf, mirrorsOf, newPair, tokenOf, tried } from './support.js'

/** Another account on the node of a stage, of which it is the delegate, or will be. */
async function invitedBy({ node, username }: Stage): Promise<Stage> {
  const b = await newStage(node)
  await b.arrange('delegations.requestAttach', { delegateUsername: username })
  return b
}

async function controlledBy(stage: Stage): Promise<Stage> {
  const b = await invitedBy(stage)
  await stage.arrange('delegations.acceptAttach', { username: b.username })
  return b
}

/** Invites another account. */
async function inviting(stage: Stage): Promise<Stage> {
  const a = await newStage(stage.node)
  await stage.arrange('delegations.requestAttach', { delegateUsername: a.username })
  return a
}

async function delegatedTo(stage: Stage): Promise<Stage> {
  const a = await inviting(stage)
  await a.arrange('delegations.acceptAttach', { username: stage.username })
  return a
}

describeMethod('delegations.requestAttach', [
  {
    it: 'invites an account, whose name may be in capitals',
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
  { it: 'refuses a missing name', gives: [400, 'delegation-unknown-username'], only: ['http', 'form'] },
  { it: 'refuses a missing name', gives: [404, 'delegation-unknown-username'], only: ['batch', 'socket'] },
  { it: 'refuses an empty name', send: { delegateUsername: '' }, gives: [400, 'delegation-unknown-username'], only: ['http', 'form'] },
  { it: 'refuses what is no text', send: { delegateUsername: { name: 'x' } }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses an unknown name', send: { delegateUsername: 'nobody-here' }, gives: [404, 'delegation-unknown-username'] },
  { it: 'refuses the account itself', given: ({ username }) => ({ delegateUsername: username.toUpperCase() }), gives: [400, 'delegation-self-not-allowed'] },
  {
    it: 'refuses a second invite',
    given: async (stage) => ({ delegateUsername: (await inviting(stage)).username }),
    gives: [409, 'delegation-already-exists'],
    then: async (_, stage) => expect(await kindsOf(stage)).toEqual(['invite-capability']),
  },
  {
    it: 'refuses to invite a delegate',
    given: async (stage) => ({ delegateUsername: (await delegatedTo(stage)).username.toUpperCase() }),
    gives: [409, 'delegation-already-exists'],
  },
  { it: 'refuses apps', as: [{ streamId: '*', level: 'manage' }], send: { delegateUsername: 'nobody-here' }, gives: [403, 'forbidden'] },
])

describeMethod('delegations.acceptAttach', [
  {
    it: 'accepts, whatever the case of the name',
    given: async (stage) => ({ username: (await invitedBy(stage)).username.toUpperCase() }),
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
    it: 'accepts again without making anything',
    given: async (stage) => ({ username: (await controlledBy(stage)).username }),
    gives: 200,
    result: { delegation: { status: 'active' } },
    async then(_, stage) {
      const [mirror] = await mirrorsOf(stage)
      expect(await kindsOf({ ...stage, username: mirror?.controlled.username ?? '' })).toEqual(['control'])
    },
  },
  { it: 'refuses a name without an invite', send: { username: 'nobody-here' }, gives: [404, 'delegation-not-found'] },
  {
    it: 'tells an invite that was taken back without a word',
    given: async (stage) => {
      const b = await invitedBy(stage)
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
    given: async (stage) => ({ username: (await invitedBy(stage)).username.toUpperCase() }),
    gives: 200,
    then: async (_, stage) => expect(await mirrorsOf(stage)).toEqual([]),
  },
  {
    it: 'does nothing to what was accepted',
    given: async (stage) => ({ username: (await controlledBy(stage)).username }),
    gives: 200,
    then: async (_, stage) => expect(await mirrorsOf(stage)).toMatchObject([{ status: 'active' }]),
  },
  { it: 'refuses a name without an invite', send: { username: 'nobody-here' }, gives: [404, 'delegation-not-found'] },
  { it: 'refuses apps', as: [], send: { username: 'nobody-here' }, gives: [403, 'forbidden'] },
])

describeMethod('delegations.cancelInvite', [
  {
    it: 'ends the invite on both sides',
    given: async (stage) => ({ username: (await inviting(stage)).username.toUpperCase() }),
    gives: 200,
    async then(_, stage) {
      expect(await anchorsOf(stage)).toEqual([])
      expect(await kindsOf(stage)).toEqual([])
    },
  },
  {
    it: 'refuses to end what is active',
    given: async (stage) => ({ username: (await delegatedTo(stage)).username }),
    gives: [409, 'delegation-not-active'],
    only: ['http', 'form'],
    then: async (_, stage) => expect(await kindsOf(stage)).toEqual(['control']),
  },
  { it: 'refuses a name without an invite', send: { username: 'nobody-here' }, gives: [404, 'delegation-not-found'] },
  { it: 'refuses apps', as: [], send: { username: 'nobody-here' }, gives: [403, 'delegation-genuine-login-required'] },
])

describe('an invite', () => {
  const at = withNode()

  it('leaves no trace on either side once it is refused, or taken back', async () => {
    for (const [method, who] of [['delegations.refuseAttach', 'a'], ['delegations.cancelInvite', 'b']] as const) {
      const pair = await invitedPair(at())
      const other = who === 'a' ? pair.b : pair.a
      await pair[who].arrange(method, { username: other.username })
      expect(await Promise.all([anchorsOf(pair.b), kindsOf(pair.b), mirrorsOf(pair.a), kindsOf(pair.a)])).toEqual([[], [], [], []])
    }
  })

  it('is cancelled by the owner in person only', async () => {
    const pair = await activePair(at())
    const other = await newStage(at())
    await pair.b.arrange('delegations.requestAttach', { delegateUsername: other.username })
    const token = await tokenOf(pair)
    expect(await tried(pair.b, token, 'delegations.cancelInvite', { username: other.username })).toEqual([403, 'delegation-genuine-login-required'])
    expect(await anchorsOf(pair.b)).toHaveLength(2)
  })

  it('follows the invite through both lists, without endpoints or tokens', async () => {
    const pair = await newPair(at())
    const texts: string[] = []
    const lists = async (): Promise<unknown> => {
      const { delegates } = await pair.b.arrange('delegations.listDelegates', {})
      const { controlled } = await pair.a.arrange('delegations.listControlled', {})
      texts.push(JSON.stringify([delegates, controlled]))
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
    expect(texts.join()).not.toMatch(/apiEndpoint|capabilityUrl|http|accessId/i)
    expect(texts.join()).not.toContain(token)
  })
})
