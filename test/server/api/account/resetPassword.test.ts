/** account.requestPasswordReset and account.resetPassword: docs/interface/account.md#password-reset. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Mailer } from '../../../../src/server/mail/mailer.js'
import { Failure } from '../../../../src/store/model/failure.js'
import { readPasswordReset, type PasswordReset } from '../../../../src/store/accounts/credentials.js'
import { readUser } from '../../../../src/store/accounts/users.js'
import { grantAccess } from '../../../support/people/access.js'
import { contentOf, recordsOf } from '../../../support/people/audit.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { testMailer } from '../../../support/services/mail.js'

const DAY = 86_400
const clock = fakeClock()
const mail = testMailer()
const { sent, off } = mail
const page = { 'auth.passwordResetPageURL': 'https://example.org/reset?lang=en' }
const trusted = { 'auth.trustedApps': 'any-origin@*, tied-app@https://*.tied.example' }
let node: TestNode
beforeAll(async () => {
  node = await startTestNode({ ...trusted, ...page }, { clock, mail })
})
afterAll(() => node.stop())

let users = 0
/** Registers an account; returns its name and the token of the owner. */
async function account(): Promise<{ user: string; token: string }> {
  users += 1
  const user = `user-${users}`
  return { user, token: await registerUser(node, user) }
}

let clients = 0
/** Returns the headers of a client with a new address. */
const client = (): Record<string, string> => ({ 'x-forwarded-for': `2001:db8:${(clients += 1).toString(16)}::1` })

const ask = (user: string, body: object = { appId: 'any-origin' }, headers = client()): Promise<Answer> =>
  request(`${node.url}${user}/account/request-password-reset`, { body, headers })
const reset = (user: string, more: object = {}, headers = client()): Promise<Answer> =>
  request(`${node.url}${user}/account/reset-password`, {
    body: { appId: 'any-origin', newPassword: 'battery staple', ...more },
    headers,
  })
const logIn = (user: string, password: string): Promise<Answer> =>
  request(`${node.url}${user}/auth/login`, { body: { username: user, password, appId: 'any-origin' }, headers: client() })

/** Requests a reset; returns the token that was mailed. */
async function mailedToken(user: string): Promise<string> {
  sent.length = 0
  expect((await ask(user)).status).toBe(200)
  expect(sent).toHaveLength(1)
  return String(sent[0]?.substitutions['RESET_TOKEN'])
}

async function storedReset(user: string): Promise<PasswordReset> {
  const loaded = await node.node.accounts.find(user)
  return readPasswordReset(node.node.store.db, loaded?.account.prefix ?? '')
}

const refused = (status: number, id: string): object => ({ status, body: { error: { id } } })

