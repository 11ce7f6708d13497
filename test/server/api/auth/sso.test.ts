/** Sign-in through identity providers (docs/interface/sso.md#linking). */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { LoadedAccount } from '../../../../src/server/call/accountCache.js'
import type { EmailEntry } from '../../../../src/store/model/emails.js'
import { compareNames } from '../../../../src/store/check/platform.js'
import { recordsOf } from '../../../support/people/audit.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { homes } from '../../../support/nodes/home.js'
import { makeAccount, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { startThirdParty, type ThirdParty } from '../../../support/services/oidc.js'
import { accountWith, ssoOf } from '../../../support/people/sso.js'
import { KEY } from '../system/support.js'
import { callsOf, codeAt, enrol, trusting } from '../../../support/people/totp.js'

const LANDING = 'https://sign.example.org/sso'
let party: ThirdParty
let node: TestNode
let ssoSettings: Record<string, unknown>
let home: string
const { home: makeHome } = homes()
const clock = fakeClock(Date.now() / 1000)
beforeAll(async () => {
  party = await startThirdParty()
  ssoSettings = { ...trusting, ...ssoOf(party), 'sso.landingPageURL': LANDING, 'user-account.delete': ['personalToken'], 'auth.adminAccessKey': KEY }
  home = (await makeHome()).home
  node = await startTestNode(ssoSettings, { clock, home })
})
afterAll(async () => {
  await node.stop()
  await party.stop()
})
afterEach(() => {
  party.wrong = undefined
  party.refuses = false
  delete party.userInfo
})

const identitiesOf = (loaded: LoadedAccount | undefined): unknown[] => (loaded?.user.identities ?? []).map(({ subject }) => subject)

interface Browser {
  cookie?: string | undefined
}

/** Requests a page with the cookie of the browser, which it updates; follows no redirects. */
async function go(browser: Browser, path: string): Promise<{ status: number; location: string; headers: Headers; text: string }> {
  const response = await fetch(new URL(path, node.url), { redirect: 'manual', headers: browser.cookie === undefined ? {} : { cookie: browser.cookie } })
  const set = response.headers.get('set-cookie')
  if (set !== null) browser.cookie = set.includes('Max-Age=0') ? undefined : set.split(';')[0]
  return { status: response.status, location: response.headers.get('location') ?? '', headers: response.headers, text: await response.text() }
}

/** Signs in from start to callback; returns the parameters of the landing page. */
async function signIn(person?: ThirdParty['person'], more = '', browser: Browser = {}): Promise<Record<string, string>> {
  if (person !== undefined) party.person = person
  const started = await go(browser, `auth/sso/fake/start${more}`)
  expect(started.status).toBe(302)
  return landingParameters(await go(browser, await party.signIn(started.location)))
}

function landingParameters({ status, location }: { status: number; location: string }): Record<string, string> {
  expect(status).toBe(302)
  expect(location.slice(0, location.indexOf('#'))).toBe(LANDING)
  return Object.fromEntries(new URLSearchParams(location.slice(location.indexOf('#') + 1)))
}

const account = (entry?: Partial<EmailEntry>): ReturnType<typeof accountWith> => accountWith(node, entry)
const person = (sub: string, email?: string, more: object = { email_verified: true }): ThirdParty['person'] => ({ sub, ...(email === undefined ? {} : { email }), ...more })

/** Retrieves the shared secret of a key from the landing page. */
const redeem = (username: string, key: string): ReturnType<typeof request> => request(`${node.url}${username}/shared-secrets/retrieve`, { body: { key } })

describe('a sign-in through an identity provider', () => {
  it('creates a session like a login with a password, which is retrieved once', async () => {
    const { username, email } = await account()
    const result = await signIn(person('sub-1', email.toUpperCase()), '?ssoReturn=a%3Db%26c%3Dd%2B%2520')
    expect(result).toEqual({ ssoStatus: 'login', ssoUser: username, ssoKey: expect.stringMatching(/\./) as string, ssoReturn: 'a=b&c=d+%20' })
    const { status, body } = await redeem(username, result['ssoKey'] ?? '')
    expect(status).toBe(200)
    const { token, apiEndpoint } = body['secret'] as Record<string, string>
    expect(apiEndpoint).toContain(`${token ?? ''}@`)
    const info = await request(`${node.url}${username}/access-info`, { token: token ?? '' })
    expect(info.body).toMatchObject({ type: 'personal', name: 'sso-fake', user: { username } })
    expect((await redeem(username, result['ssoKey'] ?? '')).status).not.toBe(200)
    const again = await signIn()
    expect(again['ssoStatus']).toBe('login')
    expect(((await redeem(username, again['ssoKey'] ?? '')).body['secret'] as object)).toMatchObject({ username, token })
  })

  it('is audited under an own access id, without parameters', async () => {
    const { username, email, owner } = await account()
    await signIn(person('recorded', email))
    const records = await recordsOf({ node, username, owner }, [':_audit:access-valid-sso'])
    expect(records.map(({ content }) => content['action'])).toEqual(['auth.ssoLink', 'auth.login'])
    expect(records.map(({ content }) => content['query'])).toEqual([undefined, undefined].map(() => expect.toSatisfy((query) => query === undefined || Object.keys(query as object).length === 0) as unknown))
    await signIn()
    expect((await recordsOf({ node, username, owner }, [':_audit:access-valid-sso'])).length).toBe(3)
  })

  it('requires the second factor before it links the account', async () => {
    const { username, email, owner } = await account()
    const who = { username, token: owner }
    const { secret } = await enrol(node, who, clock)
    const result = await signIn(person('with-mfa', email))
    expect(result).toEqual({ ssoStatus: 'mfa', ssoUser: username, ssoMfaToken: expect.any(String) as string, ssoMfaMethod: 'totp' })
    const actions = async (): Promise<unknown[]> =>
      (await recordsOf({ node, ...who, owner }, [':_audit:access-valid-sso'])).map(({ content }) => content['action'])
    expect(await actions()).toEqual(['auth.login'])
    // The account is linked after both factors.
    expect(identitiesOf(await node.node.accounts.find(username))).toEqual([])
    const { status, body } = await callsOf(node, who).verify(result['ssoMfaToken'] ?? '', codeAt(secret, clock.now()))
    expect([status, typeof body['token']]).toEqual([200, 'string'])
    expect(identitiesOf(await node.node.accounts.find(username))).toEqual(['with-mfa'])
    expect(await actions()).toEqual(['auth.login', 'auth.ssoLink'])
  })

  it('links the account once when it is concurrent in several windows', async () => {
    const { username, email } = await account()
    party.person = person('two-windows', email)
    const signIns = await Promise.all([1, 2, 3].map(async () => {
      const browser: Browser = {}
      const { location } = await go(browser, 'auth/sso/fake/start')
      return { browser, back: await party.signIn(location) }
    }))
    const results = await Promise.all(signIns.map(async ({ browser, back }) => landingParameters(await go(browser, back))))
    expect(results).toMatchObject([1, 2, 3].map(() => ({ ssoStatus: 'login', ssoUser: username })))
    expect(identitiesOf(await node.node.accounts.find(username))).toEqual(['two-windows'])
  })

  it('distinguishes equal subjects of different issuers', async () => {
    const [first, other] = [await account(), await startThirdParty()]
    await signIn(person('seven', first.email))
    const { username, email } = await account()
    other.person = person('seven', email)
    await node.stop()
    node = await startTestNode({ ...ssoSettings, ...ssoOf(other) }, { clock, home })
    const browser: Browser = {}
    const { location } = await go(browser, 'auth/sso/fake/start')
    expect(landingParameters(await go(browser, await other.signIn(location)))).toMatchObject({ ssoUser: username })
    await node.stop()
    await other.stop()
    node = await startTestNode(ssoSettings, { clock, home })
    expect(await signIn(person('seven', 'elsewhere@example.org'))).toMatchObject({ ssoUser: first.username })
  })

  it('fails after the operator has unregistered the linked account', async () => {
    const { username, email } = await account()
    await signIn(person('unregistered', email))
    const { status } = await request(`${node.url}system/users/${username}?onlyReg=true`, { method: 'DELETE', token: KEY })
    expect(status).toBe(200)
    expect(await signIn(person('unregistered', email))).toEqual({ ssoError: 'no-account' })
  })

  it.each(['email-link', 'email-code', 'operator'] as const)('links an account by an address verified by %s', async (verificationMethod) => {
    const { username, email } = await account({ verificationMethod })
    expect(await signIn(person(`by-${verificationMethod}`, email))).toMatchObject({ ssoStatus: 'login', ssoUser: username })
  })

  it.each<[string, Partial<EmailEntry>]>([
    ['given at registration', { verificationMethod: 'registration' }],
    ['older than verification', { verificationMethod: 'legacy' }],
    ['with pending verification', { status: 'pending', verificationMethod: null }],
  ])('does not link an account by an address %s', async (_, entry) => {
    const { email } = await account(entry)
    expect(await signIn(person(`not-by ${String(_)}`, email))).toEqual({ ssoError: 'email-not-verified' })
  })

  it('creates no account', async () => {
    expect(await signIn(person('stranger', 'stranger@example.org'), '?ssoReturn=x')).toEqual({ ssoError: 'no-account', ssoReturn: 'x' })
    expect(await request(`${node.url}reg/stranger@example.org/uid`)).toMatchObject({ status: 404 })
  })

  it('uses the linked account even if the address of the person changes', async () => {
    const first = await account()
    await signIn(person('faithful', first.email))
    const second = await account()
    expect(await signIn(person('faithful', second.email))).toMatchObject({ ssoUser: first.username })
    expect(await signIn(person('faithful', 'nobody@example.org'))).toMatchObject({ ssoUser: first.username })
    expect(node.logged.some((line) => line.includes('differs from the account'))).toBe(true)
    // Another person can still sign in with the address of the second account.
    expect(await signIn(person('another', second.email))).toMatchObject({ ssoUser: second.username })
  })

  it('distinguishes equal subjects of different identity providers', async () => {
    const { username, email } = await account()
    expect(await signIn(person('same-name', email))).toMatchObject({ ssoUser: username })
    const browser: Browser = {}
    party.person = person('same-name', 'elsewhere@example.org')
    const { location } = await go(browser, 'auth/sso/other/start')
    expect(landingParameters(await go(browser, await party.signIn(location)))).toEqual({ ssoError: 'no-account' })
  })

  it('fails after the linked account is deleted, and can link another account', async () => {
    const first = await account()
    await signIn(person('twice', first.email))
    expect((await request(`${node.url}users/${first.username}`, { method: 'DELETE', token: first.owner })).status).toBe(200)
    expect(await signIn(person('twice', first.email))).toEqual({ ssoError: 'no-account' })
    const second = await account()
    expect(await signIn(person('twice', second.email))).toMatchObject({ ssoUser: second.username })
  })

  it('requests the address from the userinfo endpoint if the token lacks it', async () => {
    // The node caches the metadata of a provider, so this test starts another one.
    const { username, email } = await account()
    const provider = await startThirdParty()
    provider.userInfo = { email, email_verified: 'true' }
    provider.person = { sub: 'told' }
    const config = ssoOf(provider)
    const other = await startTestNode({ ...config, 'sso.landingPageURL': LANDING }, { clock })
    try {
      await makeAccount(other, username)
      const browser: Browser = {}
      const { location } = await go(browser, `${other.url}auth/sso/fake/start`)
      expect(landingParameters(await go(browser, await provider.signIn(location)))).toEqual({ ssoError: 'email-not-verified' })
      expect(provider.asked).toContain('/userinfo')
    } finally {
      await other.stop()
      await provider.stop()
    }
  })
})

describe('a sign-in is refused', () => {
  it.each(['audience', 'issuer', 'expiry', 'nonce', 'no nonce', 'signature', 'none'] as const)('with an invalid ID token: %s', async (wrong) => {
    const { email } = await account()
    party.wrong = wrong
    expect(await signIn(person(`wrong-${wrong}`, email), '?ssoReturn=r')).toEqual({ ssoError: 'sso-failed', ssoReturn: 'r' })
  })

  it.each<[string, object]>([
    ['false', { email_verified: false }],
    ['a string other than true', { email_verified: 'yes' }],
    ['nothing', {}],
  ])('if email_verified is %s', async (_, verified) => {
    const { email } = await account()
    expect(await signIn(person(`unsure ${String(_)}`, email, verified))).toEqual({ ssoError: 'sso-failed' })
  })

  it('without an address, or if the identity provider refuses it', async () => {
    expect(await signIn(person('no-address'))).toEqual({ ssoError: 'sso-failed' })
    party.refuses = true
    expect(await signIn(person('refused', 'a@example.org'))).toEqual({ ssoError: 'sso-failed' })
  })

  const startSignIn = async (): Promise<{ cookie: string; back: string }> => {
    const { email } = await account()
    party.person = person(`way-${email}`, email)
    const browser: Browser = {}
    const { location } = await go(browser, 'auth/sso/fake/start?ssoReturn=kept')
    return { cookie: browser.cookie ?? '', back: await party.signIn(location) }
  }
  const altered = (cookie: string): string => {
    const [name = '', value = ''] = cookie.split('=')
    const [body = '', signature = ''] = value.split('.')
    const state = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
    return `${name}=${Buffer.from(JSON.stringify({ ...state, ssoReturn: 'mine' })).toString('base64url')}.${signature}`
  }
  it.each<[string, (cookie: string) => string | undefined]>([
    ['no cookie', () => undefined],
    ['an altered cookie', altered],
    ['the cookie of another browser', () => 'coffer_sso_state=x.y'],
  ])('with %s', async (_, change) => {
    const { cookie, back } = await startSignIn()
    expect(landingParameters(await go({ cookie: change(cookie) }, back))).toEqual({ ssoError: 'sso-failed' })
    expect(landingParameters(await go({ cookie }, back))).toMatchObject({ ssoStatus: 'login', ssoReturn: 'kept' })
  })

  it('with the cookie of another identity provider or of another sign-in', async () => {
    const { cookie, back } = await startSignIn()
    expect(landingParameters(await go({ cookie }, back.replace('/fake/', '/other/')))).toEqual({ ssoError: 'sso-failed' })
    const second = await startSignIn()
    expect(landingParameters(await go({ cookie: second.cookie }, back))).toEqual({ ssoError: 'sso-failed', ssoReturn: 'kept' })
  })

  it('after an internal error, which the landing page receives', async () => {
    const { cookie, back } = await startSignIn()
    const { registry } = node.node
    const { lookUp } = registry
    registry.lookUp = () => Promise.reject(new Error('broken on purpose'))
    const { location, headers } = await go({ cookie }, back)
    registry.lookUp = lookUp
    expect(location).toBe(`${LANDING}#ssoError=sso-failed&ssoReturn=kept`)
    expect(headers.get('set-cookie')).toContain('Max-Age=0')
  })

  it('for a HEAD request, which leaves it pending', async () => {
    const { cookie, back } = await startSignIn()
    const response = await fetch(back, { method: 'HEAD', redirect: 'manual', headers: { cookie } })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
    expect(landingParameters(await go({ cookie }, back))).toMatchObject({ ssoStatus: 'login' })
  })

  it('after ten minutes, or with a used code', async () => {
    const late = await startSignIn()
    clock.pass(601)
    expect(landingParameters(await go({ cookie: late.cookie }, late.back))).toEqual({ ssoError: 'sso-failed' })
    const { cookie, back } = await startSignIn()
    const browser: Browser = { cookie }
    expect(landingParameters(await go(browser, back))).toMatchObject({ ssoStatus: 'login' })
    expect(browser.cookie).toBeUndefined()
    expect(landingParameters(await go({ cookie }, back))).toMatchObject({ ssoError: 'sso-failed' })
  })
})

it('links of identities pass the check of the store', async () => {
  const other = await startTestNode({ ...ssoOf(party), 'sso.landingPageURL': LANDING })
  const { username, email } = await accountWith(other)
  party.person = person('checked', email)
  const browser: Browser = {}
  const { location } = await go(browser, `${other.url}auth/sso/fake/start`)
  expect(landingParameters(await go(browser, await party.signIn(location)))).toMatchObject({ ssoUser: username })
  const { seal, head, db } = { seal: other.node.store.seal, head: other.node.store.head, db: other.node.store.db }
  const { users, names } = await compareNames(db, seal)
  expect([users.problems, names.problems, head.sequence > 0]).toEqual([[], [], true])
  await other.stop()
})

describe('the routes of sign-in', () => {
  it('list the identity providers, without their secrets', async () => {
    const { status, body, headers } = await request(`${node.url}auth/sso/providers`, { headers: { origin: 'https://sign.example.org' } })
    expect([status, body['providers']]).toEqual([200, [{ id: 'fake', label: 'Fake & Co' }, { id: 'other', label: 'Other' }]])
    expect(JSON.stringify(body)).not.toContain(party.clientSecret)
    expect(headers.get('access-control-allow-origin')).toBe('https://sign.example.org')
  })

  it('store the state of a sign-in in a signed cookie', async () => {
    const { headers, location } = await go({}, 'auth/sso/fake/start')
    const cookie = headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^coffer_sso_state=[\w-]+\.[\w-]{43}; Max-Age=600; Path=\/auth\/sso\/; HttpOnly; SameSite=Lax$/)
    const query = new URL(location).searchParams
    expect(Object.fromEntries(query)).toMatchObject({ response_type: 'code', scope: 'openid email', code_challenge_method: 'S256', client_id: 'this-node', redirect_uri: `${node.url}auth/sso/fake/callback` })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    ['an ssoReturn of 2048 characters', `auth/sso/fake/start?ssoReturn=${'a'.repeat(2048)}`, 302],
    ['an ssoReturn with spaces', 'auth/sso/fake/start?ssoReturn=a+b%20c', 302],
    ['an ssoReturn of 2049 characters', `auth/sso/fake/start?ssoReturn=${'a'.repeat(2049)}`, 400],
    ['an ssoReturn with invalid characters', 'auth/sso/fake/start?ssoReturn=%3Cb%3E', 400],
    ['a repeated ssoReturn', 'auth/sso/fake/start?ssoReturn=a&ssoReturn=b', 400],
    ['an unknown identity provider', 'auth/sso/nobody/start', 404],
    ['an identity provider named __proto__', 'auth/sso/__proto__/start', 404],
    ['a callback of an unknown identity provider', 'auth/sso/nobody/callback?code=1', 404],
    ['an unknown route', 'auth/sso/fake/else', 404],
    ['an invalid percent encoding', 'auth/sso/%ff/start', 400],
  ])('answer %s', async (_, path, status) => {
    expect((await go({}, path)).status).toBe(status)
  })

  it('limit the cookie to the path and to https of the public URL', async () => {
    const other = await startTestNode({ ...ssoOf(party), 'sso.callbackBaseURL': 'https://node.example.org/data/' })
    try {
      const { headers, location } = await go({}, `${other.url}auth/sso/fake/start`)
      expect(headers.get('set-cookie')).toMatch(/; Path=\/data\/auth\/sso\/; HttpOnly; SameSite=Lax; Secure$/)
      expect(new URL(location).searchParams.get('redirect_uri')).toBe('https://node.example.org/data/auth/sso/fake/callback')
    } finally {
      await other.stop()
    }
  })

  it('answer 500 without details if the identity provider is unreachable', async () => {
    const stopped = await startThirdParty()
    const other = await startTestNode({ ...ssoOf(stopped), 'sso.landingPageURL': LANDING })
    await stopped.stop()
    try {
      const { status, text } = await go({}, `${other.url}auth/sso/fake/start`)
      expect([status, text]).toEqual([500, 'Something went wrong. Go back and try again in a moment.\n'])
    } finally {
      await other.stop()
    }
  })

  it.each<[string, Record<string, unknown>, string | undefined]>([
    ['sso.enabled is false', { 'sso.enabled': false }, undefined],
    ['there is no identity provider', { 'sso.providers': {} }, 'sso.providers is empty'],
    ['shared secrets are disabled', { 'sharedSecrets.enabled': false, 'sso.landingPageURL': LANDING }, 'requires sharedSecrets.enabled'],
    ['the callback URL uses http', { 'sso.callbackBaseURL': 'http://node.example.org' }, 'over https'],
  ])('do not exist if %s', async (_, settings, reason) => {
    const other = await startTestNode({ ...ssoOf(party), ...settings })
    try {
      for (const path of ['providers', 'fake/start', 'fake/callback']) expect((await go({}, `${other.url}auth/sso/${path}`)).status).toBe(404)
      expect(other.logged.filter((line) => line.includes('single sign-on is not available')).map((line) => line.includes(reason ?? ''))).toEqual(reason === undefined ? [] : [true])
    } finally {
      await other.stop()
    }
  })
})
