/**
 * One account from its registration to its deletion, with mails that really arrive: what each step leaves the next can
 * use, and nothing secret lies anywhere in clear.
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

/** Everything that was secret on the way. */
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
/** A parameter of the link in a mail. */
const linked = (mail: SunkMail, name: string): string => {
  const [link = ''] = /https:\/\/pages\.example\S+/.exec(mail.text) ?? []
  return new URL(link).searchParams.get(name) ?? ''
}

describe('an account', () => {
  let token: string
  const first = secret('password', 'first passphrase of Ada')
  const second = secret('new password', 'second passphrase of Ada')

  it('begins with an invitation and a proved address', async () => {
    const made = await call('reg/admin/invitations/post?message=for%20Ada', undefined, ADMIN_KEY)
    const [invitation] = made.body['data'] as { id: string }[]
    const invitationToken = secret('invitation', invitation?.id)
    expect((await call('reg/email-challenge', { email: 'ada@example.org' })).body).toMatchObject({ sent: true })
    const [code = ''] = /\b[A-Z2-9]{4}-[A-Z2-9]{4}\b/.exec((await sink.mailTo('ada@example.org')).text) ?? []
    secret('code', code.replace('-', ''))
    const proved = await call('reg/email-challenge/verify', { email: 'ada@example.org', code })
    const emailProof = secret('proof', proved.body['emailProof'])
    const asked = { username: 'ada-story', password: first, email: 'ada@example.org', appId: 'story-app', invitationToken }
    expect((await call('users', asked)).status).toBe(403)
    const registered = await call('users', { ...asked, emailProof })
    expect(registered.status).toBe(200)
    secret('token of the registration', registered.body['token'])
    expect((await sink.mailTo('ada@example.org')).text).toContain('ada-story')
    const again = await call('users', { ...asked, username: 'eve-story', emailProof })
    expect(again.status).toBe(403)
  })

  it('gets a new password by the link in a mail, once', async () => {
    expect((await call('ada-story/account/request-password-reset', { appId: 'story-app' })).status).toBe(200)
    const mail = await sink.mailTo('ada@example.org')
    const resetToken = secret('reset token', linked(mail, 'resetToken'))
    const asked = { appId: 'story-app', resetToken, newPassword: second }
    expect((await call('ada-story/account/reset-password', asked)).status).toBe(200)
    expect((await call('ada-story/account/reset-password', asked)).status).toBe(401)
    expect((await login(first)).status).toBe(401)
    const answer = await login(second)
    expect(answer.status).toBe(200)
    token = secret('token', answer.body['token'])
    expect((await call('ada-story/access-info', undefined, token)).status).toBe(200)
  })

  it('has its mail sent to another address once that is proved', async () => {
    await call('ada-story/account', { emails: { add: ['ada@second.example'] } }, token, 'PUT')
    const verifyToken = secret('verify token', linked(await sink.mailTo('ada@second.example'), 'verifyToken'))
    const verified = await call('ada-story/account/verify-email', { token: verifyToken })
    expect(verified).toMatchObject({ status: 200, body: { email: 'ada@second.example' } })
    const emails = { setPrimary: 'ada@second.example' }
    const { body } = await call('ada-story/account', { emails }, token, 'PUT')
    expect(body['account']).toMatchObject({ email: 'ada@second.example' })
    const unproved = 'not.proved@example.org'
    const refused = { status: 400, body: { error: { id: 'invalid-operation', data: { email: unproved } } } }
    expect(await call('ada-story/account', { email: unproved }, token, 'PUT')).toMatchObject(refused)
    const field = { streamIds: [':system:email'], type: 'email/string', content: unproved }
    expect(await call('ada-story/events', field, token)).toMatchObject(refused)
    // A proved one may become the primary by its word alone, and back.
    expect((await call('ada-story/account', { email: 'ada@example.org' }, token, 'PUT')).status).toBe(200)
    expect((await call('ada-story/account', { email: 'ada@second.example' }, token, 'PUT')).status).toBe(200)
    clock.pass(120)
    await call('ada-story/account/request-password-reset', { appId: 'story-app' })
    secret('unused reset token', linked(await sink.mailTo('ada@second.example'), 'resetToken'))
    expect((await call('reg/ada@example.org/username')).body).toMatchObject({ username: 'ada-story' })
  })

  it('has a second factor, and recovery codes', async () => {
    const activated = await call('ada-story/mfa/activate', {}, token)
    expect(activated.status).toBe(302)
    const key = secret('TOTP secret', activated.body['secret'])
    const enrolling = secret('MFA token', activated.body['mfaToken'])
    const confirmed = await call('ada-story/mfa/confirm', { code: codeAt(key, clock.now()) }, enrolling)
    const codes = confirmed.body['recoveryCodes'] as string[]
    expect(codes).toHaveLength(10)
    for (const [at, code] of codes.entries()) secret(`recovery code ${at}`, code)
    clock.pass(30)
    const asked = await login(second)
    expect(asked).toMatchObject({ status: 302, body: { mfaMethod: 'totp' } })
    const mfaToken = secret('MFA token of a login', asked.body['mfaToken'])
    const verified = await call('ada-story/mfa/verify', { code: codeAt(key, clock.now()) }, mfaToken)
    expect(verified.status).toBe(200)
    secret('token after a second factor', verified.body['token'])
    await call('ada-story/mfa/verify', { code: '000000' }, mfaToken)
    const recovery = { username: 'ada-story', password: second, recoveryCode: codes[3] }
    expect((await call('ada-story/mfa/recover', recovery)).status).toBe(200)
  })

  it('keeps its tokens under its former name', async () => {
    const renamed = await call('ada-story/account/change-username', { newUsername: 'ada-renamed' }, token)
    expect(renamed).toMatchObject({ status: 200, body: { usernameChangesRemaining: 1 } })
    const { body } = await call('ada-story/access-info', undefined, token)
    expect(body['user']).toMatchObject({ username: 'ada-renamed' })
    expect((await login(second)).status).toBe(200)
  })

  it('never had a secret of it told: not by logs, audit, errors, or the disk', async () => {
    const query = new URLSearchParams({ streams: '[":_audit:"]', limit: '1000' })
    const audit = await call(`ada-renamed/events?${query}`, undefined, token)
    expect((audit.body['events'] as unknown[]).length).toBeGreaterThan(10)
    const told = node.logged.join('') + JSON.stringify(audit.body)
    for (const [name, value] of secrets) expect(told.includes(value), name).toBe(false)
    await node.stop()
    await expectSound(places)
    // An e-mail address is there to read, so the search does find what is there.
    expect(await textsOnDisk(places.home, ['ada@second.example'])).not.toEqual([])
    const inClear = await textsOnDisk(places.home, [...secrets.values()])
    expect(inClear).toEqual([])
  })
})
