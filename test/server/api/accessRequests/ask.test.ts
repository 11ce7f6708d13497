/** Validation of access requests, and the fields that they return (docs/interface/access-requests.md). */
import { describe, expect, it } from 'vitest'
import { APP, askFor, diary, gist, heart, keyOf, pollOf } from '../../../support/people/accessRequests.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { request } from '../../../support/nodes/node.js'
import { withNode } from '../../../support/nodes/started.js'

type Json = Record<string, unknown>
const feature = { feature: 'selfRevoke', setting: 'forbidden' }
const invite = { capabilityUrl: 'https://other.example/c?x=1' }

describe('creating an access request', () => {
  const node = withNode()

  const refused: [name: string, body: Json, param: string][] = [
    ['no app id', { requestingAppId: undefined }, 'requestingAppId'],
    ['an empty app id', { requestingAppId: '' }, 'requestingAppId'],
    ['an app id of five characters', { requestingAppId: 'abcde' }, 'requestingAppId'],
    ['an app id that is no string', { requestingAppId: 123456 }, 'requestingAppId'],
    ['no permissions', { requestedPermissions: undefined }, 'requestedPermissions'],
    ['permissions that are no list', { requestedPermissions: {} }, 'requestedPermissions'],
    ['a permission that is no object', { requestedPermissions: ['heart'] }, 'requestedPermissions'],
    ['the level none', { requestedPermissions: [{ ...heart, level: 'none' }] }, 'requestedPermissions'],
    ['an unknown level', { requestedPermissions: [{ ...heart, level: 'own' }] }, 'requestedPermissions'],
    ['a stream id that is no string', { requestedPermissions: [{ streamId: 5, level: 'read' }] }, 'requestedPermissions'],
    ['a permission without stream, tag or feature', { requestedPermissions: [{ level: 'read' }] }, 'requestedPermissions'],
    ['a name that is no string', { requestedPermissions: [{ ...heart, defaultName: 5 }] }, 'requestedPermissions'],
    ['a feature without setting', { requestedPermissions: [{ feature: 'selfRevoke' }] }, 'requestedPermissions'],
    ['an invalid language', { languageCode: 'a b' }, 'languageCode'],
    ['a returnURL that is no string', { returnURL: 5 }, 'returnURL'],
    ...['javascript:alert(1)', ' JavaScript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', 'blob:https://app.example/1'].map(
      (returnURL): [string, Json, string] => [`the return URL ${JSON.stringify(returnURL)}`, { returnURL }, 'returnURL'],
    ),
    ['a return URL with an unregistered scheme', { returnURL: 'com.example.diary://back' }, 'returnURL'],
    ['a relative return URL', { returnURL: '/web/access' }, 'returnURL'],
    ['a service info with a javascript: URL', { serviceInfo: { name: 'x', assets: { home: 'javascript:alert(1)' } } }, 'serviceInfo'],
    ['an oauthState that is no string', { oauthState: {} }, 'oauthState'],
    ['clientData that is no object', { clientData: 'x' }, 'clientData'],
    ['serviceInfo that is no object', { serviceInfo: [] }, 'serviceInfo'],
    ['a deviceName that is no string', { deviceName: 5 }, 'deviceName'],
    ['an expireAfter that is no number', { expireAfter: '60' }, 'expireAfter'],
    ['a negative expireAfter', { expireAfter: -1 }, 'expireAfter'],
    ['a token that is no string', { token: 5 }, 'token'],
    ['an empty token', { token: '' }, 'token'],
    ['an authUrl that is no string', { authUrl: 5 }, 'authUrl'],
    ['actAs that is no string', { actAs: true }, 'actAs'],
    ['actAs with an invalid username', { actAs: 'Not a name!' }, 'actAs'],
    ['actAsManagedOnly that is no boolean', { actAs: 'allow', actAsManagedOnly: 'true' }, 'actAsManagedOnly'],
    ['actAsManagedOnly with deny', { actAs: 'deny', actAsManagedOnly: true }, 'actAsManagedOnly'],
    ['an unknown type of hand-off', { credentialHandoff: 'carrier-pigeon' }, 'credentialHandoff'],
    ['invitations that are no list', { cmcInvites: invite }, 'cmcInvites'],
    ['an empty list of invitations', { cmcInvites: [] }, 'cmcInvites'],
    ['nine invitations', { cmcInvites: Array(9).fill(invite) }, 'cmcInvites'],
    ['an invitation without URL', { cmcInvites: [{}] }, 'cmcInvites'],
    ['an invitation with an ftp URL', { cmcInvites: [{ capabilityUrl: 'ftp://x.example' }] }, 'cmcInvites'],
    ['an invitation with a space in its URL', { cmcInvites: [{ capabilityUrl: 'https://x.example/a b' }] }, 'cmcInvites'],
    ['an invitation with an overlong URL', { cmcInvites: [{ capabilityUrl: `https://x.example/${'a'.repeat(2048)}` }] }, 'cmcInvites'],
    ['an invitation for an unknown role', { cmcInvites: [{ ...invite, for: 'somebody' }] }, 'cmcInvites'],
    ['an invitation with an unknown field', { cmcInvites: [{ ...invite, more: 1 }] }, 'cmcInvites'],
    ['an empty accessName', { cmcInvites: [{ ...invite, accessName: '' }] }, 'cmcInvites'],
    ['mandatory that is no boolean', { cmcInvites: [{ ...invite, mandatory: 'yes' }] }, 'cmcInvites'],
    ['consent that is no object', { consent: [] }, 'consent'],
    ['consent without requested permissions', { requestedPermissions: [], consent: {} }, 'requestedPermissions'],
    ['a choice that is no boolean', { consent: { allowUserChoice: 'yes' } }, 'consent'],
    ['mandatory that is no list', { consent: { mandatory: 'heart' } }, 'consent'],
    ['optIn that is no list', { consent: { optIn: {} } }, 'consent'],
    ['an id that is no string', { consent: { optIn: [5] } }, 'consent'],
    ['an unknown id', { consent: { allowUserChoice: true, mandatory: ['other'] } }, 'consent'],
    ['an id shared by two permissions', { requestedPermissions: [heart, { ...heart, level: 'manage' }], consent: { allowUserChoice: true, optIn: ['heart'] } }, 'consent'],
    ['an id in both lists', { consent: { allowUserChoice: true, mandatory: ['heart'], optIn: ['heart'] } }, 'consent'],
  ]
  it.each(refused)('refuses %s', async (_, body, param) => {
    const answer = await askFor(node(), body)
    expect(gist(answer)).toEqual([400, 'invalid-parameters'])
    expect(answer.body).toMatchObject({ error: { data: { param } }, meta: {} })
  })

  it.each([[[]], ['text'], [5], [null]])('refuses a body that is %j', async (body) => {
    expect(gist(await request(`${node().url}reg/access`, { body: JSON.stringify(body) }))).toEqual([400, 'invalid-parameters'])
  })

  const accepted: [name: string, body: Json, echo: Json][] = [
    ['an empty list of permissions', { requestedPermissions: [] }, { requestedPermissions: [] }],
    ['null for absent fields', { consent: null, actAs: null, credentialHandoff: null, clientData: null, deviceName: null, token: null, returnURL: null }, {}],
    ['false for an absent return URL', { returnURL: false }, {}],
    ['a return URL', { returnURL: 'HTTP://app.example:8080/back#' }, { returnURL: 'HTTP://app.example:8080/back#' }],
    ['a permission with an unknown field', { requestedPermissions: [{ ...heart, more: { a: 1 } }] }, { requestedPermissions: [{ ...heart, more: { a: 1 } }] }],
    ['all streams', { requestedPermissions: [{ streamId: '*', level: 'create-only' }] }, {}],
    ['features and tags', { requestedPermissions: [feature, { tag: 'x', level: 'read' }] }, {}],
    ['actAs', { actAs: 'deny' }, { actAs: 'deny' }],
    ['actAs with a name', { actAs: 'alice-2026', actAsManagedOnly: true }, { actAs: 'alice-2026', actAsManagedOnly: true }],
    ['actAsManagedOnly without actAs', { actAsManagedOnly: true }, { actAsManagedOnly: true }],
    ['actAsManagedOnly with actAs: null', { actAs: null, actAsManagedOnly: true }, { actAsManagedOnly: true }],
    ['invitations, with default values added', { cmcInvites: [invite] }, { cmcInvites: [{ ...invite, mandatory: false, for: 'self' }] }],
    [
      'consent, resolved in the order of the requested permissions',
      { requestedPermissions: [heart, diary, feature], consent: { allowUserChoice: true, mandatory: ['selfRevoke'], optIn: ['heart'] } },
      {
        requestedPermissions: [heart, diary, feature],
        consent: { allowUserChoice: true, permissions: [{ ...heart, optIn: true }, diary, { ...feature, mandatory: true }] },
      },
    ],
    ['consent without choice', { consent: { mandatory: ['heart'] } }, { consent: { allowUserChoice: false, permissions: [{ ...heart, mandatory: true }] } }],
    [
      'consent without choice, with unknown and ambiguous ids in its lists',
      { requestedPermissions: [heart, diary, { ...diary, level: 'manage' }], consent: { mandatory: ['other', 'heart', 'diary'], optIn: ['heart', 'more'], allowUserChoice: false } },
      { consent: { allowUserChoice: false, permissions: [{ ...heart, mandatory: true }, diary, { ...diary, level: 'manage' }] } },
    ],
    ['an empty consent', { consent: {} }, { consent: { allowUserChoice: false, permissions: [heart] } }],
    ['lone surrogates', { requestingAppId: 'app \ud800 x', oauthState: '\udfff' }, { oauthState: '\udfff' }],
  ]
  it.each(accepted)('accepts %s', async (_, body, echo) => {
    const answer = await askFor(node(), body)
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject(echo)
    const { body: polled } = await pollOf(node(), String(answer.body['key']))
    expect(polled).toMatchObject(echo)
    for (const name of ['consent', 'actAs', 'actAsManagedOnly', 'credentialHandoff', 'cmcInvites', 'token', 'deviceName']) {
      if (!(name in echo) && body[name] == null) expect(answer.body).not.toHaveProperty(name)
    }
  })

  it('treats actAsManagedOnly: false as absent', async () => {
    expect((await askFor(node(), { actAsManagedOnly: false })).body).not.toHaveProperty('actAsManagedOnly')
  })
})

