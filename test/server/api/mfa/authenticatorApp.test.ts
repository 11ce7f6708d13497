/** Setup of an authenticator app, and logins with it (docs/interface/mfa.md). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grantAccess } from '../../../support/people/access.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callsOf, codeAt, enrol, trusting, waitingLogin, wrongCodeAt, type Person } from '../../../support/people/totp.js'

const clock = fakeClock()
let node: TestNode
let people = 0
beforeAll(async () => {
  node = await startTestNode(trusting, { clock })
})
afterAll(() => node.stop())

async function person(): Promise<Person> {
  people += 1
  const username = `person-${people}`
  return { username, token: await registerUser(node, username) }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const ended = { status: 403, body: { error: { id: 'forbidden' } } }
const wrong = { status: 400, body: { error: { id: 'invalid-parameters-format', data: { id: 'invalid-mfa-code' } } } }

describe('a node with default settings', () => {
  it('lists authenticator apps in the service info', async () => {
    const { body } = await request(`${node.url}service/info`)
    expect(body['features']).toMatchObject({ mfa: { methods: ['totp'] } })
  })

  it('logs in without a code when the account has no second factor', async () => {
    const { status, body } = await callsOf(node, await person()).login()
    expect(status).toBe(200)
    expect(Object.keys(body)).toContain('token')
    expect(body).not.toHaveProperty('mfaToken')
  })
})

describe('the setup of an app', () => {
  it('returns the secret and its URI, without a redirect', async () => {
    const owner = await person()
    const { status, body, headers } = await callsOf(node, owner).activate()
    expect(status).toBe(302)
    expect(headers.has('location')).toBe(false)
    expect(Object.keys(body).sort()).toEqual(['meta', 'method', 'mfaToken', 'otpauthUri', 'secret'])
    expect(body['method']).toBe('totp')
    expect(body['mfaToken']).toMatch(UUID)
    expect(body['secret']).toMatch(/^[A-Z2-7]{32}$/)
    expect(body['otpauthUri']).toBe(
      `otpauth://totp/coffer%3A${owner.username}?secret=${String(body['secret'])}&issuer=coffer&algorithm=SHA1&digits=6&period=30`,
    )
  })

  it('is confirmed by the first code, which returns ten recovery codes', async () => {
    const owner = await person()
    const calls = callsOf(node, owner)
    const { recoveryCodes } = await enrol(node, owner, clock)
    expect(recoveryCodes).toHaveLength(10)
    expect(new Set(recoveryCodes).size).toBe(10)
    for (const code of recoveryCodes) expect(code).toMatch(UUID)
    expect((await calls.profile())['mfa']).toEqual({
      method: 'totp',
      content: {},
      totp: { confirmedAt: clock.now() * 1000, algorithm: 'sha1', digits: 6, periodSeconds: 30 },
    })
  })

  it('has no effect before it is confirmed', async () => {
    const owner = await person()
    const calls = callsOf(node, owner)
    const { body } = await calls.activate()
    const secret = String(body['secret'])
    const mfaToken = String(body['mfaToken'])
    expect(await calls.confirm(mfaToken, wrongCodeAt(secret, clock.now()))).toMatchObject(wrong)
    expect(await calls.profile()).not.toHaveProperty('mfa')
    expect((await calls.login()).status).toBe(200)
    expect((await calls.confirm(mfaToken, codeAt(secret, clock.now()))).status).toBe(200)
    expect((await calls.login()).status).toBe(302)
  })

  it('ends an earlier pending setup', async () => {
    const owner = await person()
    const calls = callsOf(node, owner)
    const first = await calls.activate()
    const second = await calls.activate()
    const code = codeAt(String(first.body['secret']), clock.now())
    expect(await calls.confirm(String(first.body['mfaToken']), code)).toMatchObject(ended)
    const other = codeAt(String(second.body['secret']), clock.now())
    expect((await calls.confirm(String(second.body['mfaToken']), other)).status).toBe(200)
    expect(await calls.confirm(String(second.body['mfaToken']), other)).toMatchObject(ended)
  })

  it.each([
    [{ method: 'phone' }, 'invalid-mfa-method'],
    [{ method: 'sms', phone: '+41791234567' }, 'invalid-mfa-method'],
    [{ method: 5 }, 'invalid-mfa-method'],
    [{ method: ['totp'] }, 'invalid-mfa-method'],
    [{ phone: '+41791234567' }, 'invalid-mfa-content'],
    [{ method: 'totp', colour: 'red' }, 'invalid-mfa-content'],
  ])('is refused with %j', async (body, id) => {
    const answer = await callsOf(node, await person()).activate(body)
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format', data: { id } } } })
  })

  it('requires a personal token', async () => {
    const owner = await person()
    const app = await grantAccess(node, owner.username, [{ streamId: '*', level: 'manage' }])
    const shared = await grantAccess(node, owner.username, [{ streamId: '*', level: 'manage' }], { type: 'shared' })
    for (const { token } of [app, shared]) {
      expect(await callsOf(node, owner).activate({}, token)).toMatchObject(ended)
      expect(await callsOf(node, owner).deactivate({}, token)).toMatchObject(ended)
    }
    expect((await callsOf(node, owner).activate({}, 'unknown')).status).toBe(403)
  })

  it('works in a batch, unlike methods that require an MFA token', async () => {
    const owner = await person()
    const calls = [{ method: 'mfa.activate', params: {} }, { method: 'mfa.confirm', params: { code: '123456' } }, { method: 'mfa.recover', params: {} }]
    const { body } = await request(`${node.url}${owner.username}`, { token: owner.token, body: calls })
    expect(body['results']).toMatchObject([
      { method: 'totp' },
      { error: { id: 'invalid-method' } },
      { error: { id: 'invalid-method' } },
    ])
  })
})

describe('a login with a second factor', () => {
  it('returns only an MFA token and the method', async () => {
    const owner = await person()
    await enrol(node, owner, clock)
    const { status, body, headers } = await callsOf(node, owner).login()
    expect(status).toBe(302)
    expect(headers.has('location')).toBe(false)
    expect(body).toEqual({ mfaToken: expect.stringMatching(UUID) as string, mfaMethod: 'totp', meta: expect.any(Object) as object })
  })

  it('opens no session before the code is verified', async () => {
    const owner = await person()
    await enrol(node, owner, clock)
    const mfaToken = await waitingLogin(node, owner)
    expect((await request(`${node.url}${owner.username}/access-info`, { token: mfaToken })).status).toBe(403)
    const { body } = await request(`${node.url}${owner.username}/accesses`, { token: owner.token })
    expect((body['accesses'] as { name: string }[]).map(({ name }) => name)).not.toContain('any-app')
  })

  it('is completed once by a code', async () => {
    const owner = await person()
    const calls = callsOf(node, owner)
    const { secret } = await enrol(node, owner, clock)
    const mfaToken = await waitingLogin(node, owner)
    const code = codeAt(secret, clock.now())
    const { status, body } = await calls.verify(mfaToken, ` ${code} `)
    const token = String(body['token'])
    expect({ status, body }).toEqual({
      status: 200,
      body: { token, apiEndpoint: `http://${token}@127.0.0.1:${node.port}/${owner.username}/`, meta: expect.any(Object) as object },
    })
    expect((await request(`${node.url}${owner.username}/access-info`, { token })).body).toMatchObject({ type: 'personal', name: 'any-app' })
    expect(await calls.verify(mfaToken, code)).toMatchObject(ended)
  })

  it('accepts the MFA token as Bearer, in the query or in a form', async () => {
    const owner = await person()
    const { secret } = await enrol(node, owner, clock)
    const verifyUrl = `${node.url}${owner.username}/mfa/verify`
    const send = async (call: (mfaToken: string, code: string) => Promise<{ status: number }>): Promise<void> => {
      expect((await call(await waitingLogin(node, owner), codeAt(secret, clock.now()))).status).toBe(200)
      clock.pass(60)
    }
    await send((mfaToken, code) => request(verifyUrl, { body: { code }, headers: { authorization: `Bearer ${mfaToken}` } }))
    await send((mfaToken, code) => request(`${verifyUrl}?auth=${mfaToken}`, { body: { code } }))
    await send((mfaToken, code) =>
      request(verifyUrl, {
        body: new URLSearchParams({ _auth: mfaToken, _json: JSON.stringify({ code }) }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    )
  })

  it.each([undefined, null, '', '12345a', '123', '12345678901', 123456, ['123456']])('refuses %j as a code, without counting an attempt', async (code) => {
    const owner = await person()
    const { secret } = await enrol(node, owner, clock)
    const mfaToken = await waitingLogin(node, owner)
    const answer = await callsOf(node, owner).verify(mfaToken, code)
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
    expect(answer.body['error']).not.toHaveProperty('data.id')
    // No failure was counted, and the correct code is accepted.
    expect((await callsOf(node, owner).verify(mfaToken, codeAt(secret, clock.now()))).status).toBe(200)
  })

  it('refuses missing tokens, tokens of other accounts and tokens of the other kind, before it validates the body', async () => {
    const owner = await person()
    const other = await person()
    const { secret } = await enrol(node, owner, clock)
    await enrol(node, other, clock)
    const mfaToken = await waitingLogin(node, owner)
    const pending = String((await callsOf(node, other).activate({ password: 'correct horse' })).body['mfaToken'])
    const code = codeAt(secret, clock.now())
    for (const token of ['', 'unknown', owner.token]) {
      expect(await callsOf(node, owner).verify(token, undefined)).toMatchObject(ended)
      expect(await callsOf(node, owner).confirm(token, code)).toMatchObject(ended)
      expect(await callsOf(node, owner).challenge(token)).toMatchObject(ended)
    }
    expect(await callsOf(node, other).verify(mfaToken, code)).toMatchObject(ended)
    expect(await callsOf(node, other).verify(pending, code)).toMatchObject(ended)
    expect(await callsOf(node, owner).confirm(mfaToken, code)).toMatchObject(ended)
    expect((await callsOf(node, owner).verify(mfaToken, code)).status).toBe(200)
  })

  it('expires after half an hour, regardless of attempts', async () => {
    const owner = await person()
    const calls = callsOf(node, owner)
    const { secret } = await enrol(node, owner, clock)
    const mfaToken = await waitingLogin(node, owner)
    clock.pass(1799)
    expect(await calls.verify(mfaToken, wrongCodeAt(secret, clock.now()))).toMatchObject(wrong)
    expect(await calls.challenge(mfaToken)).toMatchObject({ status: 200, body: { method: 'totp' } })
    clock.pass(2)
    expect(await calls.verify(mfaToken, codeAt(secret, clock.now()))).toMatchObject(ended)
    expect(await calls.challenge(mfaToken)).toMatchObject(ended)
  })
})
