/** Attacks of apps, links and other browsers on the consent page. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accept, accessesOf, askAccess, consenting, diary, pollOf, refuse, weight, type Asked } from '../../support/people/authorize.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { visitor, type Visitor } from '../../support/people/visitor.js'

let node: TestNode
const tokens = new Map<string, string>()
beforeAll(async () => {
  node = await startTestNode({
    'access.terminalRetentionMs': 0,
    appList: { 'known-app': { displayName: { en: 'My Diary', fr: 'Mon journal' }, iconURL: 'data:image/png;base64,iVBORw0KGgo=' } },
  })
  for (const name of ['alice', 'bobby']) tokens.set(name, await registerUser(node, name))
})
afterAll(() => node.stop())

const accessesByName = (name: string): ReturnType<typeof accessesOf> => accessesOf(node, name, tokens.get(name) ?? '')
const statusOf = async (accessRequest: Asked): Promise<unknown> => (await pollOf(accessRequest)).body['status']

/** Opens a request in a browser that is signed in. */
async function on(browser: Visitor, accessRequest: Asked): Promise<Visitor> {
  await browser.open(accessRequest.authUrl)
  return browser
}

describe('names that an app chooses', () => {
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202egnp.exe\u0000'
  const long = 'very long name '.repeat(300)

  it.each([
    ['an app id', { requestingAppId: evil }],
    ['a stream name', { requestedPermissions: [{ ...diary, defaultName: evil }] }],
    ['a stream id', { requestedPermissions: [{ ...diary, streamId: evil }] }],
    ['a tag', { requestedPermissions: [{ tag: evil, level: 'read' }] }],
    ['a feature', { requestedPermissions: [diary, { feature: 'forcedStreams', setting: 'forbidden', streams: [evil] }] }],
    ['a device', { deviceName: evil }],
    ['a message', { clientData: { 'app-web-auth:description': { type: 'note/txt', content: evil } } }],
    ['a return address', { returnURL: `https://app.example/${evil}#` }],
    ['a state', { returnURL: 'https://app.example/#', oauthState: evil }],
  ])('are escaped: %s', async (_, more) => {
    const accessRequest = await askAccess(node, more)
    const browser = await consenting(node, 'alice', accessRequest)
    const { html } = await browser.submit(refuse)
    await browser.open('/web/overview')
    for (const page of [html, (await on(browser, await askAccess(node, more))).page.html]) {
      expect(page).toContain('</main>')
      expect(page).not.toMatch(/<script>|<img|onerror=alert\(1\)>|\u202e|\0/)
    }
  })

  it.each([
    ['an app id', { requestingAppId: long }],
    ['a stream name', { requestedPermissions: [{ ...diary, defaultName: long }] }],
    ['a message', { clientData: { 'app-web-auth:description': { type: 'note/txt', content: long } } }],
    ['many permissions', { requestedPermissions: Array.from({ length: 150 }, (_, n) => ({ ...diary, streamId: `s${n}`, defaultName: `S ${n}` })) }],
  ])('may be long: %s', async (_, more) => {
    const accessRequest = await askAccess(node, more)
    const browser = await consenting(node, 'alice', accessRequest)
    expect(browser.page.status).toBe(200)
    expect(browser.page.html.length).toBeLessThan(60 * 1024)
    expect((await browser.submit(refuse)).text).toContain('Access refused')
  })

  it('are distinguished from those of the app directory, which are shown as verified', async () => {
    const known = await consenting(node, 'alice', await askAccess(node, { requestingAppId: 'known-app' }))
    expect(known.page.text).toContain('My Diary')
    expect(known.page.text).toContain('lists this app, under the id known-app')
    expect(known.page.html).toContain('<img src="/web/icons/known-app" alt=""')
    const other = await on(known, await askAccess(node, { requestingAppId: 'My Diary' }))
    expect(other.page.text).toContain('which is not verified')
    expect(other.page.html).not.toContain('<img')
    const invisible = await on(known, await askAccess(node, { requestingAppId: '\u200b\u200b\u200b\u200b\u200b\u200b' }))
    expect(invisible.page.text).toContain('\ufffd asks for access')
  })
})

