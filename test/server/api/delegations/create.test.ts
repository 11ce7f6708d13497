/** Controlled accounts created by their delegates: docs/interface/delegations.md#creating-an-account. */
import { describe, expect, it } from 'vitest'
import { erase } from '../../../../src/server/api/register/deleteUser.js'
import { request } from '../../../support/nodes/node.js'
import { describeMethod, newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { activePair, anchorsOf, kindsOf, mirrorsOf, tokenOf, outcomeOf } from './support.js'

let created = 0
const newName = (): string => `child-${String((created += 1)).padStart(5, '0')}`
const withNewName = (more: Record<string, unknown> = {}) => (): Record<string, unknown> => ({ username: newName(), ...more })
const expectNoDelegation = async (_: unknown, stage: Stage): Promise<void> => {
  expect([await mirrorsOf(stage), await kindsOf(stage)]).toEqual([[], []])
}

describeMethod('delegations.createAccount', [
  {
    it: 'creates an account with an active delegation and a usable token',
    given: withNewName({ language: 'fr' }),
    gives: 201,
    async then({ delegation }, stage) {
      const [mirror] = await mirrorsOf(stage)
      const { relId, controlled, activatedAt } = mirror ?? {}
      expect(delegation).toEqual({ relId, controlled, status: 'active', activatedAt })
      expect(mirror).toMatchObject({ status: 'active' })
      const b: Stage = { ...stage, username: controlled?.username ?? '' }
      const [anchor] = await anchorsOf(b)
      expect(anchor).toMatchObject({ relId, status: 'active', delegate: { username: stage.username, hostSlug: '127-0-0-1' } })
      expect([await kindsOf(b), await kindsOf(stage)]).toEqual([['control'], ['notify']])
      const token = await tokenOf({ a: stage, b })
      const { body } = await request(`${stage.node.url}${b.username}/account`, { token })
      expect(body['account']).toMatchObject({ username: b.username, language: 'fr', email: null })
    },
  },
  { it: 'refuses a missing username', gives: [400, 'delegation-unknown-username'], only: ['http', 'form'] },
  { it: 'refuses an empty username', send: { username: '' }, gives: [400, 'delegation-unknown-username'], only: ['http', 'form'] },
  { it: 'refuses the username of the caller', given: ({ username }) => ({ username: username.toUpperCase() }), gives: [400, 'delegation-self-not-allowed'], then: expectNoDelegation },
  { it: 'refuses an unknown core', given: withNewName({ core: 'https://elsewhere.example.org/' }), gives: [400, 'delegation-unknown-core'], then: expectNoDelegation },
  { it: 'accepts this core by its id', given: withNewName({ core: 'single' }), gives: 201 },
  { it: 'accepts this core by its URL', given: ({ node }) => ({ username: newName(), core: node.url.slice(0, -1) }), gives: 201 },
  {
    it: 'refuses a username in use',
    given: async ({ node }) => ({ username: (await newStage(node)).username }),
    gives: [409, 'delegation-username-taken'],
    then: expectNoDelegation,
  },
  { it: 'refuses a reserved username', send: { username: 'administrator' }, gives: [409, 'delegation-username-taken'], then: expectNoDelegation },
  { it: 'refuses a malformed username', send: { username: 'No Name!' }, gives: [502, 'delegation-creation-failed'], then: expectNoDelegation },
  { it: 'refuses a short password', given: withNewName({ password: 'x' }), gives: [502, 'delegation-creation-failed'], then: expectNoDelegation },
  { it: 'refuses an invalid language', given: withNewName({ language: 'much too long' }), gives: [502, 'delegation-creation-failed'], then: expectNoDelegation },
  {
    it: 'refuses the e-mail address of another account',
    given: ({ username }) => ({ username: newName(), email: `${username}@example.org` }),
    gives: [502, 'delegation-creation-failed'],
    then: expectNoDelegation,
  },
  { it: 'refuses a core that is not a string', send: { username: 'child', core: 1 }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses apps', as: [], send: { username: 'child' }, gives: [403, 'forbidden'] },
])

describe('an account created by a delegate', () => {
  const at = withNode({ 'auth.trustedApps': '*@*', 'account.emailVerification.requireAtRegistration': false, invitationTokens: ['needed'] })

  const login = async (username: string, password: string): Promise<number> =>
    (
      await request(`${at().url}${username}/auth/login`, {
        body: { username, password, appId: 'some-app' },
        headers: { origin: 'https://example.org' },
      })
    ).status

  it('accepts a login with its password, and none if it was created without one', async () => {
    const stage = await newStage(at())
    const [one, two] = [newName(), newName()]
    await stage.arrange('delegations.createAccount', { username: one, password: 'given at birth', email: `${one}@example.org` })
    await stage.arrange('delegations.createAccount', { username: two, password: null, email: null })
    expect(await login(one, 'given at birth')).toBe(200)
    expect(await login(two, '')).toBe(401)
    expect(await login(two, 'undefined')).toBe(401)
    const token = await tokenOf({ a: stage, b: { ...stage, username: one } })
    const { body } = await request(`${at().url}${one}/account`, { token })
    expect(body['account']).toMatchObject({ email: `${one}@example.org` })
  })

  it('is controlled by the account that the calling delegate acts for', async () => {
    const pair = await activePair(at())
    const token = await tokenOf(pair)
    const username = newName()
    expect(await outcomeOf(pair.b, token, 'delegations.createAccount', { username })).toEqual([201, undefined])
    expect(await mirrorsOf(pair.b)).toMatchObject([{ controlled: { username }, status: 'active' }])
    expect(await mirrorsOf(pair.a)).toMatchObject([{ controlled: { username: pair.b.username } }])
  })

  it('is created by exactly one of many concurrent calls', async () => {
    const stage = await newStage(at())
    const username = newName()
    const answers = await Promise.all(Array.from({ length: 20 }, () => outcomeOf(stage, stage.owner, 'delegations.createAccount', { username })))
    const statuses = answers.map(([status]) => status).sort()
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
    expect([(await mirrorsOf(stage)).length, await kindsOf(stage)]).toEqual([1, ['notify']])
  })

  it('is deleted if the response of the core is lost, failed or incomplete', async () => {
    const stage = await newStage(at())
    const { node } = at()
    const { toCore } = node.delegations
    const answers: [string, object][] = [
      ['lost', { status: 0, cause: 'timeout' }],
      ['broken', { status: 500, body: {} }],
      ['incomplete', { status: 200, body: { relId: 'x' } }],
    ]
    for (const [label, answer] of answers) {
      const username = newName()
      node.delegations.toCore = async (...args) => {
        const real = await toCore(...args)
        return 'action' in args[2] && args[2].action === 'create' ? (answer as typeof real) : real
      }
      const outcome = await outcomeOf(stage, stage.owner, 'delegations.createAccount', { username }).finally(() => (node.delegations.toCore = toCore))
      expect([label, ...outcome.slice(0, 2)]).toEqual([label, 502, 'delegation-creation-failed'])
      expect(await node.accounts.find(username)).toBeUndefined()
      await expectNoDelegation(undefined, stage)
      await stage.arrange('delegations.createAccount', { username })
      // Start the next case with an empty list.
      const createdAccount = await node.accounts.find(username)
      if (createdAccount !== undefined) await erase(node, createdAccount)
    }
  })
})
