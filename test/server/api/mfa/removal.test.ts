/**
 * Taking a second factor away, replacing it, and what becomes of what waited for it (docs/interface/mfa.md#setup,
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

let who: Person
let calls: ReturnType<typeof callsOf>
let secret: string
let recoveryCodes: string[]
beforeEach(async () => {
  people += 1
  const username = `person-${people}`
  who = { username, token: await registerUser(node, username) }
  calls = callsOf(node, who)
  ;({ secret, recoveryCodes } = await enrol(node, who, clock))
  mails.length = 0
})

const changes = (): unknown[] => mails.map(({ substitutions }) => substitutions['MFA_CHANGE'])
const ended = { status: 403, body: { error: { id: 'forbidden' } } }
const now = (): string => codeAt(secret, clock.now())
const asked = { status: 400, body: { error: { id: 'invalid-parameters-format', data: { id: 'step-up-required' } } } }
const refused = { status: 403, body: { error: { id: 'invalid-step-up' } } }
const reset = (username: string, key = adminKey): Promise<Answer> =>
  request(`${node.url}system/users/${username}/mfa`, { method: 'DELETE', token: key })

describe('deactivating', () => {
  it('asks for nothing but a personal token', async () => {
    expect(await calls.deactivate()).toMatchObject({ status: 200, body: { message: expect.any(String) as string } })
    expect((await calls.login()).status).toBe(200)
    expect(await calls.profile()).not.toHaveProperty('mfa')
    expect(changes()).toEqual(['deactivated'])
    expect((await calls.deactivate()).status).toBe(200)
    expect(changes()).toEqual(['deactivated'])
  })

  it('checks what is given all the same', async () => {
    expect(await calls.deactivate({ password: 'wrong' })).toMatchObject(refused)
    expect(await calls.deactivate({ code: wrongCodeAt(secret, clock.now()) })).toMatchObject(refused)
    expect(await calls.deactivate({ code: now(), password })).toMatchObject(asked)
    expect(await calls.deactivate({ colour: 'red' })).toMatchObject({ status: 400 })
    expect(await calls.deactivate({ password: 5 })).toMatchObject({ status: 400 })
    expect((await calls.login()).status).toBe(302)
    expect((await calls.deactivate({ code: now() })).status).toBe(200)
    expect((await calls.login()).status).toBe(200)
  })

  it('asks for a password or a code where the operator says so', async () => {
    const strict = await startTestNode({ ...trusting, 'services.mfa.stepUp.required': true }, { clock })
    const other: Person = { username: 'other', token: await registerUser(strict, 'other') }
    const its = callsOf(strict, other)
    expect(await its.deactivate()).toMatchObject(asked)
    await enrol(strict, other, clock)
    expect(await its.deactivate()).toMatchObject(asked)
    expect(await its.deactivate({ password: 'wrong' })).toMatchObject(refused)
    expect((await its.deactivate({ password })).status).toBe(200)
    expect((await its.login()).status).toBe(200)
    await strict.stop()
  })
})

describe('replacing', () => {
  it('asks for the password or a code', async () => {
    expect(await calls.activate()).toMatchObject(asked)
    expect(await calls.activate({ password, code: now() })).toMatchObject(asked)
    expect(await calls.activate({ password: 'wrong' })).toMatchObject(refused)
    expect(await calls.activate({ code: wrongCodeAt(secret, clock.now()) })).toMatchObject(refused)
    expect((await calls.activate({ password })).status).toBe(302)
  })

  it('uses up the code', async () => {
    const code = now()
    expect((await calls.activate({ code })).status).toBe(302)
    expect(await calls.activate({ code })).toMatchObject(refused)
    expect((await calls.verify(await waitingLogin(node, who), code)).status).toBe(400)
  })

  it('changes nothing before the new one is confirmed, then all', async () => {
    const { body } = await calls.activate({ password })
    const fresh = String(body['secret'])
    const before = await waitingLogin(node, who)
    expect((await calls.verify(before, now())).status).toBe(200)
    const waiting = await waitingLogin(node, who)
    const confirmed = await calls.confirm(String(body['mfaToken']), codeAt(fresh, clock.now() - 30))
    expect(confirmed.status).toBe(200)
    expect(changes()).toEqual(['replaced'])
    clock.pass(60)
    expect(await calls.verify(waiting, now())).toMatchObject(ended)
    const after = await waitingLogin(node, who)
    expect((await calls.verify(after, now())).status).toBe(400)
    expect((await calls.verify(after, codeAt(fresh, clock.now()))).status).toBe(200)
    expect((await calls.recover(recoveryCodes[0])).status).toBe(400)
    expect((await calls.recover((confirmed.body['recoveryCodes'] as string[])[3])).status).toBe(200)
  })

  it('is refused when another factor came or went meanwhile', async () => {
    const { body } = await calls.activate({ password })
    await calls.deactivate()
    const late = await calls.confirm(String(body['mfaToken']), codeAt(String(body['secret']), clock.now()))
    expect(late).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
    expect((await calls.login()).status).toBe(200)
  })
})

async function changePassword(): Promise<{ status: number }> {
  const loaded = await node.node.accounts.find(who.username)
  if (loaded === undefined) throw new Error('no such account')
  const { account, user } = loaded
  const passwordHash = await hashPassword('another horse')
  await account.write((t) => putUser(t, { ...user, passwordHash }, 'update'))
  return { status: 200 }
}

describe('a login that waits', () => {
  it.each([
    ['the factor is taken away', () => calls.deactivate()],
    ['the factor is recovered', () => calls.recover(recoveryCodes[0])],
    ['the operator takes the factor away', () => reset(who.username)],
    ['the password is changed', changePassword],
  ])('ends when %s', async (_, happens) => {
    const waiting = await waitingLogin(node, who)
    expect((await happens()).status).toBeLessThan(300)
    expect(await calls.verify(waiting, now())).toMatchObject(ended)
    expect(await calls.challenge(waiting)).toMatchObject(ended)
  })
})

describe('a factor that waits for its confirmation', () => {
  it.each([
    ['the password is changed', changePassword],
    ['who began it is logged out', () => request(`${node.url}${who.username}/auth/logout`, { method: 'POST', token: who.token })],
  ])('ends when %s', async (_, happens) => {
    const { body } = await calls.activate({ password })
    const fresh = String(body['secret'])
    expect((await happens()).status).toBe(200)
    expect(await calls.confirm(String(body['mfaToken']), codeAt(fresh, clock.now()))).toMatchObject(ended)
  })
})

describe('recovering', () => {
  it('takes the factor away with all codes', async () => {
    expect((await calls.recover(recoveryCodes[7])).status).toBe(200)
    expect((await calls.login()).status).toBe(200)
    expect(changes()).toEqual(['recovered'])
    expect(await calls.recover(recoveryCodes[7])).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
  })

  it('takes the parameters of a login', async () => {
    expect((await calls.recover(recoveryCodes[0], { appId: 'any-app', username: who.username.toUpperCase() })).status).toBe(200)
  })

  it.each([
    ['a wrong code', 'wrong', {}, 400, 'invalid-parameters-format'],
    ['a code of the app', 'now', {}, 400, 'invalid-parameters-format'],
    ['a wrong password', 'right', { password: 'wrong' }, 401, 'invalid-credentials'],
    ['another user', 'right', { username: 'person-0' }, 401, 'invalid-credentials'],
    ['no code', undefined, {}, 400, 'invalid-parameters-format'],
    ['a code that is no text', ['right'], {}, 400, 'invalid-parameters-format'],
    ['more than it takes', 'right', { code: '123456' }, 400, 'invalid-parameters-format'],
  ])('is refused with %s', async (_, code, more, status, id) => {
    const known: Record<string, string | undefined> = { right: recoveryCodes[0], now: now() }
    const given = typeof code === 'string' ? (known[code] ?? code) : code
    expect(await calls.recover(given, more)).toMatchObject({ status, body: { error: { id } } })
    expect((await calls.login()).status).toBe(302)
  })

  it('is done once of fifty times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => calls.recover(recoveryCodes[n % 10])))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(changes()).toEqual(['recovered'])
  })
})

describe('the operator', () => {
  it('takes a factor away, and nothing else of the profile', async () => {
    await request(`${node.url}${who.username}/profile/private`, { method: 'PUT', token: who.token, body: { colour: 'red' } })
    const { status, body } = await reset(who.username)
    expect([status, body]).toEqual([204, { text: '' }])
    expect(await calls.profile()).toEqual({ colour: 'red' })
    expect((await calls.login()).status).toBe(200)
    expect(changes()).toEqual(['deactivatedByAdmin'])
    expect((await reset(who.username)).status).toBe(204)
    expect(changes()).toHaveLength(1)
  })

  it('needs the key, and an account', async () => {
    for (const [username, key] of [[who.username, 'wrong'], [who.username, who.token], ['nobody-here', adminKey]] as const) {
      expect(await reset(username, key)).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
    }
    expect((await calls.login()).status).toBe(302)
  })
})

describe('the private profile', () => {
  it.each(['mfa', 'mfaThrottle', 'passwordThrottle'])('does not let %s be set', async (key) => {
    const before = await calls.profile()
    const answer = await request(`${node.url}${who.username}/profile/private`, { method: 'PUT', token: who.token, body: { [key]: null, a: 1 } })
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
    expect(await calls.profile()).toEqual(before)
  })

  it('shows the factor in the answer to a change too, and not in other sets', async () => {
    const { body } = await request(`${node.url}${who.username}/profile/private`, { method: 'PUT', token: who.token, body: { a: 1 } })
    expect(body['profile']).toMatchObject({ a: 1, mfa: { method: 'totp' } })
    const open = await request(`${node.url}${who.username}/profile/public`, { token: who.token })
    expect(open.body['profile']).toEqual({})
  })
})

describe('a notice', () => {
  it('goes to the owner, and fails nothing when it cannot be sent', async () => {
    mailFails = true
    expect((await calls.deactivate()).status).toBe(200)
    mailFails = false
    expect(mails).toMatchObject([
      { to: `${who.username}@example.org`, language: 'en', substitutions: { USERNAME: who.username, MFA_CHANGE: 'deactivated', MFA_DEACTIVATED: 'true', MFA_ENROLLED: '' } },
    ])
    await expect.poll(() => node.logged.join('\n')).toContain('failed to send the notice')
  })
})