describe('a link to the page', () => {
  it('is read for its key and language only', async () => {
    const accessRequest = await askAccess(node, { requestedPermissions: [diary] })
    const lies = 'requestingAppId=Trusted&returnURL=https://evil.example/&poll=https://evil.example/&oauthState=x&lang=de'
    const browser = await consenting(node, 'alice', { ...accessRequest, authUrl: `${node.url}web/authorize?key=${accessRequest.key}&${lies}` })
    expect(browser.page.html).not.toMatch(/Trusted|evil/)
    expect(browser.page.text).toContain('bittet um Zugriff auf das Konto alice')
    expect((await browser.submit(refuse)).html).not.toMatch(/Trusted|evil/)
  })

  it.each(['', '?key=', '?key=abcdefgh12345678', '?key=../../x', '?key[]=x', `?key=${'x'.repeat(9999)}`])(
    'without a request explains how to start over: %j',
    async (query) => {
      const page = await visitor(node).open(`/web/authorize${query}`)
      expect([page.status, page.text]).toEqual([400, expect.stringContaining('To start over, go back to the app')])
    },
  )

  it('grants nothing without a click, even to an app that has the same access', async () => {
    const first = await askAccess(node, { requestingAppId: 'eager-app' })
    const browser = await consenting(node, 'alice', first)
    await browser.submit(accept)
    const second = await askAccess(node, { requestingAppId: 'eager-app', returnURL: 'https://evil.example/' })
    await on(browser, second)
    expect(await statusOf(second)).toBe('NEED_SIGNIN')
    expect(browser.page.html).not.toMatch(/http-equiv="refresh"|data-go/)
  })
})

describe('a form', () => {
  it('cannot answer another request', async () => {
    const first = await askAccess(node, { requestedPermissions: [diary], requestingAppId: 'form-app' })
    const second = await askAccess(node, { requestedPermissions: [diary, weight], requestingAppId: 'form-app' })
    const browser = await consenting(node, 'alice', first)
    browser.page = { ...browser.page, html: browser.page.html.replaceAll(first.key, second.key) }
    const page = await browser.submit(accept)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('Please check again.')])
    expect([await statusOf(first), await statusOf(second)]).toEqual(['NEED_SIGNIN', 'NEED_SIGNIN'])
  })

  it.each([{ shown: null }, { shown: 'x' }, { shown: '' }, { do: 'refuse', shown: null }, { do: 'leave', shown: null }, { do: null }])(
    'without its hidden fields is refused: %j',
    async (fields) => {
      const accessRequest = await askAccess(node)
      const browser = await consenting(node, 'alice', accessRequest)
      expect((await browser.submit({ ...accept, ...fields })).status).toBe(400)
      expect(await statusOf(accessRequest)).toBe('NEED_SIGNIN')
    },
  )

  it('is shown again if the offer has changed', async () => {
    const accessRequest = await askAccess(node, { requestingAppId: 'slow-app', requestedPermissions: [{ ...diary, streamId: 'plans', defaultName: 'Plans' }] })
    const browser = await consenting(node, 'alice', accessRequest)
    await request(`${node.url}alice/streams`, { token: tokens.get('alice') ?? '', body: { id: 'plans', name: 'Secret plans' } })
    const page = await browser.submit(accept)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('read “Secret plans”')])
    expect((await browser.submit(accept)).text).toContain('Access given')
  })

  it('is refused in another browser', async () => {
    const accessRequest = await askAccess(node)
    const mine = await consenting(node, 'alice', accessRequest)
    const other = await consenting(node, 'bobby', accessRequest)
    other.page = mine.page
    expect((await other.submit(accept)).status).toBe(403)
    expect(await statusOf(accessRequest)).toBe('NEED_SIGNIN')
  })

  it('grants nothing of another account that has signed in since', async () => {
    const accessRequest = await askAccess(node)
    const browser = await consenting(node, 'alice', accessRequest)
    const shown = browser.page
    await browser.submit({ do: 'leave' }, 1)
    await browser.submit({ name: 'bobby', password: 'correct horse' })
    expect(browser.page.text).toContain('asks for access to the account bobby')
    browser.page = shown
    const page = await browser.submit(accept)
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('has expired')])
    expect(page.text).toContain('account bobby')
    expect(await accessesByName('bobby')).toEqual([])
    await browser.submit(accept)
    expect((await pollOf(accessRequest)).body['username']).toBe('bobby')
  })

  it('of an expired session redirects to the sign-in page, and back', async () => {
    const accessRequest = await askAccess(node)
    const browser = await consenting(node, 'alice', accessRequest)
    for (const name of [...browser.cookies.keys()].filter((key) => key.endsWith('_session'))) browser.cookies.delete(name)
    expect((await browser.submit(accept)).path).toBe(`/web/sign-in?key=${accessRequest.key}&lang=en`)
    await browser.submit({ name: 'alice', password: 'correct horse' })
    expect(browser.page.text).toContain('asks for access to the account alice')
  })
})

