/**
 * Life cycle of an account, from its registration to its renaming, with mails over SMTP. Each step uses the results of the
 * former ones, and no secret is stored or logged in clear.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HomePlaces } from '../../../../src/server/launch/init.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { textsOnDisk } from '../../../support/store/onDisk.js'
import { startSmtpSink, type SmtpSink, type SunkMail } from '../../../support/services/smtp.js'
import { codeAt } from '../../../support/people/totp.js'

const ADMIN_KEY = 'the key of the operator, which is in the configuration'
const clock = fakeClock()
const { home } = homes()
let places: HomePlaces
let sink: SmtpSink
let node: TestNode
beforeAll(async () => {
  places = await home()
  sink = await startSmtpSink()
  node = await startTestNode(
    {
      ...sink.settings,
      'auth.adminAccessKey': ADMIN_KEY,
      'auth.trustedApps': '*@*',
      'auth.passwordResetPageURL': 'https://pages.example/reset?from=mail',
      'auth.emailVerificationPageURL': 'https://pages.example/verify',
      'account.emailVerification.requireAtRegistration': true,
      invitationTokens: [],
      'logs.level': 'debug',
    },
    { home: places.home, clock },
  )
})
afterAll(async () => {
  await node.stop()
  await sink.stop()
})

/** All secrets of the steps, by name. */
const secrets = new Map<string, string>()
const secret = (name: string, value: unknown): string => {
  expect(value, name).toEqual(expect.stringMatching(/./))
  secrets.set(name, String(value))
  return String(value)
}

const call = (path: string, body?: object, token?: string, method?: string): Promise<Answer> =>
  request(`${node.url}${path}`, {
    ...(body === undefined ? {} : { body }),
    ...(token === undefined ? {} : { token }),
    ...(method === undefined ? {} : { method }),
  })
const login = (password: string): Promise<Answer> =>
  call('ada-story/auth/login', { username: 'ada-story', password, appId: 'story-app' })
/** Returns a parameter of the link in a mail. */
const linkParameter = (mail: SunkMail, name: string): string => {
  const [link = ''] = /https:\/\/pages\.example\S+/.exec(mail.text) ?? []
  return new URL(link).searchParams.get(name) ?? ''
}