describe('return URLs with registered schemes', () => {
  const node = withNode({ 'access.returnSchemes': ['com.example.diary', 'diary'] })

  it.each(['com.example.diary:/back', 'COM.EXAMPLE.diary://back?x=1', 'diary://back', 'https://app.example/'])('accept %s', async (returnURL) => {
    const { status, body } = await askFor(node(), { returnURL })
    expect([status, body['returnURL']]).toEqual([201, returnURL])
  })

  it.each(['com.example.other:/back', 'javascript:alert(1)//diary:', 'diary'])('refuse %s', async (returnURL) => {
    const { status, body } = await askFor(node(), { returnURL })
    expect([status, body['error']]).toMatchObject([400, { id: 'invalid-parameters', message: expect.stringContaining('com.example.diary:, diary:') as string }])
  })
})

describe('sign-in pages', () => {
  const settings = { 'access.trustedAuthUrls': ['https://page.example/auth', 'http://other.example:8080'], 'access.defaultAuthUrl': 'https://usual.example/in?x=1' }
  const node = withNode(settings)
  const pageOf = async (authUrl?: string): Promise<[number, unknown]> => {
    const answer = await askFor(node(), authUrl === undefined ? {} : { authUrl })
    return [answer.status, answer.status === 201 ? answer.body['authUrl'] : gist(answer)[1]]
  }

  it.each([
    ['https://page.example/auth', 'https://page.example/auth?lang='],
    ['https://page.example/auth/', 'https://page.example/auth/?lang='],
    ['https://page.example/auth/more/index.html', 'https://page.example/auth/more/index.html?lang='],
    ['https://page.example/auth?theme=dark', 'https://page.example/auth?theme=dark&lang='],
    ['https://page.example/auth?', 'https://page.example/auth?lang='],
    ['https://PAGE.example:443/auth', 'https://PAGE.example:443/auth?lang='],
    ['http://other.example:8080', 'http://other.example:8080?lang='],
    ['http://other.example:8080/any/where', 'http://other.example:8080/any/where?lang='],
    ['https://usual.example/in', 'https://usual.example/in?lang='],
    [undefined, 'https://usual.example/in?x=1&lang='],
  ])('can be %s', async (page, start) => {
    const [status, url] = await pageOf(page)
    expect([status, String(url).slice(0, start.length)]).toEqual([201, start])
  })

  it('can be the page of the node, even if another one is the default', async () => {
    const [status, url] = await pageOf(`${node().url}web/authorize`)
    expect([status, url]).toEqual([201, expect.stringContaining(`${node().url}web/authorize?lang=en&key=`)])
  })

  it('receive their parameters before a fragment', async () => {
    const [, url] = await pageOf('https://page.example/auth#/sign-in')
    expect(url).toMatch(/^https:\/\/page\.example\/auth\?lang=en&[^#]*#\/sign-in$/)
  })

  it.each([
    'https://evil.example/auth',
    'https://page.example.evil.example/auth',
    'https://page.example/authority',
    'https://page.example/',
    'https://page.example/AUTH',
    'http://page.example/auth',
    'https://page.example:444/auth',
    'http://other.example/',
    'https://user@page.example/auth',
    'https://user:secret@page.example/auth',
    'https://@page.example/auth',
    'https://page.example@evil.example/auth',
    'https://evil.example\\@page.example/auth',
    'https://page.example/auth/../admin',
    'https://page.example/auth/%2e%2e/admin',
    'https://page.example/auth/..%2fadmin',
    'https://page.example/auth/%5c..%5cadmin',
    ' https://page.example/auth',
    'https://page.example/auth\n',
    'javascript:alert(1)',
    'data:text/html,x',
    '//page.example/auth',
    '/auth',
    'not an address',
    '',
  ])('cannot be %j', async (page) => expect(await pageOf(page)).toEqual([400, 'invalid-parameters']))
})

describe('without trusted sign-in pages', () => {
  const node = withNode()

  it('the node names the setting when it refuses a page', async () => {
    const { status, body } = await askFor(node(), { authUrl: 'https://page.example/' })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { message: expect.stringMatching(/access\.trustedAuthUrls\. The setting is empty\./) as string } })
  })

  it('the node accepts its own page', async () => {
    expect((await askFor(node(), { authUrl: `${node().url}web/authorize` })).status).toBe(201)
  })
})

