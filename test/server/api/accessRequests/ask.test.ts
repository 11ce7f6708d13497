/** What is refused of a request, and what is echoed: docs/interface/access-requests.md. */
import { describe, expect, it } from 'vitest'
import { APP, askFor, diary, gist, heart, keyOf, pollOf } from '../../../support/people/accessRequests.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { request } from '../../../support/nodes/node.js'
import { withNode } from '../../../support/nodes/started.js'

type Json = Record<string, unknown>
const feature = { feature: 'selfRevoke', setting: 'forbidden' }
const invite = { capabilityUrl: 'https://other.example/c?x=1' }

describe('asking', () => {
  const node = withNode()

  const refused: [name: string, body: Json, param: string][] = [
    ['no app id', { requestingAppId: undefined }, 'requestingAppId'],
    ['an empty app id', { requestingAppId: '' }, 'requestingAppId'],
    ['an app id of five characters', { requestingAppId: 'abcde' }, 'requestingAppId'],
    ['an app id that is no text', { requestingAppId: 123456 }, 'requestingAppId'],
    ['no permissions', { requestedPermissions: undefined }, 'requestedPermissions'],
    ['permissions that are no list', { requestedPermissions: {} }, 'requestedPermissions'],
    ['a permission that is no object', { requestedPermissions: ['heart'] }, 'requestedPermissions'],
    ['the level none', { requestedPermissions: [{ ...heart, level: 'none' }] }, 'requestedPermissions'],
    ['an unknown level', { requestedPermissions: [{ ...heart, level: 'own' }] }, 'requestedPermissions'],
    ['a stream that is no text', { requestedPermissions: [{ streamId: 5, level: 'read' }] }, 'requestedPermissions'],
    ['a permission on nothing', { requestedPermissions: [{ level: 'read' }] }, 'requestedPermissions'],
    ['a name that is no text', { requestedPermissions: [{ ...heart, defaultName: 5 }] }, 'requestedPermissions'],
    ['a feature without setting', { requestedPermissions: [{ feature: 'selfRevoke' }] }, 'requestedPermissions'],
    ['a language that is none', { languageCode: 'a b' }, 'languageCode'],
    ['a returnURL that is no text', { returnURL: 5 }, 'returnURL'],
    ...['javascript:alert(1)', ' JavaScript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', 'blob:https://app.example/1'].map(
      (returnURL): [string, Json, string] => [`the return address ${JSON.stringify(returnURL)}`, { returnURL }, 'returnURL'],
    ),
    ['a return address of an app that is not registered', { returnURL: 'com.example.diary://back' }, 'returnURL'],
    ['a return address that is none', { returnURL: '/web/access' }, 'returnURL'],
    ['a service info with an address that runs', { serviceInfo: { name: 'x', assets: { home: 'javascript:alert(1)' } } }, 'serviceInfo'],
    ['an oauthState that is no text', { oauthState: {} }, 'oauthState'],
    ['clientData that is no object', { clientData: 'x' }, 'clientData'],
    ['serviceInfo that is no object', { serviceInfo: [] }, 'serviceInfo'],
    ['a deviceName that is no text', { deviceName: 5 }, 'deviceName'],
    ['an expireAfter that is no number', { expireAfter: '60' }, 'expireAfter'],
    ['a negative expireAfter', { expireAfter: -1 }, 'expireAfter'],
    ['a token that is no text', { token: 5 }, 'token'],
    ['an empty token', { token: '' }, 'token'],
    ['an authUrl that is no text', { authUrl: 5 }, 'authUrl'],
    ['actAs that is no text', { actAs: true }, 'actAs'],
    ['actAs that is no username', { actAs: 'Not a name!' }, 'actAs'],
    ['actAsManagedOnly that is no boolean', { actAs: 'allow', actAsManagedOnly: 'true' }, 'actAsManagedOnly'],
    ['actAsManagedOnly with deny', { actAs: 'deny', actAsManagedOnly: true }, 'actAsManagedOnly'],
    ['another hand-off', { credentialHandoff: 'carrier-pigeon' }, 'credentialHandoff'],
    ['invitations that are no list', { cmcInvites: invite }, 'cmcInvites'],
    ['no invitation', { cmcInvites: [] }, 'cmcInvites'],
    ['nine invitations', { cmcInvites: Array(9).fill(invite) }, 'cmcInvites'],
    ['an invitation without address', { cmcInvites: [{}] }, 'cmcInvites'],
    ['an invitation by ftp', { cmcInvites: [{ capabilityUrl: 'ftp://x.example' }] }, 'cmcInvites'],
    ['an invitation with a space', { cmcInvites: [{ capabilityUrl: 'https://x.example/a b' }] }, 'cmcInvites'],
    ['a long invitation', { cmcInvites: [{ capabilityUrl: `https://x.example/${'a'.repeat(2048)}` }] }, 'cmcInvites'],
    ['an invitation for somebody', { cmcInvites: [{ ...invite, for: 'somebody' }] }, 'cmcInvites'],
    ['an invitation with more', { cmcInvites: [{ ...invite, more: 1 }] }, 'cmcInvites'],
    ['an empty accessName', { cmcInvites: [{ ...invite, accessName: '' }] }, 'cmcInvites'],
    ['mandatory that is no boolean', { cmcInvites: [{ ...invite, mandatory: 'yes' }] }, 'cmcInvites'],
    ['consent that is no object', { consent: [] }, 'consent'],
    ['consent for nothing', { requestedPermissions: [], consent: {} }, 'requestedPermissions'],
    ['a choice that is no boolean', { consent: { allowUserChoice: 'yes' } }, 'consent'],
    ['mandatory that is no list', { consent: { mandatory: 'heart' } }, 'consent'],
    ['optIn that is no list', { consent: { optIn: {} } }, 'consent'],
    ['an id that is no text', { consent: { optIn: [5] } }, 'consent'],
    ['an unknown id', { consent: { allowUserChoice: true, mandatory: ['other'] } }, 'consent'],
    ['an id of two entries', { requestedPermissions: [heart, { ...heart, level: 'manage' }], consent: { allowUserChoice: true, optIn: ['heart'] } }, 'consent'],
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

  const taken: [name: string, body: Json, echo: Json][] = [
    ['no permissions at all', { requestedPermissions: [] }, { requestedPermissions: [] }],
    ['nothing by null', { consent: null, actAs: null, credentialHandoff: null, clientData: null, deviceName: null, token: null, returnURL: null }, {}],
    ['no return address by false', { returnURL: false }, {}],
    ['a return address', { returnURL: 'HTTP://app.example:8080/back#' }, { returnURL: 'HTTP://app.example:8080/back#' }],
    ['a permission with more in it', { requestedPermissions: [{ ...heart, more: { a: 1 } }] }, { requestedPermissions: [{ ...heart, more: { a: 1 } }] }],
    ['all streams', { requestedPermissions: [{ streamId: '*', level: 'create-only' }] }, {}],
    ['features and tags', { requestedPermissions: [feature, { tag: 'x', level: 'read' }] }, {}],
    ['actAs', { actAs: 'deny' }, { actAs: 'deny' }],
    ['actAs with a name', { actAs: 'alice-2026', actAsManagedOnly: true }, { actAs: 'alice-2026', actAsManagedOnly: true }],
    ['actAsManagedOnly, whoever that is', { actAsManagedOnly: true }, { actAsManagedOnly: true }],
    ['actAsManagedOnly beside actAs by null', { actAs: null, actAsManagedOnly: true }, { actAsManagedOnly: true }],
    ['invitations, completed', { cmcInvites: [invite] }, { cmcInvites: [{ ...invite, mandatory: false, for: 'self' }] }],
    [
      'consent, resolved in the order of the request',
      { requestedPermissions: [heart, diary, feature], consent: { allowUserChoice: true, mandatory: ['selfRevoke'], optIn: ['heart'] } },
      {
        requestedPermissions: [heart, diary, feature],
        consent: { allowUserChoice: true, permissions: [{ ...heart, optIn: true }, diary, { ...feature, mandatory: true }] },
      },
    ],
    ['consent without choice', { consent: { mandatory: ['heart'] } }, { consent: { allowUserChoice: false, permissions: [{ ...heart, mandatory: true }] } }],
    [
      'consent without choice, whatever its lists name',
      { requestedPermissions: [heart, diary, { ...diary, level: 'manage' }], consent: { mandatory: ['other', 'heart', 'diary'], optIn: ['heart', 'more'], allowUserChoice: false } },
      { consent: { allowUserChoice: false, permissions: [{ ...heart, mandatory: true }, diary, { ...diary, level: 'manage' }] } },
    ],
    ['an empty consent', { consent: {} }, { consent: { allowUserChoice: false, permissions: [heart] } }],
    ['halves of characters', { requestingAppId: 'app \ud800 x', oauthState: '\udfff' }, { oauthState: '\udfff' }],
  ]
  it.each(taken)('takes %s', async (_, body, echo) => {
    const answer = await askFor(node(), body)
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject(echo)
    const { body: polled } = await pollOf(node(), String(answer.body['key']))
    expect(polled).toMatchObject(echo)
    for (const name of ['consent', 'actAs', 'actAsManagedOnly', 'credentialHandoff', 'cmcInvites', 'token', 'deviceName']) {
      if (!(name in echo) && body[name] == null) expect(answer.body).not.toHaveProperty(name)
    }
  })

  it('takes actAsManagedOnly: false as not sent', async () => {
    expect((await askFor(node(), { actAsManagedOnly: false })).body).not.toHaveProperty('actAsManagedOnly')
  })
})

describe('return addresses of apps', () => {
  const node = withNode({ 'access.returnSchemes': ['com.example.diary', 'diary'] })

  it.each(['com.example.diary:/back', 'COM.EXAMPLE.diary://back?x=1', 'diary://back', 'https://app.example/'])('may be %s', async (returnURL) => {
    const { status, body } = await askFor(node(), { returnURL })
    expect([status, body['returnURL']]).toEqual([201, returnURL])
  })

  it.each(['com.example.other:/back', 'javascript:alert(1)//diary:', 'diary'])('are not %s', async (returnURL) => {
    const { status, body } = await askFor(node(), { returnURL })
    expect([status, body['error']]).toMatchObject([400, { id: 'invalid-parameters', message: expect.stringContaining('com.example.diary:, diary:') as string }])
  })
})

describe('pages for signing in', () => {
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
  ])('may be %s', async (page, start) => {
    const [status, url] = await pageOf(page)
    expect([status, String(url).slice(0, start.length)]).toEqual([201, start])
  })

  it('may be our own, be it the usual one or not', async () => {
    const [status, url] = await pageOf(`${node().url}web/authorize`)
    expect([status, url]).toEqual([201, expect.stringContaining(`${node().url}web/authorize?lang=en&key=`)])
  })

  it('gets its parameters before a fragment', async () => {
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
  ])('are not %j', async (page) => expect(await pageOf(page)).toEqual([400, 'invalid-parameters']))
})

