/** Access requests answered on the consent page in a browser without scripts, and polled by the app. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accept, accessesOf, APP, askAccess, consenting, diary, mood, pollOf, refuse, weight } from '../../support/people/authorize.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { visitor } from '../../support/people/visitor.js'

const clock = fakeClock()
const names = ['alice', 'bobby', 'carol', 'diane', 'edgar', 'fiona', 'harry', 'irene'] as const
type Name = (typeof names)[number]
const tokens = new Map<Name, string>()
let node: TestNode
beforeAll(async () => {
  node = await startTestNode({ 'access.terminalRetentionMs': 0 }, { clock })
  for (const name of names) tokens.set(name, await registerUser(node, name))
})
afterAll(() => node.stop())

const accesses = (name: Name): ReturnType<typeof accessesOf> => accessesOf(node, name, tokens.get(name) ?? '')
const choice = { consent: { allowUserChoice: true, mandatory: ['diary'], optIn: ['mood'] }, requestedPermissions: [diary, weight, mood] }
const returning = { returnURL: 'https://app.example/#' }

describe('a person who accepts', () => {
  it('grants the selected permissions only', async () => {
    await request(`${node.url}alice/streams`, { token: tokens.get('alice') ?? '', body: { id: 'weight', name: 'Body weight' } })
    const accessRequest = await askAccess(node, choice)
    const browser = await consenting(node, 'alice', accessRequest)
    expect(browser.page.path).toBe(`/web/authorize?key=${accessRequest.key}&lang=en`)
    expect(browser.page.text).toContain(`${APP} asks for access to the account alice`)
    expect(browser.page.text).toContain('read “Journal”')
    const page = await browser.submit({ ...accept, grant: ['diary'] })
    expect([page.status, page.path]).toEqual([200, expect.stringMatching(`^/web/done\\?key=${accessRequest.key}&lang=en&go=`)])
    expect(page.text).toContain('The app now has access to the account alice. What it may do read “Journal” You can revoke it')
    expect(page.html).toContain('href="/web/access?lang=en"')
    expect(page.html).toContain('data-close')
    const { status, body } = await pollOf(accessRequest)
    expect([status, body['status'], body['username']]).toEqual([200, 'ACCEPTED', 'alice'])
    const token = String(body['token'])
    expect(page.html + page.path).not.toContain(token)
    const read = await request(`${node.url}alice/events?streams=diary`, { token })
    expect([read.status, read.body['events']]).toEqual([200, []])
    const wrote = await request(`${node.url}alice/events`, { token, body: { streamIds: ['diary'], type: 'note/txt', content: 'x' } })
    const other = await request(`${node.url}alice/events?streams=weight`, { token })
    expect([wrote.status, other.status]).toEqual([403, 403])
    expect(await accesses('alice')).toMatchObject([
      { name: APP, type: 'app', permissions: [{ streamId: 'diary', level: 'read' }] },
    ])
  })

  it('may submit again, go back and reload without effect', async () => {
    const accessRequest = await askAccess(node)
    const browser = await consenting(node, 'bobby', accessRequest)
    const consent = browser.page
    const done = await browser.submit(accept)
    for (let again = 0; again < 3; again++) {
      browser.page = consent
      expect((await browser.submit(accept)).path).toBe(done.path)
    }
    expect((await browser.open(accessRequest.authUrl)).text).toContain('The app now has access to the account bobby.')
    expect((await browser.open(browser.page.path)).status).toBe(200)
    // The decision is final.
    browser.page = consent
    expect((await browser.submit(refuse)).text).toContain('Access given')
    expect((await pollOf(accessRequest)).body['status']).toBe('ACCEPTED')
    expect(await accesses('bobby')).toHaveLength(1)
  })

  it('may submit 50 times concurrently, which creates one access', async () => {
    const accessRequest = await askAccess(node)
    const first = await consenting(node, 'carol', accessRequest)
    const pages = await Promise.all(
      Array.from({ length: 50 }, () => {
        const browser = visitor(node)
        for (const [name, value] of first.cookies) browser.cookies.set(name, value)
        browser.page = first.page
        return browser.submit(accept)
      }),
    )
    expect(new Set(pages.map(({ status, text }) => `${status} ${text.includes('Access given')}`))).toEqual(new Set(['200 true']))
    expect(await accesses('carol')).toHaveLength(1)
    expect((await pollOf(accessRequest)).status).toBe(200)
  })

  it('grants all permissions if the app allows no choice', async () => {
    const accessRequest = await askAccess(node)
    const browser = await consenting(node, 'diane', accessRequest)
    expect(browser.page.html).not.toContain('type="checkbox"')
    await browser.submit({ ...accept, grant: ['diary'] })
    expect((await accesses('diane'))[0]?.permissions).toEqual([
      { streamId: 'diary', level: 'read' },
      { streamId: 'weight', level: 'contribute' },
    ])
  })

  it('grants the requested client data, lifetime, device and token', async () => {
    const more = { clientData: { a: 'b' }, expireAfter: 30 * 86_400, deviceName: 'Phone "2"', token: 'chosen-token-1' }
    const accessRequest = await askAccess(node, more)
    const browser = await consenting(node, 'edgar', accessRequest)
    expect(browser.page.text).toContain('For the device: Phone "2".')
    expect(browser.page.text).toContain('30 days')
    expect(browser.page.html).not.toContain('chosen-token-1')
    await browser.submit(accept)
    const { body } = await pollOf(accessRequest)
    expect(body['token']).toBe('chosen-token-1')
    expect(await accesses('edgar')).toMatchObject([
      { token: 'chosen-token-1', clientData: { a: 'b' }, deviceName: 'Phone "2"', expires: clock.now() + 30 * 86_400 },
    ])
  })

  it('replaces a previous access of the app, as announced on the page', async () => {
    const first = await askAccess(node, { requestedPermissions: [diary] })
    await (await consenting(node, 'fiona', first)).submit(accept)
    const old = String((await pollOf(first)).body['token'])
    const second = await askAccess(node)
    const browser = await consenting(node, 'fiona', second)
    expect(browser.page.text).toContain('It ends when you accept')
    await browser.submit(accept)
    const token = String((await pollOf(second)).body['token'])
    expect((await request(`${node.url}fiona/access-info`, { token })).status).toBe(200)
    expect((await request(`${node.url}fiona/access-info`, { token: old })).status).toBe(403)
    expect(await accesses('fiona')).toHaveLength(1)

    // A matching access is reused, but only after the person accepts.
    const third = await askAccess(node)
    const again = await consenting(node, 'fiona', third)
    expect(again.page.text).toContain('has this access already')
    expect((await pollOf(third)).status).toBe(201)
    await again.submit(accept)
    expect((await pollOf(third)).body['token']).toBe(token)
    expect(await accesses('fiona')).toHaveLength(1)
  })
})

describe('a person who returns', () => {
  it('sees that an answered request has expired', async () => {
    const accessRequest = await askAccess(node, { requestingAppId: 'over-app' })
    const browser = await consenting(node, 'irene', accessRequest)
    const done = await browser.submit(accept)
    clock.pass(3601)
    const page = await browser.open(done.path)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('This request has expired')])
    expect((await browser.open(done.path.replace(/go=./, 'go='))).status).toBe(400)
  })

  it('is redirected to the app with its OAuth state', async () => {
    const accessRequest = await askAccess(node, { requestingAppId: 'oauth-app', returnURL: 'https://app.example/cb?a=b', oauthState: 's&1' })
    const page = await (await consenting(node, 'irene', accessRequest)).submit(accept)
    const back = `https://app.example/cb?a=b&amp;state=s%261&amp;code=${accessRequest.key}&amp;poll=${encodeURIComponent(accessRequest.poll)}`
    expect(page.html).toContain(`<meta http-equiv="refresh" content="0; url=${back}"/>`)
    expect(page.html).toContain(`href="${back}"`)
    expect(page.html).not.toContain('data-close')
  })

  it.each([
    ['fr', 'oauth-app demande l’accès au compte irene', 'lire « Journal »', 'Accès refusé'],
    ['de', 'oauth-app bittet um Zugriff auf das Konto irene', '„Journal“ lesen', 'Zugriff abgelehnt'],
  ])('sees the page in %s if the app requests it', async (languageCode, title, row, refused) => {
    const accessRequest = await askAccess(node, { requestingAppId: 'oauth-app', languageCode })
    const browser = await consenting(node, 'irene', accessRequest)
    expect(browser.page.html).toContain(`<html lang="${languageCode}">`)
    expect([browser.page.text, browser.page.text]).toEqual([expect.stringContaining(title), expect.stringContaining(row)])
    expect((await browser.submit(refuse)).text).toContain(refused)
  })
})

describe('a person who refuses', () => {
  it('creates no access, and the app receives the refusal', async () => {
    const accessRequest = await askAccess(node, returning)
    const browser = await consenting(node, 'harry', accessRequest)
    const page = await browser.submit(refuse)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Access refused')])
    const { status, body } = await pollOf(accessRequest)
    expect([status, body['status'], body['reasonId']]).toEqual([403, 'REFUSED', 'USER_DENIED'])
    expect(await accesses('harry')).toEqual([])
    const poll = encodeURIComponent(accessRequest.poll)
    const back = `https://app.example/#prYvpoll=${poll}&amp;prYvkey=${accessRequest.key}&amp;prYvstatus=REFUSED`
    expect(page.html).toContain(`<meta http-equiv="refresh" content="0; url=${back}"/>`)
    expect(page.html).toMatch(/<a [^>]*data-go/)
    // A later visit does not redirect.
    expect((await browser.open(accessRequest.authUrl)).html).not.toMatch(/http-equiv="refresh"|data-go/)
  })
})

describe('a choice of permissions', () => {
  const ticks = (html: string): string[] =>
    [...html.matchAll(/<input type="checkbox" name="grant" value="(\w+)"([^>]*)>/g)].map(
      ([, id, more = '']) => `${id}${more.includes('checked') ? ' on' : ''}${more.includes('disabled') ? ' locked' : ''}`,
    )

  it('has locked, selected and unselected entries as the app requests', async () => {
    const browser = await consenting(node, 'harry', await askAccess(node, choice))
    expect(ticks(browser.page.html)).toEqual(['diary on locked', 'weight on', 'mood'])
    expect(browser.page.text).toContain('required')
  })

  it('without a required entry is refused and preserved', async () => {
    const accessRequest = await askAccess(node, choice)
    const browser = await consenting(node, 'harry', accessRequest)
    const page = await browser.submit({ ...accept, grant: ['mood'] })
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('An entry that the app requires is not selected.')])
    expect(ticks(page.html)).toEqual(['diary on locked', 'weight', 'mood on'])
    expect((await pollOf(accessRequest)).status).toBe(201)
    await browser.submit(accept)
    expect((await accesses('harry'))[0]?.permissions).toEqual([
      { streamId: 'diary', level: 'read' },
      { streamId: 'mood', level: 'manage' },
    ])
  })

  it('of no entry is refused', async () => {
    const accessRequest = await askAccess(node, { ...choice, requestingAppId: 'another-app', consent: { allowUserChoice: true } })
    const browser = await consenting(node, 'harry', accessRequest)
    const page = await browser.submit({ ...accept, grant: null })
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('Nothing is selected.')])
    expect(ticks(page.html)).toEqual(['diary', 'weight', 'mood'])
    expect(page.html).toMatch(/role="alert"/)
  })

  it.each([[['diary', 'all-of-it']], [['diary', '*']], [['diary', '__proto__']]])('of the unknown entry %j is refused', async (grant) => {
    const accessRequest = await askAccess(node, { ...choice, requestingAppId: 'another-app' })
    const browser = await consenting(node, 'harry', accessRequest)
    const page = await browser.submit({ ...accept, grant })
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('Please check again.')])
    expect((await pollOf(accessRequest)).status).toBe(201)
  })
})

describe('an expired request', () => {
  it('explains how to start over', async () => {
    const accessRequest = await askAccess(node, returning)
    const browser = await consenting(node, 'harry', accessRequest)
    const consent = browser.page
    clock.pass(3601)
    const page = await browser.submit(accept)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('This request has expired')])
    expect(page.html).toContain('href="https://app.example/#"')
    expect(page.html).not.toMatch(/http-equiv="refresh"|data-go/)
    expect((await browser.open(accessRequest.authUrl)).status).toBe(400)
    browser.page = consent
    expect((await browser.submit({ ...accept, back: 'https://evil.example/' })).html).not.toContain('evil')
  })
})
