/**
 * Authorization requests and consent, up to the code (docs/interface/oauth.md#authorization-request,
 * docs/interface/oauth.md#consent).
 */
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Permission } from '../../../../src/store/model/access.js'
import type { Call } from '../../../../src/server/call/method.js'
import type { Node } from '../../../../src/server/index.js'
import { updateClient } from '../../../../src/server/api/oauth/clientChanges.js'
import { grantAccess } from '../../../support/people/access.js'
import { fakeClock, type FakeClock } from '../../../support/nodes/clock.js'
import { attach, delegateToken } from '../../../support/people/delegations.js'
import { makeAccount, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { addClient, CHALLENGE, exchange, post, REDIRECT, token, VERIFIER } from '../../../support/people/oauth.js'
import { visitor } from '../../../support/people/visitor.js'

type Entry = Record<string, unknown>

const { offers, reads, refusals, eventOf } = vi.hoisted(() => ({
  eventOf: (url: string) => `event of ${url.replace(/\/\/.*@/, '//')}`,
  offers: new Map<string, object>(),
  reads: [] as string[],
  refusals: new Map<string, string>(),
}))

vi.mock('../../../../src/server/api/consents/delivery/offer.js', () => ({
  readOffer: (_: Node, url: string) => {
    reads.push(url)
    const content = offers.get(url)
    return Promise.resolve(content === undefined ? { ok: false, reason: 'cmc-capability-invalid' } : { ok: true, eventId: eventOf(url), content, requester: { username: 'app', host: 'node.example' } })
  },
}))
vi.mock('../../../../src/server/api/consents/delivery/acceptOffer.js', () => ({
  acceptOffer: async (call: Call<Node>, input: { capabilityUrl: string; grantedPermissions: Permission[] }) => {
    const reason = refusals.get(input.capabilityUrl)
    if (reason !== undefined) return { eventId: 'e', content: { status: 'failed', failure: { reason } } }
    const cmc = { role: 'counterparty', offerEventId: eventOf(input.capabilityUrl), counterparty: { username: 'app', host: 'node.example' } }
    const about = { type: 'shared', name: input.capabilityUrl, clientData: { cmc } } as const
    const { id } = await grantAccess({ node: call.node } as TestNode, call.user.username, input.grantedPermissions, about)
    return { eventId: 'e', content: { status: 'completed', dataGrantAccessId: id } }
  },
}))

let node: TestNode
let clock: FakeClock
let username: string
let owner: string
let users = 0

const urlOf = (name: string): string => `https://token-${name}@node.example/app/`
const text = { en: 'A study of weight' }
const weight = { streamId: 'weight', level: 'contribute' }
const diary = { streamId: 'diary', level: 'read', defaultName: 'Diary', mandatory: true }
const mood = { streamId: 'mood', level: 'read', optIn: true }
const noSelfRevoke = { feature: 'selfRevoke', setting: 'forbidden' }

const offerInputs: Record<string, { permissions: Entry[]; allowUserChoice?: boolean; title?: object }> = {
  choice: { permissions: [weight, diary, mood, noSelfRevoke], allowUserChoice: true },
  whole: { permissions: [weight, { streamId: 'mood', level: 'read' }] },
  nested: { permissions: [{ streamId: '*', level: 'manage' }, { streamId: 'weight', level: 'read' }], allowUserChoice: true },
  hundred: { permissions: Array.from({ length: 100 }, (_, at) => ({ streamId: `s${at}`, level: 'read' })) },
  more: { permissions: Array.from({ length: 101 }, (_, at) => ({ streamId: `s${at}`, level: 'read' })) },
  none: { permissions: [{ streamId: 'weight', level: 'none' }] },
  both: { permissions: [{ ...weight, mandatory: true, optIn: true }] },
  empty: { permissions: [] },
  long: { permissions: [weight], title: { en: 'x'.repeat(8192) } },
  consumed: { permissions: [weight] },
}

beforeAll(async () => {
  clock = fakeClock()
  node = await startTestNode({}, { clock })
  const names = [...Object.keys(offerInputs), 'dead']
  for (const [name, { permissions, allowUserChoice, title = text }] of Object.entries(offerInputs)) {
    offers.set(urlOf(name), { capabilityId: name, request: { title, description: text, consent: text, permissions, allowUserChoice } })
  }
  refusals.set(urlOf('consumed'), 'cmc-capability-consumed')
  const cmcOffers = Object.fromEntries(names.map((name) => [name, { capabilityUrl: urlOf(name) }]))
  await addClient(node, 'the-app', { cmcOffers, clientName: 'The <App>', redirectUris: [REDIRECT, `${REDIRECT}?kept=1`, 'http://127.0.0.1/cb'] })
})
afterAll(() => node.stop())
beforeEach(async () => {
  users += 1
  username = `somebody-${String(users).padStart(4, '0')}`
  owner = await makeAccount(node, username)
})

const authorizeParams = (more: Record<string, string | undefined> = {}): Record<string, string | undefined> => ({
  client_id: 'the-app',
  redirect_uri: REDIRECT,
  response_type: 'code',
  scope: 'cmc:choice',
  state: 'own state',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  ...more,
})

async function authorize(more: Record<string, string | undefined> = {}): Promise<{ status: number; location: URL; headers: Headers; text: string }> {
  const defined = Object.entries(authorizeParams(more)).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const response = await fetch(`${node.url}oauth2/authorize?${new URLSearchParams(defined)}`, { redirect: 'manual' })
  const location = response.headers.get('location')
  return { status: response.status, location: new URL(location ?? 'none:'), headers: response.headers, text: await response.text() }
}

const stateFor = async (scope: string, more: Record<string, string> = {}): Promise<string> =>
  (await authorize({ scope: `cmc:${scope}`, ...more })).location.searchParams.get('state') ?? ''

const payloadOf = (state: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(state.split('.')[0] ?? '', 'base64url').toString('utf8')) as Record<string, unknown>

const base = (): string => node.url.slice(0, -1)

describe('authorize', () => {
  it('redirects to the page of the node, with a state that contains the request', async () => {
    const { status, location, headers } = await authorize({ login_hint: 'ana' })
    expect(status).toBe(302)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('pragma')).toBe('no-cache')
    expect(location.href.startsWith(`${base()}/web/oauth-consent?state=`)).toBe(true)
    expect(location.search.endsWith(`&pryvApi=${encodeURIComponent(base())}`)).toBe(true)
    const payload = payloadOf(location.searchParams.get('state') ?? '')
    expect(payload).toMatchObject({
      clientId: 'the-app',
      redirectUri: REDIRECT,
      state: 'own state',
      codeChallenge: CHALLENGE,
      codeChallengeMethod: 'S256',
      scope: ['cmc:choice'],
      userIdHint: 'ana',
      offer: { offerName: 'choice', capabilityId: 'choice', allowUserChoice: true, permissions: [weight, diary, mood, noSelfRevoke], title: text },
    })
    expect(Number(payload['exp']) - Number(payload['iat'])).toBe(300)
  })

  it('does not expose the token of the link in URLs and pages up to the sign-in', async () => {
    const { location } = await authorize()
    const { path, html } = await visitor(node).open(location.href)
    expect(path).toContain('/sign-in?')
    for (const address of [location.href, new URL(path, node.url).href]) {
      const { searchParams } = new URL(address)
      const payload = payloadOf(searchParams.get('oauth') ?? searchParams.get('state') ?? '')
      expect(payload['offer']).toMatchObject({ offerName: 'choice', capabilityUrl: urlOf('choice').replace('token-choice@', '') })
      expect(JSON.stringify(payload)).not.toContain('token-choice')
      expect(decodeURIComponent(address)).not.toContain('token-choice')
    }
    expect(html).not.toContain('token-choice')
  })

  const errorPages: [string, Record<string, string | undefined>][] = [
    ['no client', { client_id: undefined }],
    ['no redirect URI', { redirect_uri: undefined }],
    ['an unknown client', { client_id: '<script>alert(1)</script>' }],
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.example/<script>' }],
    ['a redirect URI with a fragment', { redirect_uri: `${REDIRECT}#x` }],
  ]
  it.each(errorPages)('shows an error without a redirect for %s', async (_, more) => {
    const { status, headers, text } = await authorize(more)
    expect(status).toBe(400)
    expect(headers.get('location')).toBeNull()
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(text).not.toContain('<script>')
  })

  const redirected: [string, Record<string, string | undefined>, string, string?][] = [
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'unsupported_response_type'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no state', { state: undefined }, 'invalid_request'],
    ['a scope without namespace', { scope: 'choice' }, 'invalid_scope'],
    ['an unknown namespace', { scope: 'pryv:read' }, 'invalid_scope'],
    ['a bad name', { scope: 'cmc:.x' }, 'invalid_scope'],
    ['a scope that is not registered', { scope: 'cmc:other' }, 'invalid_scope', 'not registered'],
    ['no scope', { scope: undefined }, 'invalid_scope', 'exactly one'],
    ['two scopes', { scope: 'cmc:choice  cmc:whole' }, 'invalid_scope', 'exactly one'],
    ['an offer that does not exist', { scope: 'cmc:dead' }, 'invalid_scope', 'cannot be resolved'],
    ['an offer of 101 entries', { scope: 'cmc:more' }, 'invalid_scope', 'too-large'],
    ['an offer with long texts', { scope: 'cmc:long' }, 'invalid_scope', 'too-large'],
    ['an offer of level none only', { scope: 'cmc:none' }, 'invalid_scope'],
    ['an offer that is mandatory and optIn', { scope: 'cmc:both' }, 'invalid_scope'],
    ['an offer without permissions', { scope: 'cmc:empty' }, 'invalid_scope'],
  ]
  it.each(redirected)('redirects to the client with an error for %s', async (_, more, error, description = '') => {
    const { status, location, headers } = await authorize(more)
    expect({ status, to: location.origin + location.pathname }).toEqual({ status: 302, to: REDIRECT })
    const { searchParams } = location
    expect([searchParams.get('error'), searchParams.get('iss')]).toEqual([error, base()])
    expect(searchParams.get('state')).toBe('state' in more ? null : 'own state')
    expect(searchParams.get('error_description')).toContain(description)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('keeps the query of a redirect URI, and accepts any loopback port', async () => {
    const withQuery = await authorize({ redirect_uri: `${REDIRECT}?kept=1`, scope: 'x' })
    expect(withQuery.location.href.startsWith(`${REDIRECT}?kept=1&error=invalid_scope`)).toBe(true)
    expect((await authorize({ redirect_uri: 'http://127.0.0.1:5123/cb' })).status).toBe(302)
  })

  it('fetches an offer once in ten seconds, and never an unregistered one', async () => {
    clock.pass(11)
    reads.length = 0
    await authorize({ scope: 'cmc:other' })
    expect(reads).toEqual([])
    await Promise.all([authorize({ scope: 'cmc:hundred' }), authorize({ scope: 'cmc:hundred' })])
    clock.pass(9)
    await authorize({ scope: 'cmc:hundred' })
    expect(reads).toEqual([urlOf('hundred')])
    clock.pass(1)
    await authorize({ scope: 'cmc:hundred' })
    expect(reads).toHaveLength(2)
  })

  it('refuses repeated parameters', async () => {
    const query = new URLSearchParams(authorizeParams() as Record<string, string>)
    query.append('scope', 'cmc:choice')
    const response = await fetch(`${node.url}oauth2/authorize?${query}`, { redirect: 'manual' })
    expect(new URL(response.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
  })
})

describe('refuse', () => {
  it('returns a redirect with the state and the issuer', async () => {
    const { status, body, headers } = await post(node, 'oauth2/authorize/refuse', { state: await stateFor('choice') }, { json: true })
    expect({ status, body }).toEqual({ status: 200, body: { redirectTo: `${REDIRECT}?error=access_denied&state=own%20state&iss=${encodeURIComponent(base())}` } })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  const wrong: [string, (state: string) => string | undefined, string][] = [
    ['undefined', () => undefined, 'state'],
    ['another body', (state) => `x${state}`, 'bad_signature'],
    ['another signature', (state) => state.replace(/\.(.)/, (_, first: string) => `.${first === 'A' ? 'B' : 'A'}`), 'bad_signature'],
    ['a signature of odd bytes', (state) => `${state.split('.')[0] ?? ''}.\u00e9\u0000`, 'bad_signature'],
    ['no dot', () => 'x', 'malformed'],
  ]
  it.each(wrong)('fails for an invalid state: %s', async (_, mutate, description) => {
    const answer = await post(node, 'oauth2/authorize/refuse', { state: mutate(await stateFor('choice')) }, { json: true })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request', error_description: expect.stringContaining(description) as string } })
  })

  it('fails after five minutes', async () => {
    const state = await stateFor('choice')
    clock.pass(299)
    expect((await post(node, 'oauth2/authorize/refuse', { state }, { json: true })).status).toBe(200)
    clock.pass(1)
    const answer = await post(node, 'oauth2/authorize/refuse', { state }, { json: true })
    expect(answer).toMatchObject({ status: 400, body: { error_description: expect.stringContaining('expired') as string } })
  })
})

const accept = (body: Record<string, unknown>): Promise<Answer> =>
  request(`${node.url}oauth2/authorize/accept`, { method: 'POST', body })

const acceptOffer = async (scope: string, grantedPermissions: unknown, more: Record<string, unknown> = {}): Promise<Answer> =>
  accept({ state: await stateFor(scope), username, userToken: owner, grantedPermissions, ...more })

const plainDiary = { streamId: 'diary', level: 'read' }

describe('accept', () => {
  it('creates a consent, an access with the chosen permissions, and a code for its token', async () => {
    const { status, body } = await acceptOffer('choice', [weight, plainDiary, noSelfRevoke])
    expect(status).toBe(200)
    const back = new URL(String(body['redirectTo']))
    expect([back.origin + back.pathname, back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual([REDIRECT, 'own state', base()])
    const code = back.searchParams.get('code') ?? ''
    expect(code).toMatch(/^[\w-]{43}$/)
    const answer = await token(node, exchange(code, 'the-app'))
    expect(answer).toMatchObject({ status: 200, body: { scope: 'cmc:choice' } })
    const info = await request(`${node.url}${username}/access-info`, { token: String(answer.body['access_token']) })
    expect(info.body).toMatchObject({ type: 'app', name: 'oauth:the-app', deviceName: expect.stringMatching(/^oauth-session-/) as string })
    const own = (info.body['permissions'] as Permission[]).filter((one) => !('streamId' in one) || !one.streamId.startsWith(':'))
    expect(own).toEqual([weight, plainDiary, { feature: 'selfRevoke', setting: 'allowed' }])
    const { body: listed } = await request(`${node.url}${username}/accesses`, { token: owner })
    const consents = (listed['accesses'] as { type: string; permissions?: Permission[] }[]).filter(({ type }) => type === 'shared')
    expect(consents.map(({ permissions }) => permissions)).toEqual([[weight, plainDiary, noSelfRevoke]])
  })

  it('reuses an existing consent, and only adds permissions to it', async () => {
    await acceptOffer('choice', [weight, plainDiary])
    expect((await acceptOffer('choice', [plainDiary, { streamId: 'mood', level: 'read' }])).status).toBe(200)
    const { body } = await request(`${node.url}${username}/accesses`, { token: owner })
    const consents = (body['accesses'] as { type: string; permissions?: Permission[] }[]).filter(({ type }) => type === 'shared')
    expect(consents.map(({ permissions }) => permissions)).toEqual([[weight, plainDiary, { streamId: 'mood', level: 'read' }]])
  })

  it('grants nothing to another account with an offer of the same id', async () => {
    const cmc = { role: 'counterparty', offerEventId: eventOf(urlOf('choice')), counterparty: { username: 'mallory', host: 'evil.example' } }
    const { id } = await grantAccess(node, username, [{ streamId: 'diary', level: 'read' }], { type: 'shared', name: 'other', clientData: { cmc } })
    expect((await acceptOffer('choice', [weight, plainDiary])).status).toBe(200)
    const { body } = await request(`${node.url}${username}/accesses`, { token: owner })
    const consents = (body['accesses'] as { id: string; type: string; permissions?: Permission[] }[]).filter(({ type }) => type === 'shared')
    expect(consents.find((one) => one.id === id)?.permissions).toEqual([plainDiary])
    expect(consents.filter((one) => one.id !== id).map(({ permissions }) => permissions)).toEqual([[weight, plainDiary]])
  })

  it('refuses an offer link that changed after the request', async () => {
    await addClient(node, 'changing', { cmcOffers: { choice: { capabilityUrl: urlOf('choice') } } })
    const state = await stateFor('choice', { client_id: 'changing' })
    await updateClient(node.node, 'changing', { cmcOffers: { choice: { capabilityUrl: urlOf('whole') } } })
    const answer = await accept({ state, username, userToken: owner, grantedPermissions: [plainDiary] })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const { body } = await request(`${node.url}${username}/accesses`, { token: owner })
    expect((body['accesses'] as { type: string }[]).filter(({ type }) => type !== 'personal')).toEqual([])
  })

  it('restores an expired consent', async () => {
    await acceptOffer('choice', [plainDiary])
    const consents = async (): Promise<{ id: string; expires?: number }[]> => {
      const { body } = await request(`${node.url}${username}/accesses?includeExpired=true`, { token: owner })
      return (body['accesses'] as { id: string; type: string; expires?: number }[]).filter(({ type }) => type === 'shared')
    }
    const [before] = await consents()
    await request(`${node.url}${username}/accesses/${before?.id}`, { method: 'PUT', token: owner, body: { expireAfter: 1 } })
    clock.pass(2)
    expect((await acceptOffer('choice', [plainDiary])).status).toBe(200)
    const after = await consents()
    expect(after.map(({ id, expires }) => [id.split(':')[0], expires])).toEqual([[before?.id.split(':')[0], undefined]])
  })

  const refused: [string, string, unknown, Record<string, unknown>, number, string, string?][] = [
    ['no user name', 'choice', [weight], { username: undefined }, 400, 'invalid_request', 'username'],
    ['a user name that is not a string', 'choice', [weight], { username: 7 }, 400, 'invalid_request', 'username'],
    ['no token', 'choice', [weight], { userToken: undefined }, 400, 'invalid_request', 'userToken'],
    ['no state', 'choice', [weight], { state: undefined }, 400, 'invalid_request', 'state'],
    ['another state', 'choice', [weight], { state: 'e30.AAAA' }, 400, 'invalid_request', 'bad_signature'],
    ['no list', 'choice', 'all', {}, 400, 'invalid_request'],
    ['an invalid entry', 'choice', [{ streamId: 'weight' }], {}, 400, 'invalid_scope', 'invalid'],
    ['an empty list', 'choice', [], {}, 400, 'invalid_scope'],
    ['a stream that was not offered', 'choice', [plainDiary, { streamId: 'other', level: 'read' }], {}, 400, 'invalid_scope', 'other'],
    ['another level', 'choice', [plainDiary, { ...weight, level: 'manage' }], {}, 400, 'invalid_scope', 'weight'],
    ['a feature that was not offered', 'choice', [plainDiary, { feature: 'selfAudit', setting: 'forbidden' }], {}, 400, 'invalid_scope', 'selfAudit'],
    ['a part of an all-or-nothing offer', 'whole', [weight], {}, 400, 'invalid_scope', 'all-or-nothing'],
    ['an omitted mandatory permission', 'choice', [weight], {}, 400, 'invalid_scope', 'mandatory'],
    ['an unknown user', 'choice', [plainDiary], { username: 'nobody-at-all' }, 401, 'invalid_request'],
    ['an unknown token', 'choice', [plainDiary], { userToken: 'nobodys' }, 401, 'invalid_request'],
    ['an omitted entry that restricts another', 'nested', [{ streamId: '*', level: 'manage' }], {}, 400, 'invalid_scope', 'weight'],
    ['an offer that the other side refuses', 'consumed', [weight], {}, 400, 'invalid_grant', 'consent accept rejected: cmc-capability-consumed'],
  ]
  it.each(refused)('refuses %s', async (_, scope, granted, more, status, error, description = '') => {
    const answer = await acceptOffer(scope, granted, more)
    expect(answer).toMatchObject({ status, body: { error, error_description: expect.stringContaining(description) as string } })
    const { body } = await request(`${node.url}${username}/accesses`, { token: owner })
    expect((body['accesses'] as { name: string }[]).filter(({ name }) => name.startsWith('oauth:'))).toEqual([])
  })

  it('reports at most twenty streams that were not offered', async () => {
    const foreign = Array.from({ length: 25 }, (_, at) => ({ streamId: `f${at}`, level: 'read' }))
    expect((await acceptOffer('choice', foreign)).body['error_description']).toMatch(/f19 \(\+5 more\)$/)
  })

  it('refuses tokens of apps and of delegates', async () => {
    const app = await grantAccess(node, username, [{ streamId: '*', level: 'manage' }])
    expect(await acceptOffer('choice', [plainDiary], { userToken: app.token })).toMatchObject({ status: 401, body: { error: 'invalid_request' } })
    const delegate = { username: `${username}-d`, token: await makeAccount(node, `${username}-d`) }
    await attach(node, { username, token: owner }, delegate)
    const userToken = await delegateToken(node, delegate, username)
    expect(await acceptOffer('choice', [plainDiary], { userToken })).toMatchObject({ status: 403, body: { error: 'access_denied' } })
  })
})

describe('the page of the node', () => {
  const signedInBrowser = async (scope: string): Promise<ReturnType<typeof visitor>> => {
    const browser = visitor(node)
    await browser.open((await authorize({ scope: `cmc:${scope}` })).location.href)
    await browser.submit({ name: username, password: 'correct horse' })
    return browser
  }

  it('shows the client and its request, and grants the selected permissions', async () => {
    const browser = visitor(node)
    await browser.open((await authorize()).location.href)
    expect(browser.page.text).toContain('The <App> wants access to your account')
    expect(browser.page.html).not.toContain('The <App>')
    const { status, text, html } = await browser.submit({ name: username, password: 'correct horse' })
    expect(status).toBe(200)
    expect(text).toContain('A study of weight')
    expect(text).toContain('Registered by the operator')
    expect(text).toContain('app.example')
    expect(html.match(/type="checkbox"/g)).toHaveLength(4)
    expect(html.match(/<input[^>]*type="checkbox"[^>]*value="mood"[^>]*>/)?.[0]).not.toContain('checked')
    const done = await browser.submit({ do: 'accept', grant: ['weight', 'diary'] })
    expect(done.status).toBe(200)
    const [, link = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(done.html) ?? []
    const code = new URL(link.replaceAll('&amp;', '&')).searchParams.get('code') ?? ''
    const answer = await token(node, exchange(code, 'the-app'))
    expect(answer.status).toBe(200)
  })

  it('requires a sign-in after the start of each request, and can be reopened without another', async () => {
    const browser = await signedInBrowser('whole')
    const earlierUrl = (await authorize({ scope: 'cmc:whole' })).location.href
    // A sign-in in the same second as the request counts for it.
    clock.pass(2)
    const { location } = await authorize({ scope: 'cmc:whole' })
    await browser.open(location.href)
    expect(browser.page.html).toContain('type="password"')
    await browser.submit({ name: username, password: 'correct horse' })
    expect(browser.page.html).not.toContain('type="password"')
    await browser.open(earlierUrl)
    expect(browser.page.html).not.toContain('type="password"')
    expect((await browser.submit({ do: 'refuse' })).html).toContain('error=access_denied')
  })

  it('refuses the request with or without a sign-in', async () => {
    const signedOut = visitor(node)
    await signedOut.open((await authorize({ scope: 'cmc:whole' })).location.href)
    expect((await signedOut.submit({ do: 'refuse' }, 1)).html).toContain('error=access_denied')
    const browser = await signedInBrowser('whole')
    const done = await browser.submit({ do: 'refuse' })
    expect(done.html).toContain('error=access_denied')
  })

  it('shows the refusal of the other side', async () => {
    const browser = await signedInBrowser('consumed')
    expect((await browser.submit({ do: 'accept' })).text).toContain('is no longer open')
  })

  it('shows an error for an expired request, and for one of another node', async () => {
    const browser = await signedInBrowser('whole')
    clock.pass(300)
    expect(await browser.submit({ do: 'accept' })).toMatchObject({ status: 400, text: expect.stringContaining('This request has expired') as string })
    const { location } = await authorize()
    location.searchParams.set('pryvApi', 'https://other.example')
    expect(await browser.open(location.href)).toMatchObject({ status: 400 })
  })
})

describe('a strict client', () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  let real: TestNode
  let server: oauth.AuthorizationServer
  let secret: string
  beforeAll(async () => {
    // The client library uses the system clock.
    real = await startTestNode()
    const issuer = new URL(real.url.slice(0, -1))
    server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }))
    await makeAccount(real, 'strict-account')
    const cmcOffers = { choice: { capabilityUrl: urlOf('choice') } }
    await addClient(real, 'strict-public', { cmcOffers })
    const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials']
    secret = await addClient(real, 'strict-secret', { cmcOffers, confidential: true, username: 'strict-account', grantTypes, scope: ['app:own'] })
  })
  afterAll(() => real.stop())

  const ways: [string, string, boolean][] = [
    ['public', 'strict-public', false],
    ['public with DPoP', 'strict-public', true],
    ['confidential', 'strict-secret', false],
    ['confidential with DPoP', 'strict-secret', true],
  ]
  it.each(ways)('(%s) gets and refreshes its tokens', async (_, clientId, isBound) => {
    const name = `strict-${String((users += 1)).padStart(4, '0')}`
    const userToken = await makeAccount(real, name)
    const client: oauth.Client = { client_id: clientId }
    const auth = clientId === 'strict-secret' ? oauth.ClientSecretBasic(secret) : oauth.None()
    const DPoP = isBound ? oauth.DPoP(client, await oauth.generateKeyPair('ES256')) : undefined
    const options = { ...insecure, ...(DPoP === undefined ? {} : { DPoP }) }
    const query = new URLSearchParams(authorizeParams({ client_id: clientId }) as Record<string, string>)
    const redirect = await fetch(`${String(server.authorization_endpoint)}?${query}`, { redirect: 'manual' })
    const state = new URL(redirect.headers.get('location') ?? '').searchParams.get('state')
    const body = { state, username: name, userToken, grantedPermissions: [plainDiary] }
    const { body: accepted } = await request(`${real.url}oauth2/authorize/accept`, { method: 'POST', body })
    const parameters = oauth.validateAuthResponse(server, client, new URL(String(accepted['redirectTo'])), 'own state')
    const first = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(server, client, auth, parameters, REDIRECT, VERIFIER, options),
    )
    expect(first.token_type).toBe(isBound ? 'dpop' : 'bearer')
    const second = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, auth, String(first.refresh_token), options),
    )
    for (const { access_token } of [first, second]) {
      const events = await oauth.protectedResourceRequest(access_token, 'GET', new URL(`${real.url}${name}/events`), undefined, null, options)
      expect(events.status).toBe(200)
      const bare = await request(`${real.url}${name}/events`, { token: access_token })
      expect(bare.status).toBe(isBound ? 403 : 200)
    }
    if (!isBound) return
    // The token is bound: a refresh without the key fails.
    const stolen = oauth.refreshTokenGrantRequest(server, client, auth, String(second.refresh_token), insecure)
    await expect(stolen.then((response) => oauth.processRefreshTokenResponse(server, client, response))).rejects.toMatchObject({ error: 'invalid_dpop_proof' })
  })

  it('gets an access to its own account, unless bound to a key', async () => {
    const client: oauth.Client = { client_id: 'strict-secret' }
    const answer = await oauth.clientCredentialsGrantRequest(server, client, oauth.ClientSecretBasic(secret), { scope: 'app:own' }, insecure)
    expect(await oauth.processClientCredentialsResponse(server, client, answer)).toMatchObject({ scope: 'app:own', token_type: 'bearer' })
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
    const bound = await oauth.clientCredentialsGrantRequest(server, client, oauth.ClientSecretBasic(secret), {}, { ...insecure, DPoP })
    expect({ status: bound.status, body: await bound.json() }).toMatchObject({ status: 400, body: { error: 'invalid_request', error_description: expect.stringContaining('client_credentials') as string } })
  })
})