describe('where no page is trusted', () => {
  const node = withNode()

  it('says so', async () => {
    const { status, body } = await askFor(node(), { authUrl: 'https://page.example/' })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { message: expect.stringMatching(/access\.trustedAuthUrls\. The setting is empty\./) as string } })
  })

  it('still has its own page', async () => {
    expect((await askFor(node(), { authUrl: `${node().url}web/authorize` })).status).toBe(201)
  })
})

describe('ceilings', () => {
  const clock = fakeClock()
  const node = withNode({ 'access.maxLiveRequests': 4, 'access.maxLiveRequestsPerIp': 2, 'access.maxRequestBytes': 3000 }, { clock })
  const status = async (from?: string): Promise<number> => (await askFor(node(), {}, from)).status

  it('are one for each client, and one for all, where the oldest that nobody has opened gives way', async () => {
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

  it('count what is answered until it is gone, or its time is over and another needs its place', async () => {
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
    // Without need of its place it waits for its app.
    expect(gist(await pollOf(node(), String(body['key'])))).toEqual([403, 'REFUSED'])
    expect([await status(from), await status(from)]).toEqual([201, 429])
    expect(gist(await pollOf(node(), String(body['key'])))).toEqual([400, 'unknown-access-key'])
  })

  it('let nobody keep others out with what was refused, nor displace what a person has opened', async () => {
    clock.pass(3600)
    const attackers = ['198.51.100.1', '198.51.100.2']
    for (const from of [...attackers, ...attackers]) {
      const { body } = await askFor(node(), {}, from)
      await request(`${node().url}reg/access/${String(body['key'])}`, { body: { status: 'REFUSED' } })
    }
    const honest = await askFor(node(), {}, '203.0.113.5')
    expect(honest.status).toBe(201)
    const key = String(honest.body['key'])
    node().node.accessRequests.open(key)
    for (let n = 1; n < 100; n++) expect(await status(`198.51.100.${n}`)).toBe(201)
    expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
  })

  it('displace the requests of the client that has most of them first', async () => {
    clock.pass(3600)
    const honest = String((await askFor(node(), {}, '203.0.113.9')).body['key'])
    for (let n = 0; n < 20; n++) await status(`198.51.100.${n % 2}`)
    clock.pass(1)
    for (let n = 0; n < 3; n++) expect(await status()).toBe(201)
    expect(gist(await pollOf(node(), honest))).toEqual([201, 'NEED_SIGNIN'])
  })

  it('know one network of version 6 as one client', async () => {
    clock.pass(3600)
    expect([await status('2001:db8::1'), await status('2001:db8:0:ff::2'), await status('2001:db8::3')]).toEqual([201, 201, 429])
    expect(await status('2001:db8:0:100::1')).toBe(201)
    expect([await status('::ffff:203.0.113.8'), await status('203.0.113.8'), await status('::ffff:cb00:7108')]).toEqual([201, 201, 429])
  })

  it('hold for any number of simultaneous askers', async () => {
    clock.pass(3600)
    const all = await Promise.all(Array.from({ length: 50 }, () => status('203.0.113.7')))
    expect(all.filter((each) => each === 201)).toHaveLength(2)
    await Promise.all(Array.from({ length: 50 }, () => status()))
    expect(node().node.accessRequests.list()).toHaveLength(4)
  })

  it('are of size too', async () => {
    clock.pass(3600)
    expect(gist(await askFor(node(), { clientData: { a: 'x'.repeat(3000) } }))).toEqual([413, 'payload-too-large'])
    expect(await status()).toBe(201)
  })
})

describe('ceilings where answers keep for their hour', () => {
  const clock = fakeClock()
  const node = withNode({ 'access.maxLiveRequests': 4, 'access.maxLiveRequestsPerIp': 2, 'access.terminalRetentionMs': 0 }, { clock })
  const keyFrom = async (from: string): Promise<string> => String((await askFor(node(), {}, from)).body['key'])
  const refuse = (key: string): Promise<unknown> => request(`${node().url}reg/access/${key}`, { body: { status: 'REFUSED' } })
  const gists = (keys: readonly string[]): Promise<unknown[]> => Promise.all(keys.map(async (key) => gist(await pollOf(node(), key))[1]))

  it('count what waits apart from what is answered', async () => {
    const clients = [1, 2, 3, 4].map((n) => `203.0.113.${n}`)
    const waiting = await Promise.all(clients.map(keyFrom))
    const decided: string[] = []
    for (const from of clients) {
      const key = await keyFrom(from)
      await refuse(key)
      decided.push(key)
      // The new one took the place of one that waited, and has given it back.
      waiting.push(await keyFrom(from))
    }
    expect(await gists(decided)).toEqual(Array(4).fill('REFUSED'))
    expect((await gists(waiting)).filter((status) => status === 'NEED_SIGNIN')).toHaveLength(4)
    expect(gist(await askFor(node(), {}, clients[0]))[0]).toBe(201)
  })

  it('let a client that has all refused displace its own answers alone, and wait for none', async () => {
    clock.pass(3600)
    const honest = await keyFrom('203.0.113.9')
    await refuse(honest)
    const keys: string[] = []
    for (let n = 0; n < 20; n++) {
      const key = await keyFrom('198.51.100.1')
      expect(key).toMatch(/^.{16}$/)
      await refuse(key)
      keys.push(key)
    }
    expect(await gists([honest, ...keys.slice(-2)])).toEqual(['REFUSED', 'REFUSED', 'REFUSED'])
    expect(await gists(keys.slice(0, -2))).toEqual(Array(18).fill('unknown-access-key'))
    expect(node().node.accessRequests.list()).toHaveLength(3)
  })

  it('hold for the answers of all clients together', async () => {
    clock.pass(3600)
    const honest = await keyFrom('203.0.113.9')
    await refuse(honest)
    for (let n = 1; n <= 3; n++) for (let turn = 0; turn < 2; turn++) await refuse(await keyFrom(`198.51.100.${n}`))
    expect(node().node.accessRequests.list()).toHaveLength(4)
    expect(await gists([honest])).toEqual(['REFUSED'])
  })
})

describe('without ceilings', () => {
  const node = withNode({ 'access.maxLiveRequests': 0, 'access.maxLiveRequestsPerIp': 0, 'access.maxRequestBytes': 0 })

  it('takes many, and large ones', async () => {
    for (let n = 0; n < 60; n++) await keyOf(node(), { requestingAppId: APP })
    expect((await askFor(node(), {}, '203.0.113.1')).status).toBe(201)
    expect((await askFor(node(), { clientData: { a: 'x'.repeat(100_000) } })).status).toBe(201)
  })
})

describe('a request that nobody reads', () => {
  const clock = fakeClock()
  const node = withNode({ 'access.unopenedRequestTtl': 600 }, { clock })

  it('ends early where the settings say so, and lives its hour once it is read', async () => {
    const [unread, read] = [await keyOf(node()), await keyOf(node())]
    await pollOf(node(), read)
    clock.pass(600)
    expect(gist(await pollOf(node(), unread))).toEqual([400, 'unknown-access-key'])
    clock.pass(2999)
    expect(gist(await pollOf(node(), read))).toEqual([201, 'NEED_SIGNIN'])
    clock.pass(1)
    expect(gist(await pollOf(node(), read))).toEqual([400, 'unknown-access-key'])
  })
})
