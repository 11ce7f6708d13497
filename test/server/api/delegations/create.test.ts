/** Accounts that are made controlled: docs/interface/delegations.md#creating-an-account. */
import { describe, expect, it } from 'vitest'
import { erase } from '../../../../src/server/api/register/deleteUser.js'
import { request } from '../../../support/nodes/node.js'
import { describeMethod, newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { activePair, anchorsOf, kindsOf, mirrorsOf, tokenOf, tried } from './support.js'

let made = 0
const newName = (): string => `child-${String((made += 1)).padStart(5, '0')}`
const named = (more: Record<string, unknown> = {}) => (): Record<string, unknown> => ({ username: newName(), ...more })
const nothing = async (_: unknown, stage: Stage): Promise<void> => {
  expect([await mirrorsOf(stage), await kindsOf(stage)]).toEqual([[], []])
}

describeMethod('delegations.createAccount', [
  {
    it: 'makes an account that is active at birth, whose token is usable at once',
    given: named({ language: 'fr' }),
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
  { it: 'refuses a missing name', gives: [400, 'delegation-unknown-username'], only: ['http', 'form'] },
  { it: 'refuses an empty name', send: { username: '' }, gives: [400, 'delegation-unknown-username'], only: ['http', 'form'] },
  { it: 'refuses its own name', given: ({ username }) => ({ username: username.toUpperCase() }), gives: [400, 'delegation-self-not-allowed'], then: nothing },
  { it: 'refuses an unknown core', given: named({ core: 'https://elsewhere.example.org/' }), gives: [400, 'delegation-unknown-core'], then: nothing },
  { it: 'takes this core by its id', given: named({ core: 'single' }), gives: 201 },
  { it: 'takes this core by its address', given: ({ node }) => ({ username: newName(), core: node.url.slice(0, -1) }), gives: 201 },
  {
    it: 'refuses a name that is taken',
    given: async ({ node }) => ({ username: (await newStage(node)).username }),
    gives: [409, 'delegation-username-taken'],
    then: nothing,
  },
  { it: 'refuses a name that is reserved', send: { username: 'administrator' }, gives: [409, 'delegation-username-taken'], then: nothing },
  { it: 'refuses a name that is none', send: { username: 'No Name!' }, gives: [502, 'delegation-creation-failed'], then: nothing },
  { it: 'refuses a short password', given: named({ password: 'x' }), gives: [502, 'delegation-creation-failed'], then: nothing },
  { it: 'refuses a language that is none', given: named({ language: 'much too long' }), gives: [502, 'delegation-creation-failed'], then: nothing },
  {
    it: 'refuses the address of another',
    given: ({ username }) => ({ username: newName(), email: `${username}@example.org` }),
    gives: [502, 'delegation-creation-failed'],
    then: nothing,
  },
  { it: 'refuses what is no text', send: { username: 'child', core: 1 }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses apps', as: [], send: { username: 'child' }, gives: [403, 'forbidden'] },
])

describe('an account that was made for a delegate', () => {
  const at = withNode({ 'auth.trustedApps': '*@*', 'account.emailVerification.requireAtRegistration': false, invitationTokens: ['needed'] })

  const login = async (username: string, password: string): Promise<number> =>
    (
      await request(`${at().url}${username}/auth/login`, {
        body: { username, password, appId: 'some-app' },
        headers: { origin: 'https://example.org' },
      })
    ).status

  it('is logged in to with the password that it was given, and with none when it was given none', async () => {
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

  it('is made by a delegate for the account that it acts for', async () => {
    const pair = await activePair(at())
    const token = await tokenOf(pair)
    const username = newName()
    expect(await tried(pair.b, token, 'delegations.createAccount', { username })).toEqual([201, undefined])
    expect(await mirrorsOf(pair.b)).toMatchObject([{ controlled: { username }, status: 'active' }])
    expect(await mirrorsOf(pair.a)).toMatchObject([{ controlled: { username: pair.b.username } }])
  })

  it('is made once, however many ask', async () => {
    const stage = await newStage(at())
    const username = newName()
    const answers = await Promise.all(Array.from({ length: 20 }, () => tried(stage, stage.owner, 'delegations.createAccount', { username })))
    const counts = answers.map(([status]) => status).sort()
    expect(counts).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
    expect([(await mirrorsOf(stage)).length, await kindsOf(stage)]).toEqual([1, ['notify']])
  })

  it('is taken back when it cannot be kept, and when its answer is lost', async () => {
    const stage = await newStage(at())
    const { node } = at()
    const { toCore } = node.delegations
    const answers: [string, object][] = [
      ['lost', { status: 0, cause: 'timeout' }],
      ['broken', { status: 500, body: {} }],
      ['incomplete', { status: 200, body: { relId: 'x' } }],
    ]
    for (const [what, answer] of answers) {
      const username = newName()
      node.delegations.toCore = async (...asked) => {
        const real = await toCore(...asked)
        return 'action' in asked[2] && asked[2].action === 'create' ? (answer as typeof real) : real
      }
      const outcome = await tried(stage, stage.owner, 'delegations.createAccount', { username }).finally(() => (node.delegations.toCore = toCore))
      expect([what, ...outcome.slice(0, 2)]).toEqual([what, 502, 'delegation-creation-failed'])
      expect(await node.accounts.find(username)).toBeUndefined()
      await nothing(undefined, stage)
      await stage.arrange('delegations.createAccount', { username })
      // For the next one to begin with nothing.
      const made = await node.accounts.find(username)
      if (made !== undefined) await erase(node, made)
    }
  })
})