describe('an account', () => {
  let token: string
  const first = secret('password', 'first passphrase of Ada')
  const second = secret('new password', 'second passphrase of Ada')

  it('is registered with an invitation token and a verified address', async () => {
    const created = await call('reg/admin/invitations/post?message=for%20Ada', undefined, ADMIN_KEY)
    const [invitation] = created.body['data'] as { id: string }[]
    const invitationToken = secret('invitation', invitation?.id)
    expect((await call('reg/email-challenge', { email: 'ada@example.org' })).body).toMatchObject({ sent: true })
    const [code = ''] = /\b[A-Z2-9]{4}-[A-Z2-9]{4}\b/.exec((await sink.mailTo('ada@example.org')).text) ?? []
    secret('code', code.replace('-', ''))
    const verified = await call('reg/email-challenge/verify', { email: 'ada@example.org', code })
    const emailProof = secret('proof', verified.body['emailProof'])
    const registration = { username: 'ada-story', password: first, email: 'ada@example.org', appId: 'story-app', invitationToken }
    expect((await call('users', registration)).status).toBe(403)
    const registered = await call('users', { ...registration, emailProof })
    expect(registered.status).toBe(200)
    secret('token of the registration', registered.body['token'])
    expect((await sink.mailTo('ada@example.org')).text).toContain('ada-story')
    const again = await call('users', { ...registration, username: 'eve-story', emailProof })
    expect(again.status).toBe(403)
  })

  it('accepts a new password once, with the link of a mail', async () => {
    expect((await call('ada-story/account/request-password-reset', { appId: 'story-app' })).status).toBe(200)
    const mail = await sink.mailTo('ada@example.org')
    const resetToken = secret('reset token', linkParameter(mail, 'resetToken'))
    const resetInput = { appId: 'story-app', resetToken, newPassword: second }
    expect((await call('ada-story/account/reset-password', resetInput)).status).toBe(200)
    expect((await call('ada-story/account/reset-password', resetInput)).status).toBe(401)
    expect((await login(first)).status).toBe(401)
    const answer = await login(second)
    expect(answer.status).toBe(200)
    token = secret('token', answer.body['token'])
    expect((await call('ada-story/access-info', undefined, token)).status).toBe(200)
  })

  it('receives its mails at another address after that is verified', async () => {
    await call('ada-story/account', { emails: { add: ['ada@second.example'] } }, token, 'PUT')
    const verifyToken = secret('verify token', linkParameter(await sink.mailTo('ada@second.example'), 'verifyToken'))
    const verified = await call('ada-story/account/verify-email', { token: verifyToken })
    expect(verified).toMatchObject({ status: 200, body: { email: 'ada@second.example' } })
    const emails = { setPrimary: 'ada@second.example' }
    const { body } = await call('ada-story/account', { emails }, token, 'PUT')
    expect(body['account']).toMatchObject({ email: 'ada@second.example' })
    const unverified = 'not.proved@example.org'
    const refused = { status: 400, body: { error: { id: 'invalid-operation', data: { email: unverified } } } }
    expect(await call('ada-story/account', { email: unverified }, token, 'PUT')).toMatchObject(refused)
    const field = { streamIds: [':system:email'], type: 'email/string', content: unverified }
    expect(await call('ada-story/events', field, token)).toMatchObject(refused)
    // A verified address can become the primary without another mail, and back.
    expect((await call('ada-story/account', { email: 'ada@example.org' }, token, 'PUT')).status).toBe(200)
    expect((await call('ada-story/account', { email: 'ada@second.example' }, token, 'PUT')).status).toBe(200)
    clock.pass(120)
    await call('ada-story/account/request-password-reset', { appId: 'story-app' })
    secret('unused reset token', linkParameter(await sink.mailTo('ada@second.example'), 'resetToken'))
    expect((await call('reg/ada@example.org/username')).body).toMatchObject({ username: 'ada-story' })
  })

  it('can log in with a second factor and with recovery codes', async () => {
    const activated = await call('ada-story/mfa/activate', {}, token)
    expect(activated.status).toBe(302)
    const key = secret('TOTP secret', activated.body['secret'])
    const enrolling = secret('MFA token', activated.body['mfaToken'])
    const confirmed = await call('ada-story/mfa/confirm', { code: codeAt(key, clock.now()) }, enrolling)
    const codes = confirmed.body['recoveryCodes'] as string[]
    expect(codes).toHaveLength(10)
    for (const [at, code] of codes.entries()) secret(`recovery code ${at}`, code)
    clock.pass(30)
    const challenge = await login(second)
    expect(challenge).toMatchObject({ status: 302, body: { mfaMethod: 'totp' } })
    const mfaToken = secret('MFA token of a login', challenge.body['mfaToken'])
    const verified = await call('ada-story/mfa/verify', { code: codeAt(key, clock.now()) }, mfaToken)
    expect(verified.status).toBe(200)
    secret('token after a second factor', verified.body['token'])
    await call('ada-story/mfa/verify', { code: '000000' }, mfaToken)
    const recovery = { username: 'ada-story', password: second, recoveryCode: codes[3] }
    expect((await call('ada-story/mfa/recover', recovery)).status).toBe(200)
  })

  it('accepts its tokens and its password under its former name', async () => {
    const renamed = await call('ada-story/account/change-username', { newUsername: 'ada-renamed' }, token)
    expect(renamed).toMatchObject({ status: 200, body: { usernameChangesRemaining: 1 } })
    const { body } = await call('ada-story/access-info', undefined, token)
    expect(body['user']).toMatchObject({ username: 'ada-renamed' })
    expect((await login(second)).status).toBe(200)
  })

  it('has none of its secrets in logs, audit records or files', async () => {
    const query = new URLSearchParams({ streams: '[":_audit:"]', limit: '1000' })
    const audit = await call(`ada-renamed/events?${query}`, undefined, token)
    expect((audit.body['events'] as unknown[]).length).toBeGreaterThan(10)
    const loggedAndAudited = node.logged.join('') + JSON.stringify(audit.body)
    for (const [name, value] of secrets) expect(loggedAndAudited.includes(value), name).toBe(false)
    await node.stop()
    await expectSound(places)
    // The e-mail address is stored in clear, which shows that the search works.
    expect(await textsOnDisk(places.home, ['ada@second.example'])).not.toEqual([])
    const inClear = await textsOnDisk(places.home, [...secrets.values()])
    expect(inClear).toEqual([])
  })
})