describe('limits of access requests', () => {
  const clock = fakeClock()
  const node = withNode({ 'access.maxLiveRequests': 4, 'access.maxLiveRequestsPerIp': 2, 'access.maxRequestBytes': 3000 }, { clock })
  const status = async (from?: string): Promise<number> => (await askFor(node(), {}, from)).status

  it('exist per client and in total, and the total displaces the oldest unopened request', async () => {
    const first = await askFor(node(), {}, '203.0.113.1')
    expect(await status('203.0.113.1')).toBe(201)
    const answer = await askFor(node(), {}, '203.0.113.1')
    expect(gist(answer)).toEqual([429, 'too-many-requests'])
    expect(answer.headers.get('retry-after')).toBe('60')
    expect(JSON.stringify(answer.body['error'])).not.toMatch(/[^6]\b[24]\b/)
    expect([await status('203.0.113.2'), await status(), await status('203.0.113.3')]).toEqual([201, 201, 201])
    expect(gist(await pollOf(node(), String(first.body['key'])))).toEqual([400, 'unknown-access-key'])
    clock.pass(3600)
    expect(await status('203.0.113.1')).toBe(201)
  })

  it('count a decided request until it expires and another request needs its place', async () => {
    clock.pass(3600)
    const from = '203.0.113.4'
    const refusal = { body: { status: 'REFUSED' } }
    const { body } = await askFor(node(), {}, from)
    expect([await status(from), await status(from)]).toEqual([201, 429])
    await request(`${node().url}reg/access/${String(body['key'])}`, refusal)
    expect(await status(from)).toBe(429)
    clock.pass(119)
    expect(await status(from)).toBe(429)
    clock.pass(1)
    // It stays available for its app until its place is needed.
    expect(gist(await pollOf(node(), String(body['key'])))).toEqual([403, 'REFUSED'])
    expect([await status(from), await status(from)]).toEqual([201, 429])
    expect(gist(await pollOf(node(), String(body['key'])))).toEqual([400, 'unknown-access-key'])
  })

  it('do not lock other clients out after many refusals, and never displace an opened request', async () => {
    clock.pass(3600)
    const attackers = ['198.51.100.1', '198.51.100.2']
    for (const from of [...attackers, ...attackers]) {
      const { body } = await askFor(node(), {}, from)
      await request(`${node().url}reg/access/${String(body['key'])}`, { body: { status: 'REFUSED' } })
    }
    const legitimate = await askFor(node(), {}, '203.0.113.5')
    expect(legitimate.status).toBe(201)
    const key = String(legitimate.body['key'])
    node().node.accessRequests.open(key)
    for (let n = 1; n < 100; n++) expect(await status(`198.51.100.${n}`)).toBe(201)
    expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
  })

  it('displace the requests of the client with the most requests first', async () => {
    clock.pass(3600)
    const legitimate = String((await askFor(node(), {}, '203.0.113.9')).body['key'])
    for (let n = 0; n < 20; n++) await status(`198.51.100.${n % 2}`)
    clock.pass(1)
    for (let n = 0; n < 3; n++) expect(await status()).toBe(201)
    expect(gist(await pollOf(node(), legitimate))).toEqual([201, 'NEED_SIGNIN'])
  })

  it('count an IPv6 network as one client', async () => {
    clock.pass(3600)
    expect([await status('2001:db8::1'), await status('2001:db8:0:ff::2'), await status('2001:db8::3')]).toEqual([201, 201, 429])
    expect(await status('2001:db8:0:100::1')).toBe(201)
    expect([await status('::ffff:203.0.113.8'), await status('203.0.113.8'), await status('::ffff:cb00:7108')]).toEqual([201, 201, 429])
  })

  it('apply to concurrent requests', async () => {
    clock.pass(3600)
    const all = await Promise.all(Array.from({ length: 50 }, () => status('203.0.113.7')))
    expect(all.filter((each) => each === 201)).toHaveLength(2)
    await Promise.all(Array.from({ length: 50 }, () => status()))
    expect(node().node.accessRequests.list()).toHaveLength(4)
  })

  it('include the size of a request', async () => {
    clock.pass(3600)
    expect(gist(await askFor(node(), { clientData: { a: 'x'.repeat(3000) } }))).toEqual([413, 'payload-too-large'])
    expect(await status()).toBe(201)
  })
})