describe('another person', () => {
  it('sees neither account nor permissions of an answered request, and cannot answer it again', async () => {
    // The app chooses the token, so both accounts have the same one.
    const app = { requestingAppId: 'private-app', token: 'private-token' }
    const accessRequest = await askAccess(node, { ...app, requestedPermissions: [{ ...diary, streamId: 'hidden', defaultName: 'Hidden' }] })
    const other = await consenting(node, 'bobby', await askAccess(node, { ...app, requestedPermissions: [weight] }))
    await other.submit(accept)
    const theirs = (await on(other, accessRequest)).page
    await (await consenting(node, 'alice', accessRequest)).submit(accept)
    for (const does of [accept, refuse, undefined]) {
      other.page = theirs
      const page = does === undefined ? await other.open(accessRequest.authUrl) : await other.submit(does)
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('This request has already been answered.')])
      expect(page.text).not.toMatch(/alice|Hidden/)
    }
    expect((await pollOf(accessRequest)).body['username']).toBe('alice')
    expect((await accessesByName('bobby')).filter(({ name }) => name === 'private-app')).toMatchObject([{ permissions: [{ streamId: 'weight' }] }])
  })

  it('who answers for an account cannot make its page show an access', async () => {
    const honest = await askAccess(node, { requestingAppId: 'liars-app' })
    const browser = await consenting(node, 'alice', honest)
    await browser.submit(accept)
    const accessRequest = await askAccess(node, { requestingAppId: 'liars-app' })
    await request(accessRequest.poll, { body: { status: 'ACCEPTED', username: 'alice', token: 'x', apiEndpoint: node.url } })
    expect((await on(browser, accessRequest)).page.text).toContain('This request has already been answered.')
  })
})

describe('concurrent answers', () => {
  it('have one outcome, which the page shows, and an access only if it is accepted', async () => {
    const askAll = Array.from({ length: 15 }, (_, n) => askAccess(node, { requestingAppId: `race-app-${n}` }))
    const all = await Promise.all(askAll)
    const first = await consenting(node, 'alice', all[0] ?? (await askAccess(node)))
    const refusal = { status: 'REFUSED', reasonId: 'X', message: 'y' }
    await Promise.all(
      all.map(async (accessRequest, n) => {
        const browser = visitor(node)
        for (const [name, value] of first.cookies) browser.cookies.set(name, value)
        await on(browser, accessRequest)
        // The delay of the other answer grows with each request.
        const elsewhere = new Promise((resolve) => setTimeout(resolve, n)).then(() => request(accessRequest.poll, { body: refusal }))
        const [page] = await Promise.all([browser.submit(accept), elsewhere])
        const outcome = await statusOf(accessRequest)
        const created = (await accessesByName('alice')).filter(({ name }) => name === `race-app-${n}`)
        const isGiven = outcome === 'ACCEPTED'
        expect([page.status, page.text.includes('Access given'), created.length]).toEqual([200, isGiven, isGiven ? 1 : 0])
      }),
    )
  })
})

describe('a request that cannot be granted', () => {
  it.each([
    ['a mandatory invitation', { cmcInvites: [{ capabilityUrl: 'https://a.example/x', mandatory: true }] }, 'MANDATORY_CONSENT_FAILED'],
    ['an impossible permission', { requestedPermissions: [{ streamId: ':system:email', level: 'manage' }] }, 'IMPOSSIBLE_PERMISSIONS'],
  ])('can only be refused: %s', async (_, more, reasonId) => {
    const accessRequest = await askAccess(node, more)
    const browser = await consenting(node, 'alice', accessRequest)
    expect(browser.page.html).not.toContain('value="accept"')
    expect(browser.page.text).toContain('You can only refuse.')
    expect((await browser.submit(accept)).status).toBe(400)
    expect(await statusOf(accessRequest)).toBe('NEED_SIGNIN')
    await browser.submit(refuse)
    expect((await pollOf(accessRequest)).body).toMatchObject({ status: 'REFUSED', reasonId })
  })

  it('with a token in use fails when it is accepted', async () => {
    const first = await askAccess(node, { token: 'same-token' })
    const browser = await consenting(node, 'alice', first)
    await browser.submit(accept)
    const second = await askAccess(node, { token: 'same-token', requestingAppId: 'second-app' })
    await on(browser, second)
    const page = await browser.submit(accept)
    expect([page.status, page.text]).toEqual([409, expect.stringContaining('This access cannot be granted as requested.')])
    expect(page.text).not.toContain('same-token')
    expect(await statusOf(second)).toBe('NEED_SIGNIN')
  })
})
