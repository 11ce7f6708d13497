/** Login, sessions, logout: docs/interface/auth.md. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { authenticate } from '../../../../src/server/auth/authenticate.js'
import { isTrustedApp, parseTrustedApps } from '../../../../src/server/auth/trustedApp.js'
import { grantAccess } from '../../../support/people/access.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'

const DAY = 86_400
const clock = fakeClock()
let node: TestNode
let registered: string
beforeAll(async () => {
  node = await startTestNode(
    { 'auth.trustedApps': 'any-origin@*, tied-app@https://*.tied.example, *@https://open.example:*, broken entry, x@*.y' },
    { clock },
  )
  registered = await registerUser(node, 'alice')
  await registerUser(node, 'bobby')
})
afterAll(() => node.stop())

const credentials = { username: 'alice', password: 'correct horse', appId: 'any-origin' }
const login = (more: object = {}, headers: Record<string, string> = {}, user = 'alice'): Promise<Answer> =>
  request(`${node.url}${user}/auth/login`, { body: { ...credentials, ...more }, headers })
const tokenOf = async (more: object = {}): Promise<string> => String((await login(more)).body['token'])
const info = (token: string, user = 'alice'): Promise<Answer> => request(`${node.url}${user}/access-info`, { token })
const logout = (token: string): Promise<Answer> => request(`${node.url}alice/auth/logout`, { method: 'POST', token })

const refusedLogin = { status: 401, body: { error: { id: 'invalid-credentials' }, meta: {} } }
const endedSession = { status: 403, body: { error: { id: 'invalid-access-token', message: 'Access session has expired.' } } }

describe('login', () => {
  // Ends the delays caused by wrong passwords (throttle.test.ts).
  afterEach(() => clock.pass(1000))
  it('returns a valid token, and no other fields than documented', async () => {
    const { status, body, headers } = await login()
    expect(status).toBe(200)
    const token = String(body['token'])
    expect(body).toEqual({
      token: expect.stringMatching(/^[a-z][a-z0-9]{23}$/) as string,
      apiEndpoint: `http://${token}@127.0.0.1:${node.port}/alice/`,
      preferredLanguage: 'en',
      meta: expect.any(Object) as object,
    })
    expect(headers.has('set-cookie')).toBe(false)
    const answer = await info(token)
    expect(answer).toMatchObject({
      status: 200,
      body: { type: 'personal', name: 'any-origin', createdBy: 'system', modifiedBy: 'system', user: { username: 'alice' } },
    })
  })

  it('accepts the username in capitals, in path and body', async () => {
    expect((await login({ username: 'ALICE' })).status).toBe(200)
    expect((await login({}, {}, 'Alice')).status).toBe(200)
  })

  it('ignores unknown fields', async () => {
    expect((await login({ colour: 'red', token: 'x' })).status).toBe(200)
  })

  it.each(['username', 'password', 'appId'])('refuses a missing %s', async (field) => {
    for (const value of [undefined, null]) {
      expect(await login({ [field]: value })).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
    }
  })

  it.each(['username', 'password', 'appId'])('refuses a %s that is no string', async (field) => {
    for (const value of [5, true, ['alice'], { $ne: 1 }]) {
      expect(await login({ [field]: value })).toMatchObject({
        status: 400,
        body: { error: { id: 'invalid-parameters-format', data: [{ code: 'INVALID_TYPE', path: `#/${field}` }] } },
      })
    }
  })

  it.each(['[]', '"text"', 'null', '5'])('refuses the body %s', async (body) => {
    const answer = await request(`${node.url}alice/auth/login`, { body })
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
  })

  it('refuses a missing body, and one that is no JSON', async () => {
    const nothing = await request(`${node.url}alice/auth/login`, { method: 'POST' })
    expect(nothing).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
    const broken = await request(`${node.url}alice/auth/login`, { body: '{' })
    expect(broken).toMatchObject({ status: 400, body: { error: { id: 'invalid-request-structure' } } })
  })

  it('refuses a wrong password with the message that clients compare', async () => {
    for (const password of ['wrong', '', 'Correct horse', 'correct horse ']) {
      const answer = await login({ password })
      expect(answer).toMatchObject(refusedLogin)
      expect(answer.body['error']).toEqual({
        id: 'invalid-credentials',
        message: 'The given username/password pair is invalid.',
      })
    }
  })

  it('refuses a username that differs from that of the path', async () => {
    expect(await login({ username: 'bobby' })).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
  })

  it('refuses an unknown user', async () => {
    expect(await login({}, {}, 'nobody')).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
  })

  it('checks types, app, username and password in this order', async () => {
    const untrusted = { appId: 'tied-app' }
    const wrong = { username: 'bobby', password: 'wrong' }
    expect((await login({ ...untrusted, ...wrong, password: 5 })).status).toBe(400)
    expect(await login({ ...untrusted, ...wrong })).toMatchObject(refusedLogin)
    expect(await login(wrong)).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
    expect(await login({ password: 'wrong' })).toMatchObject(refusedLogin)
  })

  it('never logs a password', async () => {
    await login({ password: 'a secret of mine' })
    await login({ password: 'a secret of mine', appId: 'tied-app' })
    expect(node.logged.join('\n')).not.toContain('a secret of mine')
    expect(node.logged.join('\n')).toContain('wrong password')
  })

  it('is available by POST only', async () => {
    expect((await request(`${node.url}alice/auth/login`)).status).toBe(404)
    expect((await request(`${node.url}alice/auth/who-am-i`, { token: registered })).status).toBe(410)
  })
})

describe('trusted apps', () => {
  it('can log in from the configured origins', async () => {
    const tied = { appId: 'tied-app' }
    expect((await login(tied, { origin: 'https://sub.tied.example' })).status).toBe(200)
    expect((await login(tied, { referer: 'https://sub.tied.example/some/page?x=1' })).status).toBe(200)
    expect((await login({ appId: 'whatever' }, { origin: 'https://open.example:8443' })).status).toBe(200)
    expect((await login({ appId: 'any-origin' })).status).toBe(200)
    expect((await login({ appId: 'any-origin' }, { origin: 'null' })).status).toBe(200)
  })

  it('are refused from other origins with the error of a wrong password', async () => {
    const tied = { appId: 'tied-app' }
    expect(await login(tied)).toMatchObject(refusedLogin)
    expect(await login(tied, { origin: 'https://tied.example' })).toMatchObject(refusedLogin)
    expect(await login(tied, { origin: 'http://sub.tied.example' })).toMatchObject(refusedLogin)
    expect(await login(tied, { origin: 'https://sub.tied.example.evil.net' })).toMatchObject(refusedLogin)
    expect(await login({ appId: 'unknown-app' })).toMatchObject(refusedLogin)
    expect(await login({ appId: 'unknown-app' }, { origin: 'https://sub.tied.example' })).toMatchObject(refusedLogin)
    // The Origin header takes precedence over the Referer.
    expect(await login(tied, { origin: 'https://evil.net', referer: 'https://sub.tied.example/' })).toMatchObject(refusedLogin)
  })

  it('are refused with the missing header, the trusted origins and a suggested option', async () => {
    const own = node.url.slice(0, -1)
    const messageOf = async (fields: object, headers?: Record<string, string>): Promise<string> =>
      ((await login(fields, headers)).body['error'] as { message: string }).message
    const tied = await messageOf({ appId: 'tied-app' })
    expect(tied).toContain('The header Origin is missing.')
    expect(tied).toContain(`"tied-app" (setting auth.trustedApps): ${own} (this node), `)
    expect(tied).toContain('https://*.tied.example')
    expect(tied).toContain(`-H 'Origin: ${own}'`)
    expect(await messageOf({ appId: 'other-app' })).not.toContain('tied.example')
    const otherOrigin = await messageOf({ appId: 'tied-app' }, { referer: 'https://evil.net/page?secret=1' })
    expect(otherOrigin).toMatch(/^The origin https:\/\/evil\.net is not trusted\. .*https:\/\/\*\.tied\.example/)
    const odd = await messageOf({ appId: 'x'.repeat(5000) }, { origin: `no origin ${'x'.repeat(5000)}` })
    expect(odd).toMatch(/^The origin no origin x+… is not trusted\. /)
    expect(odd.length).toBeLessThan(600)
  })

  it('can always log in from the node itself', async () => {
    const own = node.url.slice(0, -1)
    expect((await login({ appId: 'unknown-app' }, { origin: own })).status).toBe(200)
    expect((await login({ appId: 'unknown-app' }, { origin: `${own}/reg/` })).status).toBe(200)
    expect((await login({ appId: 'unknown-app' }, { referer: `${own}/page` })).status).toBe(200)
    expect(await login({ appId: 'unknown-app' }, { origin: `${own}0` })).toMatchObject(refusedLogin)
    expect(await login({ appId: 'unknown-app' }, { origin: `${own}.evil.net` })).toMatchObject(refusedLogin)
  })

  it('with malformed entries are logged at startup', () => {
    const logged = node.logged.filter((line) => line.includes('malformed'))
    expect(logged).toHaveLength(2)
    expect(logged.join('\n')).toContain('broken entry')
    expect(logged.join('\n')).toContain('x@*.y')
  })

  /** Pattern, origin (undefined: none), expected match. */
  const table: [string, string | undefined, boolean][] = [
    ['*', undefined, true],
    ['*', 'https://any.where', true],
    ['*', 'null', true],
    ['https://app.example', 'https://app.example', true],
    ['https://app.example', 'https://APP.example', true],
    ['https://app.example', 'https://app.example/page?x#y', true],
    ['https://app.example', 'https://app.example:443', true],
    ['https://app.example:443', 'https://app.example', true],
    ['http://app.example:80', 'http://app.example', true],
    ['https://app.example:80', 'https://app.example', false],
    ['https://app.example', undefined, false],
    ['https://app.example', 'null', false],
    ['https://app.example', 'http://app.example', false],
    ['https://app.example', 'https://app.example:8443', false],
    ['https://app.example', 'https://sub.app.example', false],
    ['https://app.example', 'https://app.example.evil.net', false],
    ['https://app.example', 'https://app.example@evil.net', false],
    ['https://app.example', 'https://evil.net/https://app.example', false],
    ['https://app.example', 'https://myapp.example', false],
    ['https://app.example', 'https://appxexample', false],
    ['https://app.example:8443', 'https://app.example:8443', true],
    ['https://app.example:8443', 'https://app.example', false],
    ['https://app.example:*', 'https://app.example', true],
    ['https://app.example:*', 'https://app.example:1', true],
    ['https://*.app.example', 'https://a.app.example', true],
    ['https://*.app.example', 'https://a.b.app.example', true],
    ['https://*.app.example', 'https://app.example', false],
    ['https://*.app.example', 'https://evilapp.example', false],
    ['https://*.app.example', 'https://a.app.example:8443', false],
    ['https://*.app.example:*', 'https://a.app.example:8443', true],
    ['https://*.app.example*', 'https://a.app.example:8443', true],
    ['https://*.app.example*', 'https://a.app.example', true],
    ['https://*.app.example*', 'https://a.app.example.evil.net', false],
    ['https://app.example*', 'https://app.examples', false],
    ['http://localhost:*', 'http://localhost:3000', true],
    ['http://localhost:*', 'https://localhost:3000', false],
    ['http://127.0.0.1:*', 'http://127.0.0.1:3000', true],
    ['http://[::1]:*', 'http://[::1]:3000', true],
    ['https://app.example/', 'https://app.example', true],
    ['capacitor://localhost', 'capacitor://localhost', true],
  ]
  it.each(table)('%s and %s: %s', (pattern, origin, matches) => {
    const { apps, malformed } = parseTrustedApps(`the-app@${pattern}`)
    expect(malformed).toEqual([])
    expect(isTrustedApp(apps, 'the-app', origin)).toBe(matches)
    expect(isTrustedApp(apps, 'other-app', origin)).toBe(false)
    expect(isTrustedApp(parseTrustedApps(`*@${pattern}`).apps, 'other-app', origin)).toBe(matches)
  })

  it.each([
    'no-at-sign',
    '@https://app.example',
    'app@',
    'app@app.example',
    'app@*.app.example',
    'app@https://*',
    'app@https://a*.example',
    'app@https://app.*.example',
    'app@*://app.example',
    'app@https://app.example:80*',
    'app@https://app.example/path',
    'app@https://',
  ])('the entry %s is malformed', (entry) => {
    const { apps, malformed } = parseTrustedApps(` ${entry} , good@* `)
    expect(malformed).toEqual([entry])
    expect(isTrustedApp(apps, 'app', 'https://app.example')).toBe(false)
    expect(isTrustedApp(apps, 'good', undefined)).toBe(true)
  })

  it('are none when the setting is empty', () => expect(parseTrustedApps(' , ')).toEqual({ apps: [], malformed: [] }))
})

