/**
 * Removal and replacement of a second factor, and their effect on pending logins and setups (docs/interface/mfa.md#setup,
 * docs/interface/mfa.md#removal).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Mail } from '../../../../src/server/mail/mailer.js'
import { hashPassword } from '../../../../src/server/auth/password.js'
import { putUser } from '../../../../src/store/accounts/users.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callsOf, codeAt, enrol, password, trusting, waitingLogin, wrongCodeAt, type Person } from '../../../support/people/totp.js'

const clock = fakeClock()
const adminKey = 'the key of all keys'
const mails: Mail[] = []
let mailFails = false
let node: TestNode
let people = 0
beforeAll(async () => {
  const mail = {
    isOn: () => true,
    send: (sent: Mail) => {
      if (sent.kind === 'mfaChange') mails.push(sent)
      return mailFails ? Promise.reject(new Error('the mail server is away')) : Promise.resolve()
    },
  }
  node = await startTestNode({ ...trusting, 'auth.adminAccessKey': adminKey }, { clock, mail })
})
afterAll(() => node.stop())

let owner: Person
let calls: ReturnType<typeof callsOf>
let secret: string
let recoveryCodes: string[]
beforeEach(async () => {
  people += 1
  const username = `person-${people}`
  owner = { username, token: await registerUser(node, username) }
  calls = callsOf(node, owner)
  ;({ secret, recoveryCodes } = await enrol(node, owner, clock))
  mails.length = 0
})

const changes = (): unknown[] => mails.map(({ substitutions }) => substitutions['MFA_CHANGE'])
const ended = { status: 403, body: { error: { id: 'forbidden' } } }
const now = (): string => codeAt(secret, clock.now())
const stepUpRequired = { status: 400, body: { error: { id: 'invalid-parameters-format', data: { id: 'step-up-required' } } } }
const stepUpRefused = { status: 403, body: { error: { id: 'invalid-step-up' } } }
const reset = (username: string, key = adminKey): Promise<Answer> =>
  request(`${node.url}system/users/${username}/mfa`, { method: 'DELETE', token: key })

describe('deactivation', () => {
  it('requires only a personal token', async () => {
    expect(await calls.deactivate()).toMatchObject({ status: 200, body: { message: expect.any(String) as string } })
    expect((await calls.login()).status).toBe(200)
    expect(await calls.profile()).not.toHaveProperty('mfa')
    expect(changes()).toEqual(['deactivated'])
    expect((await calls.deactivate()).status).toBe(200)
    expect(changes()).toEqual(['deactivated'])
  })

  it('checks a password or code of the request', async () => {
    expect(await calls.deactivate({ password: 'wrong' })).toMatchObject(stepUpRefused)
    expect(await calls.deactivate({ code: wrongCodeAt(secret, clock.now()) })).toMatchObject(stepUpRefused)
    expect(await calls.deactivate({ code: now(), password })).toMatchObject(stepUpRequired)
    expect(await calls.deactivate({ colour: 'red' })).toMatchObject({ status: 400 })
    expect(await calls.deactivate({ password: 5 })).toMatchObject({ status: 400 })
    expect((await calls.login()).status).toBe(302)
    expect((await calls.deactivate({ code: now() })).status).toBe(200)
    expect((await calls.login()).status).toBe(200)
  })

  it('requires a password or a code when the operator configures it', async () => {
    const strict = await startTestNode({ ...trusting, 'services.mfa.stepUp.required': true }, { clock })
    const other: Person = { username: 'other', token: await registerUser(strict, 'other') }
    const otherCalls = callsOf(strict, other)
    expect(await otherCalls.deactivate()).toMatchObject(stepUpRequired)
    await enrol(strict, other, clock)
    expect(await otherCalls.deactivate()).toMatchObject(stepUpRequired)
    expect(await otherCalls.deactivate({ password: 'wrong' })).toMatchObject(stepUpRefused)
    expect((await otherCalls.deactivate({ password })).status).toBe(200)
    expect((await otherCalls.login()).status).toBe(200)
    await strict.stop()
  })
})

describe('replacement', () => {
  it('requires the password or a code', async () => {
    expect(await calls.activate()).toMatchObject(stepUpRequired)
    expect(await calls.activate({ password, code: now() })).toMatchObject(stepUpRequired)
    expect(await calls.activate({ password: 'wrong' })).toMatchObject(stepUpRefused)
    expect(await calls.activate({ code: wrongCodeAt(secret, clock.now()) })).toMatchObject(stepUpRefused)
    expect((await calls.activate({ password })).status).toBe(302)
  })

  it('consumes the code', async () => {
    const code = now()
    expect((await calls.activate({ code })).status).toBe(302)
    expect(await calls.activate({ code })).toMatchObject(stepUpRefused)
    expect((await calls.verify(await waitingLogin(node, owner), code)).status).toBe(400)
  })

  it('accepts effect when the new factor is confirmed, and ends pending logins', async () => {
    const { body } = await calls.activate({ password })
    const newSecret = String(body['secret'])
    const before = await waitingLogin(node, owner)
    expect((await calls.verify(before, now())).status).toBe(200)
    const pendingLogin = await waitingLogin(node, owner)
    const confirmed = await calls.confirm(String(body['mfaToken']), codeAt(newSecret, clock.now() - 30))
    expect(confirmed.status).toBe(200)
    expect(changes()).toEqual(['replaced'])
    clock.pass(60)
    expect(await calls.verify(pendingLogin, now())).toMatchObject(ended)
    const after = await waitingLogin(node, owner)
    expect((await calls.verify(after, now())).status).toBe(400)
    expect((await calls.verify(after, codeAt(newSecret, clock.now()))).status).toBe(200)
    expect((await calls.recover(recoveryCodes[0])).status).toBe(400)
    expect((await calls.recover((confirmed.body['recoveryCodes'] as string[])[3])).status).toBe(200)
  })

  it('is refused when the factor was removed during the setup', async () => {
    const { body } = await calls.activate({ password })
    await calls.deactivate()
    const late = await calls.confirm(String(body['mfaToken']), codeAt(String(body['secret']), clock.now()))
    expect(late).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
    expect((await calls.login()).status).toBe(200)
  })
})

async function changePassword(): Promise<{ status: number }> {
  const loaded = await node.node.accounts.find(owner.username)
  if (loaded === undefined) throw new Error('no such account')
  const { account, user } = loaded
  const passwordHash = await hashPassword('another horse')
  await account.write((t) => putUser(t, { ...user, passwordHash }, 'update'))
  return { status: 200 }
}

describe('a pending login', () => {
  it.each([
    ['the factor is removed', () => calls.deactivate()],
    ['the factor is recovered', () => calls.recover(recoveryCodes[0])],
    ['the operator removes the factor', () => reset(owner.username)],
    ['the password is changed', changePassword],
  ])('ends when %s', async (_, act) => {
    const pendingLogin = await waitingLogin(node, owner)
    expect((await act()).status).toBeLessThan(300)
    expect(await calls.verify(pendingLogin, now())).toMatchObject(ended)
    expect(await calls.challenge(pendingLogin)).toMatchObject(ended)
  })
})

describe('a pending setup', () => {
  it.each([
    ['the password is changed', changePassword],
    ['its session is logged out', () => request(`${node.url}${owner.username}/auth/logout`, { method: 'POST', token: owner.token })],
  ])('ends when %s', async (_, act) => {
    const { body } = await calls.activate({ password })
    const newSecret = String(body['secret'])
    expect((await act()).status).toBe(200)
    expect(await calls.confirm(String(body['mfaToken']), codeAt(newSecret, clock.now()))).toMatchObject(ended)
  })
})

describe('recovery', () => {
  it('removes the factor with all recovery codes', async () => {
    expect((await calls.recover(recoveryCodes[7])).status).toBe(200)
    expect((await calls.login()).status).toBe(200)
    expect(changes()).toEqual(['recovered'])
    expect(await calls.recover(recoveryCodes[7])).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
  })

  it('accepts the parameters of a login', async () => {
    expect((await calls.recover(recoveryCodes[0], { appId: 'any-app', username: owner.username.toUpperCase() })).status).toBe(200)
  })

  it.each([
    ['a wrong code', 'wrong', {}, 400, 'invalid-parameters-format'],
    ['a code of the app', 'now', {}, 400, 'invalid-parameters-format'],
    ['a wrong password', 'right', { password: 'wrong' }, 401, 'invalid-credentials'],
    ['another user', 'right', { username: 'person-0' }, 401, 'invalid-credentials'],
    ['no code', undefined, {}, 400, 'invalid-parameters-format'],
    ['a code that is not a string', ['right'], {}, 400, 'invalid-parameters-format'],
    ['an unknown parameter', 'right', { code: '123456' }, 400, 'invalid-parameters-format'],
  ])('is refused with %s', async (_, code, more, status, id) => {
    const known: Record<string, string | undefined> = { right: recoveryCodes[0], now: now() }
    const submittedCode = typeof code === 'string' ? (known[code] ?? code) : code
    expect(await calls.recover(submittedCode, more)).toMatchObject({ status, body: { error: { id } } })
    expect((await calls.login()).status).toBe(302)
  })

  it('succeeds once in fifty concurrent calls', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => calls.recover(recoveryCodes[n % 10])))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(changes()).toEqual(['recovered'])
  })
})

describe('the operator', () => {
  it('removes a factor, and nothing else of the profile', async () => {
    await request(`${node.url}${owner.username}/profile/private`, { method: 'PUT', token: owner.token, body: { colour: 'red' } })
    const { status, body } = await reset(owner.username)
    expect([status, body]).toEqual([204, { text: '' }])
    expect(await calls.profile()).toEqual({ colour: 'red' })
    expect((await calls.login()).status).toBe(200)
    expect(changes()).toEqual(['deactivatedByAdmin'])
    expect((await reset(owner.username)).status).toBe(204)
    expect(changes()).toHaveLength(1)
  })

  it('needs the admin key and an existing account', async () => {
    for (const [username, key] of [[owner.username, 'wrong'], [owner.username, owner.token], ['nobody-here', adminKey]] as const) {
      expect(await reset(username, key)).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
    }
    expect((await calls.login()).status).toBe(302)
  })
})

describe('the private profile', () => {
  it.each(['mfa', 'mfaThrottle', 'passwordThrottle'])('refuses a change of %s', async (key) => {
    const before = await calls.profile()
    const answer = await request(`${node.url}${owner.username}/profile/private`, { method: 'PUT', token: owner.token, body: { [key]: null, a: 1 } })
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
    expect(await calls.profile()).toEqual(before)
  })

  it('includes the factor in the result of a change, unlike other sets', async () => {
    const { body } = await request(`${node.url}${owner.username}/profile/private`, { method: 'PUT', token: owner.token, body: { a: 1 } })
    expect(body['profile']).toMatchObject({ a: 1, mfa: { method: 'totp' } })
    const open = await request(`${node.url}${owner.username}/profile/public`, { token: owner.token })
    expect(open.body['profile']).toEqual({})
  })
})

describe('a notice by mail', () => {
  it('is sent to the owner, and its failure is only logged', async () => {
    mailFails = true
    expect((await calls.deactivate()).status).toBe(200)
    mailFails = false
    expect(mails).toMatchObject([
      { to: `${owner.username}@example.org`, language: 'en', substitutions: { USERNAME: owner.username, MFA_CHANGE: 'deactivated', MFA_DEACTIVATED: 'true', MFA_ENROLLED: '' } },
    ])
    await expect.poll(() => node.logged.join('\n')).toContain('failed to send the notice')
  })
})