describe('requesting a reset', () => {
  it('mails a token to the primary address, with a link', async () => {
    const { user } = await account()
    const { status, body } = await ask(user)
    expect({ status, keys: Object.keys(body) }).toEqual({ status: 200, keys: ['meta'] })
    const token = String(sent.at(-1)?.substitutions['RESET_TOKEN'])
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(sent.at(-1)).toEqual({
      kind: 'resetPassword',
      to: `${user}@example.org`,
      language: 'en',
      substitutions: {
        RESET_TOKEN: token,
        RESET_URL: 'https://example.org/reset?lang=en',
        RESET_LINK: `https://example.org/reset?lang=en&resetToken=${token}`,
      },
    })
  })

  it('sends the mail in the language of the account', async () => {
    const body = { username: 'francine', password: 'correct horse', email: 'f@example.org', appId: 'test-app', language: 'fr' }
    expect((await request(`${node.url}users`, { body })).status).toBe(200)
    await ask('francine')
    expect(sent.at(-1)).toMatchObject({ language: 'fr', to: 'f@example.org' })
  })

  it('stores only the hash of the token', async () => {
    const { user } = await account()
    const token = await mailedToken(user)
    const { token: live } = await storedReset(user)
    expect(live).toEqual({ digest: createHash('sha256').update(token).digest('hex'), expires: clock.now() + 3600 })
    expect(JSON.stringify(await storedReset(user))).not.toContain(token)
    expect(node.logged.join()).not.toContain(token)
  })

  it('creates a token but sends no mail if the mail is disabled', async () => {
    const { user } = await account()
    off.add('resetPassword')
    sent.length = 0
    expect((await ask(user)).status).toBe(200)
    off.clear()
    expect(sent).toEqual([])
    expect((await storedReset(user)).token).toBeDefined()
  })

  it.each([
    ['no app', {}, 400, 'invalid-parameters-format'],
    ['an app id that is no string', { appId: 5 }, 400, 'invalid-parameters-format'],
    ['an untrusted app', { appId: 'who-is-this' }, 401, 'invalid-credentials'],
    ['an app with a wrong origin', { appId: 'tied-app' }, 401, 'invalid-credentials'],
  ])('refuses %s, and creates no token', async (_, body, status, id) => {
    const { user } = await account()
    expect(await ask(user, body)).toMatchObject(refused(status, id))
    expect(await storedReset(user)).toEqual({ requests: [] })
  })

  it('accepts an app by its Origin or Referer, and ignores unknown fields', async () => {
    for (const name of ['origin', 'referer']) {
      const { user } = await account()
      const headers = { ...client(), [name]: 'https://app.tied.example' }
      expect((await ask(user, { appId: 'tied-app', more: 1 }, headers)).status).toBe(200)
    }
  })

  it('refuses an unknown user', async () => {
    expect(await ask('nobody')).toMatchObject(refused(404, 'unknown-resource'))
  })

  it('is limited to once a minute and five times a day per account', async () => {
    const { user } = await account()
    expect((await ask(user)).status).toBe(200)
    clock.pass(59)
    const early = await ask(user)
    expect(early).toMatchObject({ status: 429, body: { error: { id: 'too-many-attempts', data: { retryAfterSeconds: 1 } } } })
    expect(early.headers.get('retry-after')).toBe('1')
    for (let n = 0; n < 4; n++) {
      clock.pass(60)
      expect((await ask(user)).status).toBe(200)
    }
    clock.pass(60)
    const first = clock.now() - 60 * 5 - 59
    expect(await ask(user)).toMatchObject({
      status: 429,
      body: { error: { data: { retryAfterSeconds: first + DAY - clock.now() } } },
    })
    clock.pass(first + DAY - clock.now())
    expect((await ask(user)).status).toBe(200)
    expect((await ask(user)).status).toBe(429)
  })

  it('is limited to 20 times an hour per client, over all accounts', async () => {
    const headers = client()
    const names = []
    for (let n = 0; n < 22; n++) names.push((await account()).user)
    for (const user of names.slice(0, 20)) {
      expect((await ask(user, undefined, headers)).status).toBe(200)
      // Requests refused by the limit of the account do not count.
      expect((await ask(user, undefined, headers)).status).toBe(429)
    }
    expect((await ask(String(names[20]), undefined, headers)).status).toBe(429)
    expect(await storedReset(String(names[20]))).toEqual({ requests: [] })
    expect((await ask(String(names[20]))).status).toBe(200)
    clock.pass(3600)
    expect((await ask(String(names[21]), undefined, headers)).status).toBe(200)
  })

  it('fails without details when the mail fails, and is recorded as failed', async () => {
    const broken: Mailer = { isOn: () => true, send: () => Promise.reject(new Failure('unexpected-error')) }
    const other = await startTestNode({ ...trusted, ...page }, { clock, mail: broken })
    const owner = await registerUser(other, 'alice')
    const answer = await request(`${other.url}alice/account/request-password-reset`, { body: { appId: 'any-origin' } })
    expect(answer).toMatchObject(refused(500, 'unexpected-error'))
    const records = await recordsOf({ node: other, username: 'alice', owner }, [':_audit:access-password-reset-request'])
    expect(records.map(({ type }) => type)).toEqual(['log/user-api-error'])
    await other.stop()
  })

  it.each([undefined, 'https://home.example/data/'])('links to the page of the node at %s if no page is configured', async (publicUrl) => {
    const other = await startTestNode({ ...trusted, ...(publicUrl === undefined ? {} : { 'dnsLess.publicUrl': publicUrl }) }, { clock, mail })
    await registerUser(other, 'alice')
    sent.length = 0
    const answer = await request(`${other.url}alice/account/request-password-reset`, { body: { appId: 'any-origin' } })
    expect(answer.status).toBe(200)
    const page = `${publicUrl ?? other.url}web/reset-password/new`
    const token = String(sent[0]?.substitutions['RESET_TOKEN'])
    const links = { RESET_URL: page, RESET_LINK: `${page}?resetToken=${token}&username=alice` }
    expect(sent).toMatchObject([{ substitutions: links }])
    await other.stop()
  })
})