describe('a short session', () => {
  it('is also extended by each use', async () => {
    const time = fakeClock()
    const short = await startTestNode({ 'auth.sessionMaxAge': 10_000 }, { clock: time })
    const token = await registerUser(short, 'alice')
    const use = (): Promise<Answer> => request(`${short.url}alice/streams`, { token })
    for (let second = 0; second < 30; second += 6) {
      time.pass(6)
      expect((await use()).status).toBe(200)
    }
    time.pass(11)
    expect(await use()).toMatchObject(endedSession)
    await short.stop()
  })
})

describe('a session', () => {
  it('of the registration is reused by a login of the same app', async () => {
    const again = await login({ appId: 'test-app' }, { origin: node.url.slice(0, -1) })
    expect(again.body['token']).toBe(registered)
  })

  it('is reused by later logins of its app, but not by other apps', async () => {
    const first = await login()
    const second = await login()
    expect(second.body['token']).toBe(first.body['token'])
    expect(second.body['apiEndpoint']).toBe(first.body['apiEndpoint'])
    const other = await login({ appId: 'another-app' }, { origin: 'https://open.example' })
    expect(other.body['token']).not.toBe(first.body['token'])
    const bobs = await login({ username: 'bobby' }, {}, 'bobby')
    expect(bobs.body['token']).not.toBe(first.body['token'])
  })

  it('is shared by concurrent logins, with a valid token', async () => {
    await logout(await tokenOf())
    const answers = await Promise.all(Array.from({ length: 6 }, () => login()))
    const tokens = new Set(answers.map(({ body }) => body['token']))
    expect(tokens.size).toBe(1)
    const [token] = tokens
    expect((await info(String(token))).body).toMatchObject({ token })
  })

  it('ends with the logout, and its access is reused by the next login', async () => {
    const token = await tokenOf()
    const before = (await info(token)).body['id']
    expect(await logout(token)).toMatchObject({ status: 200, body: { meta: {} } })
    expect(await info(token)).toMatchObject(endedSession)
    expect(await logout(token)).toMatchObject(endedSession)
    const next = await tokenOf()
    expect(next).not.toBe(token)
    expect((await info(next)).body['id']).toBe(before)
    expect(await info(token)).toMatchObject({ status: 403, body: { error: { id: 'invalid-access-token' } } })
  })

  it('ends with a logout by a token in the query, with any body', async () => {
    const token = await tokenOf()
    const answer = await request(`${node.url}alice/auth/logout?auth=${token}`, { body: { nonsense: [1] } })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body)).toEqual(['meta'])
    expect(await info(token)).toMatchObject(endedSession)
  })

  it('ends with a logout in a batch', async () => {
    const token = await tokenOf()
    const { body } = await request(`${node.url}alice`, { token, body: [{ method: 'auth.logout', params: {} }] })
    expect(body['results']).toEqual([{}])
    expect(await info(token)).toMatchObject(endedSession)
  })

  it('of another app is not affected by a logout', async () => {
    const other = await login({ appId: 'another-app' }, { origin: 'https://open.example' })
    await logout(await tokenOf())
    expect((await info(String(other.body['token']))).status).toBe(200)
  })

  it('is not required by an app access, which stays valid after a logout', async () => {
    const app = await grantAccess(node, 'alice', [{ streamId: '*', level: 'read' }])
    expect((await logout(app.token)).status).toBe(200)
    expect((await info(app.token)).status).toBe(200)
  })

  it('is only ended with a valid token', async () => {
    expect((await request(`${node.url}alice/auth/logout`, { method: 'POST' })).status).toBe(401)
    expect((await logout('unknown')).status).toBe(403)
  })

  it('ends 14 days after its last use', async () => {
    const token = await tokenOf()
    for (let use = 0; use < 4; use++) {
      clock.pass(13 * DAY)
      expect((await info(token)).status).toBe(200)
    }
    clock.pass(14 * DAY - 1)
    expect((await info(token)).status).toBe(200)
    clock.pass(14 * DAY + 1)
    expect(await info(token)).toMatchObject(endedSession)
    expect(await info(token)).toMatchObject(endedSession)
  })

  it('is created with a new token after the former one has ended', async () => {
    const former = await tokenOf()
    clock.pass(15 * DAY)
    const token = await tokenOf()
    expect(token).not.toBe(former)
    expect((await info(token)).status).toBe(200)
    expect((await info(former)).status).toBe(403)
  })

  it('is extended by a login', async () => {
    const token = await tokenOf()
    clock.pass(10 * DAY)
    expect(await tokenOf()).toBe(token)
    clock.pass(10 * DAY)
    expect((await info(token)).status).toBe(200)
  })

  it('persists without the token cache, and ended ones remain ended', async () => {
    const alive = await tokenOf()
    const ended = String((await login({ appId: 'another-app' }, { origin: 'https://open.example' })).body['token'])
    await logout(ended)
    // Clears the token cache, as a restart does.
    ;(await node.node.accounts.find('alice'))?.tokens.clear()
    expect((await info(alive)).status).toBe(200)
    expect(await info(ended)).toMatchObject(endedSession)
    clock.pass(13 * DAY)
    expect((await info(alive)).status).toBe(200)
    await node.node.store.settled()
    ;(await node.node.accounts.find('alice'))?.tokens.clear()
    clock.pass(13 * DAY)
    expect((await info(alive)).status).toBe(200)
  })

  it('is not restored by a call that is concurrent with the logout', async () => {
    const token = await tokenOf()
    await info(token)
    const loaded = await node.node.accounts.find('alice')
    const found = loaded?.tokens.get(token)
    if (loaded === undefined || found === undefined) throw new Error('the token is not in memory')
    // Simulates a call that loaded the access before the logout and extends the session after it.
    const concurrent = { ...loaded, tokens: new Map([[token, { ...found }]]) }
    await logout(token)
    clock.pass(3600)
    authenticate(node.node, concurrent, token)
    await node.node.store.settled()
    expect(await info(token)).toMatchObject(endedSession)
  })

  it('of one account is refused on another', async () => {
    const token = await tokenOf()
    expect((await info(token)).status).toBe(200)
    for (const user of ['bobby', 'bobby']) {
      expect(await info(token, user)).toMatchObject({ status: 403, body: { error: { id: 'invalid-access-token' } } })
    }
    const bobs = String((await login({ username: 'bobby' }, {}, 'bobby')).body['token'])
    expect((await info(bobs)).status).toBe(403)
    expect((await info(bobs, 'bobby')).status).toBe(200)
  })
})