describe('limits of access requests with access.terminalRetentionMs: 0', () => {
  const clock = fakeClock()
  const node = withNode({ 'access.maxLiveRequests': 4, 'access.maxLiveRequestsPerIp': 2, 'access.terminalRetentionMs': 0 }, { clock })
  const keyFrom = async (from: string): Promise<string> => String((await askFor(node(), {}, from)).body['key'])
  const refuse = (key: string): Promise<unknown> => request(`${node().url}reg/access/${key}`, { body: { status: 'REFUSED' } })
  const gists = (keys: readonly string[]): Promise<unknown[]> => Promise.all(keys.map(async (key) => gist(await pollOf(node(), key))[1]))

  it('count pending requests separately from decided requests', async () => {
    const clients = [1, 2, 3, 4].map((n) => `203.0.113.${n}`)
    const waiting = await Promise.all(clients.map(keyFrom))
    const decided: string[] = []
    for (const from of clients) {
      const key = await keyFrom(from)
      await refuse(key)
      decided.push(key)
      // The new request displaced a pending one, and freed its place when it was decided.
      waiting.push(await keyFrom(from))
    }
    expect(await gists(decided)).toEqual(Array(4).fill('REFUSED'))
    expect((await gists(waiting)).filter((status) => status === 'NEED_SIGNIN')).toHaveLength(4)
    expect(gist(await askFor(node(), {}, clients[0]))[0]).toBe(201)
  })

  it('let a client with many decided requests displace only its own, without delay', async () => {
    clock.pass(3600)
    const legitimate = await keyFrom('203.0.113.9')
    await refuse(legitimate)
    const keys: string[] = []
    for (let n = 0; n < 20; n++) {
      const key = await keyFrom('198.51.100.1')
      expect(key).toMatch(/^.{16}$/)
      await refuse(key)
      keys.push(key)
    }
    expect(await gists([legitimate, ...keys.slice(-2)])).toEqual(['REFUSED', 'REFUSED', 'REFUSED'])
    expect(await gists(keys.slice(0, -2))).toEqual(Array(18).fill('unknown-access-key'))
    expect(node().node.accessRequests.list()).toHaveLength(3)
  })

  it('apply to the decided requests of all clients together', async () => {
    clock.pass(3600)
    const legitimate = await keyFrom('203.0.113.9')
    await refuse(legitimate)
    for (let n = 1; n <= 3; n++) for (let turn = 0; turn < 2; turn++) await refuse(await keyFrom(`198.51.100.${n}`))
    expect(node().node.accessRequests.list()).toHaveLength(4)
    expect(await gists([legitimate])).toEqual(['REFUSED'])
  })
})