describe('resetting a password', () => {
  it('sets the new password, once', async () => {
    const { user } = await account()
    const resetToken = await mailedToken(user)
    const { status, body } = await reset(user, { resetToken })
    expect({ status, keys: Object.keys(body) }).toEqual({ status: 200, keys: ['meta'] })
    expect((await logIn(user, 'correct horse')).status).toBe(401)
    expect((await logIn(user, 'battery staple')).status).toBe(200)
    expect(await reset(user, { resetToken })).toMatchObject(refused(401, 'invalid-access-token'))
  })

  it('deletes all personal accesses, but not those of apps', async () => {
    const { user, token } = await account()
    const other = String((await logIn(user, 'correct horse')).body['token'])
    const app = await grantAccess(node, user, [])
    expect((await reset(user, { resetToken: await mailedToken(user) })).status).toBe(200)
    for (const ended of [token, other]) {
      expect((await request(`${node.url}${user}/access-info`, { token: ended })).status).toBe(403)
    }
    expect((await request(`${node.url}${user}/access-info`, { token: app.token })).status).toBe(200)
    const newToken = String((await logIn(user, 'battery staple')).body['token'])
    const { body } = await request(`${node.url}${user}/accesses?includeDeletions=true`, { token: newToken })
    const types = (list: unknown): unknown[] => (list as { type: string }[]).map(({ type }) => type).sort()
    expect(types(body['accesses'])).toEqual(['app', 'personal'])
    expect(types(body['accessDeletions'])).toEqual(['personal', 'personal'])
  })

  it('refuses invalid tokens of all kinds with the same error', async () => {
    const { user } = await account()
    const { user: other } = await account()
    const { user: withoutRequest } = await account()
    const first = await mailedToken(user)
    clock.pass(60)
    const second = await mailedToken(user)
    const tokens: [string, string][] = [
      [user, first],
      [user, 'x'],
      [user, ''],
      [other, second],
      [withoutRequest, second],
    ]
    const answers = []
    for (const [name, resetToken] of tokens) answers.push(await reset(name, { resetToken }))
    for (const answer of answers) {
      expect(answer).toMatchObject(refused(401, 'invalid-access-token'))
      expect(answer.body['error']).toEqual(answers[0]?.body['error'])
    }
    expect((await reset(user, { resetToken: second })).status).toBe(200)
  })

  it('refuses a token that has expired', async () => {
    const { user } = await account()
    const resetToken = await mailedToken(user)
    clock.pass(3600)
    expect(await reset(user, { resetToken })).toMatchObject(refused(401, 'invalid-access-token'))
    const { user: other } = await account()
    const live = await mailedToken(other)
    clock.pass(3599)
    expect((await reset(other, { resetToken: live })).status).toBe(200)
  })

  it.each([
    ['no token', { resetToken: undefined }, 400, 'invalid-parameters-format'],
    ['a token that is no string', { resetToken: 5 }, 400, 'invalid-parameters-format'],
    ['no password', { newPassword: undefined }, 400, 'invalid-parameters-format'],
    ['a short password', { newPassword: '12345' }, 400, 'invalid-parameters-format'],
    ['a long password', { newPassword: 'x'.repeat(101) }, 400, 'invalid-parameters-format'],
    ['no app', { appId: undefined }, 400, 'invalid-parameters-format'],
    ['an untrusted app', { appId: 'who-is-this' }, 401, 'invalid-credentials'],
  ])('refuses %s, and leaves the token valid', async (_, more, status, id) => {
    const { user } = await account()
    const resetToken = await mailedToken(user)
    expect(await reset(user, { resetToken, ...more })).toMatchObject(refused(status, id))
    expect((await reset(user, { resetToken })).status).toBe(200)
  })

  it('enforces the password rules, and leaves the token valid when they refuse', async () => {
    const rules = { 'auth.passwordComplexityMinLength': 8, 'auth.passwordPreventReuseHistoryLength': 1, 'auth.passwordAgeMinDays': 1 }
    const strict = await startTestNode({ ...trusted, ...page, ...rules }, { clock, mail })
    await registerUser(strict, 'alice')
    const ask = (): Promise<Answer> => request(`${strict.url}alice/account/request-password-reset`, { body: { appId: 'any-origin' } })
    const attempt = (newPassword: string): Promise<Answer> => {
      const body = { appId: 'any-origin', resetToken: sent.at(-1)?.substitutions['RESET_TOKEN'], newPassword }
      return request(`${strict.url}alice/account/reset-password`, { body })
    }
    await ask()
    expect(await attempt('battery staple')).toMatchObject(refused(400, 'invalid-operation'))
    clock.pass(DAY)
    await ask()
    expect(await attempt('short 1')).toMatchObject(refused(400, 'invalid-parameters-format'))
    expect(await attempt('correct horse')).toMatchObject(refused(400, 'invalid-operation'))
    expect((await attempt('battery staple')).status).toBe(200)
    expect(await attempt('another staple')).toMatchObject(refused(401, 'invalid-access-token'))
    await strict.stop()
  })

  it('reveals nothing about the password rules without a valid token', async () => {
    const strict = await startTestNode({ ...trusted, ...page, 'auth.passwordComplexityMinLength': 8, 'auth.passwordPreventReuseHistoryLength': 1 }, { clock, mail })
    await registerUser(strict, 'alice')
    for (const newPassword of ['short 1', 'correct horse']) {
      const body = { appId: 'any-origin', resetToken: 'none', newPassword }
      expect(await request(`${strict.url}alice/account/reset-password`, { body })).toMatchObject(refused(401, 'invalid-access-token'))
    }
    await strict.stop()
  })

  it('succeeds exactly once with concurrent calls, some of them refused by the password rules', async () => {
    const strict = await startTestNode({ ...trusted, ...page, 'auth.passwordComplexityMinLength': 8 }, { clock, mail })
    await registerUser(strict, 'alice')
    await request(`${strict.url}alice/account/request-password-reset`, { body: { appId: 'any-origin' } })
    const resetToken = sent.at(-1)?.substitutions['RESET_TOKEN']
    const passwords = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'weak 1' : `password-${n}`))
    const answers = await Promise.all(
      passwords.map((newPassword) => request(`${strict.url}alice/account/reset-password`, { body: { appId: 'any-origin', resetToken, newPassword } })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status !== 200 && status !== 400 && status !== 401)).toEqual([])
    await strict.stop()
  })

  it('succeeds exactly once with 50 concurrent calls', async () => {
    const { user } = await account()
    const resetToken = await mailedToken(user)
    const passwords = Array.from({ length: 50 }, (_, n) => `password-${n}`)
    const answers = await Promise.all(passwords.map((newPassword) => reset(user, { resetToken, newPassword })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49)
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? ''
    expect((await logIn(user, winner)).status).toBe(200)
  })

  it('is consistent with a concurrent change of the password', async () => {
    for (let round = 0; round < 5; round++) {
      const { user, token } = await account()
      const resetToken = await mailedToken(user)
      const body = { oldPassword: 'correct horse', newPassword: 'by the owner' }
      const [done] = await Promise.all([
        reset(user, { resetToken }),
        request(`${node.url}${user}/account/change-password`, { token, body }),
      ])
      // A change that came first invalidated the token.
      const password = done.status === 200 ? 'battery staple' : 'by the owner'
      expect((await logIn(user, password)).status).toBe(200)
      expect((await request(`${node.url}${user}/access-info`, { token })).status).toBe(done.status === 200 ? 403 : 200)
    }
  })

  it('ends the delay of logins after wrong passwords', async () => {
    const { user } = await account()
    for (let n = 0; n < 6; n++) await logIn(user, 'wrong')
    expect((await logIn(user, 'correct horse')).status).toBe(429)
    expect((await reset(user, { resetToken: await mailedToken(user) })).status).toBe(200)
    expect((await logIn(user, 'battery staple')).status).toBe(200)
  })

  it('is recorded under own access ids, but not if it is refused', async () => {
    const { user } = await account()
    await reset(user, { resetToken: 'x' })
    await reset(user, { resetToken: await mailedToken(user) })
    const owner = String((await logIn(user, 'battery staple')).body['token'])
    const streams = ['password-reset-request', 'password-reset-token', 'valid-password'].map((id) => `:_audit:access-${id}`)
    const records = await recordsOf({ node, username: user, owner }, streams)
    expect(records.map((record) => [record.type, contentOf(record)['action']])).toEqual([
      ['log/user-api', 'account.requestPasswordReset'],
      ['log/user-api', 'account.resetPassword'],
      ['log/user-api', 'auth.login'],
    ])
    expect(JSON.stringify(records)).not.toContain('battery')
  })

  it('is not available in a batch', async () => {
    const { token, user } = await account()
    const calls = ['account.requestPasswordReset', 'account.resetPassword'].map((method) => ({ method, params: {} }))
    const { body } = await request(`${node.url}${user}`, { token, body: calls })
    for (const result of body['results'] as unknown[]) expect(result).toMatchObject({ error: { id: 'invalid-method' } })
  })

  it('stores the previous password as a former one', async () => {
    const { user } = await account()
    await reset(user, { resetToken: await mailedToken(user) })
    const loaded = await node.node.accounts.find(user)
    expect(readUser(node.node.store.db, loaded?.account.prefix ?? '')?.formerPasswords).toHaveLength(1)
  })
})