describe('without limits of access requests', () => {
  const node = withNode({ 'access.maxLiveRequests': 0, 'access.maxLiveRequestsPerIp': 0, 'access.maxRequestBytes': 0 })

  it('the node accepts many requests, and large ones', async () => {
    for (let n = 0; n < 60; n++) await keyOf(node(), { requestingAppId: APP })
    expect((await askFor(node(), {}, '203.0.113.1')).status).toBe(201)
    expect((await askFor(node(), { clientData: { a: 'x'.repeat(100_000) } })).status).toBe(201)
  })
})

describe('a request that was never opened', () => {
  const clock = fakeClock()
  const node = withNode({ 'access.unopenedRequestTtl': 600 }, { clock })

  it('expires after access.unopenedRequestTtl, and after one hour once it was polled', async () => {
    const [unopened, opened] = [await keyOf(node()), await keyOf(node())]
    await pollOf(node(), opened)
    clock.pass(600)
    expect(gist(await pollOf(node(), unopened))).toEqual([400, 'unknown-access-key'])
    clock.pass(2999)
    expect(gist(await pollOf(node(), opened))).toEqual([201, 'NEED_SIGNIN'])
    clock.pass(1)
    expect(gist(await pollOf(node(), opened))).toEqual([400, 'unknown-access-key'])
  })
})
