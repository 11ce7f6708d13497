/** Choice of the account that answers an access request: the own or a managed one, in a browser without scripts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accept, accessesOf, APP, askAccess, consenting, pollOf, refuse, type Asked } from '../../support/people/authorize.js'
import { attach, delegateToken, detach, inviteDelegate, type Person } from '../../support/people/delegations.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { visitor } from '../../support/people/visitor.js'

const names = ['alice', 'bobby', 'carol', 'diane', 'edgar', 'fiona', 'harry'] as const
type Name = (typeof names)[number]
const people = new Map<string, Person>()
const person = (name: Name): Person => people.get(name) ?? { username: name, token: '' }
let node: TestNode
beforeAll(async () => {
  node = await startTestNode({ 'access.terminalRetentionMs': 0 })
  for (const username of names) people.set(username, { username, token: await registerUser(node, username) })
  // alice manages bobby and carol, and is invited to manage diane; edgar manages no account.
  for (const name of ['carol', 'bobby'] as const) await attach(node, person(name), person('alice'))
  await inviteDelegate(node, person('diane'), person('alice'))
})
afterAll(() => node.stop())

const choose = (username: string): Record<string, string> => ({ do: 'choose', for: username })
const statusOf = async (accessRequest: Asked): Promise<unknown> => (await pollOf(accessRequest)).body['status']
const infoOf = async (username: string, token: string): Promise<Record<string, unknown>> =>
  (await request(`${node.url}${username}/access-info`, { token })).body
const hintFor = (controlledUsername: string, username: string): unknown => ({
  isDelegatedAccess: true,
  controlledUsername,
  delegate: expect.objectContaining({ username }) as unknown,
})

describe('a person who manages accounts', () => {
  it('is asked to choose an account, without a default', async () => {
    const browser = await consenting(node, 'alice', await askAccess(node))
    expect(browser.page.path).toMatch(/^\/web\/act-for\?key=/)
    expect(browser.page.text).toMatch(/Who is this for\?.*alice me bobby an account that you manage carol an account that you manage/)
    expect(browser.page.text).toMatch(/Not available diane invited you to manage this account/)
    expect(browser.page.html).not.toMatch(/type="radio"[^>]*checked/)
    expect(browser.page.html).not.toMatch(/value="diane"/)
  })

  it('grants an app access to the chosen account, as its delegate', async () => {
    const accessRequest = await askAccess(node, { clientData: { a: 'b' }, deviceName: 'Phone' })
    const browser = await consenting(node, 'alice', accessRequest)
    await browser.submit(choose('bobby'))
    expect(browser.page.text).toContain(`${APP} asks for access to the account bobby`)
    expect(browser.page.text).toContain('You are answering for the account bobby, which you manage.')
    expect(browser.page.text).toContain('alice')
    const page = await browser.submit(accept)
    expect(page.text).toContain('The app now has access to the account bobby.')
    expect(page.text).toContain('read “Journal”')
    const { body } = await pollOf(accessRequest)
    expect(body).toMatchObject({ status: 'ACCEPTED', username: 'bobby', delegation: hintFor('bobby', 'alice') })
    const token = String(body['token'])
    expect(body['apiEndpoint']).toBe(`${node.url.replace('//', `//${token}@`)}bobby/`)
    expect(await infoOf('bobby', token)).toMatchObject({
      type: 'app',
      user: { username: 'bobby' },
      delegation: { isDelegatedAccess: true, controlledUsername: 'bobby', delegate: { username: 'alice' }, grantedVia: 'app' },
    })
    expect(await accessesOf(node, 'alice', person('alice').token)).not.toContainEqual(expect.objectContaining({ name: APP }))
    // The page can be opened again, and there is one access only.
    expect((await browser.open(accessRequest.authUrl)).text).toContain('The app now has access to the account bobby.')
    const apps = (await accessesOf(node, 'bobby', person('bobby').token)).filter(({ name }) => name === APP)
    expect(apps).toHaveLength(1)
  })

  it('grants access to the own account without a hint of delegation', async () => {
    const accessRequest = await askAccess(node)
    const browser = await consenting(node, 'alice', accessRequest)
    await browser.submit(choose('alice'))
    expect(browser.page.text).toContain(`${APP} asks for access to the account alice`)
    expect(browser.page.text).not.toContain('You are answering for')
    await browser.submit(accept)
    const { body } = await pollOf(accessRequest)
    expect([body['username'], body]).toEqual(['alice', expect.not.objectContaining({ delegation: expect.anything() as unknown })])
    expect(await infoOf('alice', String(body['token']))).not.toHaveProperty('delegation')
  })

  it('may change the choice; a form for the previously chosen account has no effect', async () => {
    const accessRequest = await askAccess(node, { requestingAppId: 'second-thoughts' })
    const browser = await consenting(node, 'alice', accessRequest)
    await browser.submit(choose('bobby'))
    const forBobby = browser.page
    expect(forBobby.html).toContain('href="/web/act-for?')
    await browser.open(`/web/act-for?key=${accessRequest.key}`)
    expect(browser.page.html).toMatch(/value="bobby"[^>]*checked/)
    await browser.submit(choose('carol'))
    expect(browser.page.text).toContain('to the account carol')
    browser.page = forBobby
    const again = await browser.submit(accept)
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('Something has changed')])
    expect(again.text).toContain('to the account carol')
    expect(await statusOf(accessRequest)).toBe('NEED_SIGNIN')
    await browser.submit(accept)
    expect((await pollOf(accessRequest)).body).toMatchObject({ username: 'carol', delegation: hintFor('carol', 'alice') })
  })

  it('may refuse for a chosen account, and without choosing', async () => {
    const first = await askAccess(node)
    const browser = await consenting(node, 'alice', first)
    expect((await browser.submit(refuse)).text).toContain('Access refused')
    const second = await askAccess(node)
    await browser.open(second.authUrl)
    await browser.submit(choose('bobby'))
    await browser.submit(refuse)
    for (const accessRequest of [first, second]) expect((await pollOf(accessRequest)).body).toMatchObject({ status: 'REFUSED', reasonId: 'USER_DENIED' })
  })

  it.each([
    ['no account', {}],
    ['an account of another person', { for: 'edgar' }],
    ['an unknown account', { for: 'nobody-here' }],
    ['an account with a pending invitation', { for: 'diane' }],
    ['markup', { for: '"><script>' }],
  ])('is asked again after choosing %s', async (_, sent) => {
    const accessRequest = await askAccess(node)
    const browser = await consenting(node, 'alice', accessRequest)
    const page = await browser.submit({ do: 'choose', for: null, ...sent })
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('Choose an account.')])
    expect(page.html).not.toContain('<script>')
    expect((await browser.open(`/web/authorize?key=${accessRequest.key}`)).path).toContain('/web/act-for')
  })

  it('is asked again for each request, and after signing in as another person', async () => {
    const browser = await consenting(node, 'alice', await askAccess(node))
    await browser.submit(choose('bobby'))
    const consent = browser.page
    await browser.open((await askAccess(node)).authUrl)
    expect(browser.page.path).toContain('/web/act-for')
    browser.page = consent
    await browser.submit({ do: 'leave' }, 1)
    expect(browser.page.path).toContain('/web/sign-in')
    await browser.submit({ name: 'edgar', password: 'correct horse' })
    expect(browser.page.text).toContain('asks for access to the account edgar')
  })
})

describe('the parameter actAs of an app', () => {
  it('deny: skips the choice', async () => {
    const accessRequest = await askAccess(node, { actAs: 'deny' })
    const browser = await consenting(node, 'alice', accessRequest)
    expect(browser.page.text).toContain('to the account alice')
    expect(browser.page.html).not.toContain('act-for')
    expect((await browser.open(`/web/act-for?key=${accessRequest.key}`)).path).toContain('/web/authorize')
  })

  it('a managed account: preselects it', async () => {
    const browser = await consenting(node, 'alice', await askAccess(node, { actAs: 'carol' }))
    expect(browser.page.html).toMatch(/value="carol"[^>]*checked/)
    expect(browser.page.html.match(/type="radio"[^>]*checked/g)).toHaveLength(1)
  })

  it.each([
    ['of another person', 'alice', 'edgar'],
    ['that is unknown', 'alice', 'nobody-here'],
    ['with a pending invitation', 'alice', 'diane'],
    ['for a person who manages none', 'edgar', 'alice'],
  ])('an account %s: allows only to refuse', async (_, who, actAs) => {
    const accessRequest = await askAccess(node, { actAs })
    const browser = await consenting(node, who, accessRequest)
    expect(browser.page.text).toContain(`wants access to the account ${actAs}, which you do not manage`)
    expect(browser.page.html).not.toMatch(/type="radio"|act-for\/new|value="choose"/)
    for (const username of [who, actAs]) expect((await browser.submit(choose(username))).status).toBe(400)
    expect((await browser.open(`/web/authorize?key=${accessRequest.key}`)).path).toContain('/web/act-for')
    expect((await browser.open(`/web/act-for/new?key=${accessRequest.key}`)).path).not.toContain('new')
    await browser.submit(refuse)
    expect((await pollOf(accessRequest)).body).toMatchObject({ status: 'REFUSED', reasonId: 'MANAGED_ACCOUNT_UNAVAILABLE' })
  })

  it('the own account: skips the choice for a person who manages no account', async () => {
    const browser = await consenting(node, 'edgar', await askAccess(node, { actAs: 'edgar' }))
    expect(browser.page.text).toContain('to the account edgar')
  })

  it.each([{ actAs: 'allow' }, {}])('managed accounts only: neither offers nor accepts the own one (%j)', async (more) => {
    const accessRequest = await askAccess(node, { ...more, actAsManagedOnly: true })
    const browser = await consenting(node, 'alice', accessRequest)
    expect(browser.page.html).not.toContain('value="alice"')
    expect((await browser.submit(choose('alice'))).status).toBe(400)
    await browser.submit(choose('bobby'))
    await browser.submit(accept)
    expect((await pollOf(accessRequest)).body).toMatchObject({ status: 'ACCEPTED', username: 'bobby' })
  })

  it('managed accounts only, for a person who manages none: allows to create one, or to refuse', async () => {
    const accessRequest = await askAccess(node, { actAs: 'allow', actAsManagedOnly: true })
    const browser = await consenting(node, 'edgar', accessRequest)
    expect(browser.page.text).toContain('an account that you manage for someone else, but you manage none')
    expect(browser.page.html).toContain('/web/act-for/new')
    await browser.submit(refuse)
    expect((await pollOf(accessRequest)).body).toMatchObject({ status: 'REFUSED', reasonId: 'MANAGED_ACCOUNT_UNAVAILABLE' })
  })
})

describe('an account for someone else', () => {
  it('can be created, chosen, and answered for', async () => {
    const accessRequest = await askAccess(node, { actAs: 'allow', requestingAppId: 'nursery-app' })
    const browser = await consenting(node, 'fiona', accessRequest)
    // A person who manages no account is not asked to choose, and sees the link.
    expect(browser.page.text).toContain('to the account fiona')
    expect(browser.page.text).toContain('This is for someone else')
    await browser.open(`/web/act-for/new?key=${accessRequest.key}`)
    const form = browser.page
    await browser.submit({ username: ' Little-One ' })
    expect(browser.page.text).toContain('You are answering for the account little-one, which you manage.')
    // A repeated form has the same result.
    const again = visitor(node)
    for (const [name, value] of browser.cookies) again.cookies.set(name, value)
    again.page = form
    expect((await again.submit({ username: 'little-one' })).text).toContain('You are answering for the account little-one')
    await browser.submit(accept)
    const { body } = await pollOf(accessRequest)
    expect(body).toMatchObject({ status: 'ACCEPTED', username: 'little-one', delegation: hintFor('little-one', 'fiona') })
    expect((await infoOf('little-one', String(body['token'])))['delegation']).toMatchObject({ grantedVia: 'app' })
  })

  it.each([
    ['no name', '', '5 to 60 characters'],
    ['a short name', 'no', '5 to 60 characters'],
    ['markup', '"><script>', '5 to 60 characters'],
    ['a name that is taken', 'edgar', 'This user name is taken.'],
    ['the own name', 'harry', 'This user name is taken.'],
  ])('is not created with %s', async (_, username, message) => {
    const accessRequest = await askAccess(node, { actAs: 'allow' })
    const browser = await consenting(node, 'harry', accessRequest)
    await browser.open(`/web/act-for/new?key=${accessRequest.key}`)
    const page = await browser.submit({ username })
    expect([page.status >= 400 && page.status < 500, page.text]).toEqual([true, expect.stringContaining(message)])
    expect(page.html).not.toContain('<script>')
    expect((await request(`${node.url}harry/delegations/controlled`, { token: person('harry').token })).body['controlled']).toEqual([])
  })
})

describe('a delegation that ends', () => {
  it('before accepting makes the page ask again, and no access is created', async () => {
    await attach(node, person('harry'), person('edgar'))
    const accessRequest = await askAccess(node, { requestingAppId: 'too-late-app' })
    const browser = await consenting(node, 'edgar', accessRequest)
    await browser.submit(choose('harry'))
    expect(browser.page.text).toContain('You are answering for the account harry')
    await detach(node, person('harry'), person('edgar'))
    const page = await browser.submit(accept)
    expect([page.path, page.text]).toEqual([expect.stringContaining('/web/act-for'), expect.stringContaining('You can no longer act for')])
    expect(await statusOf(accessRequest)).toBe('NEED_SIGNIN')
    expect(await accessesOf(node, 'harry', person('harry').token)).toEqual([])
  })

  it('after accepting revokes the granted access', async () => {
    await attach(node, person('harry'), person('edgar'))
    const accessRequest = await askAccess(node, { requestingAppId: 'ending-app' })
    const browser = await consenting(node, 'edgar', accessRequest)
    await browser.submit(choose('harry'))
    const done = await browser.submit(accept)
    const token = String((await pollOf(accessRequest)).body['token'])
    expect((await request(`${node.url}harry/access-info`, { token })).status).toBe(200)
    await detach(node, person('harry'), person('edgar'))
    expect((await request(`${node.url}harry/access-info`, { token })).status).toBe(403)
    expect((await browser.open(done.path)).text).not.toContain('The app now has access')
  })
})

describe('the token of a delegate', () => {
  it('appears in no page, cookie, address or log line', async () => {
    const secret = await delegateToken(node, person('alice'), 'bobby')
    const accessRequest = await askAccess(node, { requestingAppId: 'secret-app' })
    const browser = await consenting(node, 'alice', accessRequest)
    const texts: string[] = []
    const collect = (): void => void texts.push(browser.page.html, browser.page.path, JSON.stringify([...browser.page.headers]), ...browser.cookies.values())
    collect()
    await browser.submit(choose('bobby'))
    collect()
    await browser.submit(accept)
    collect()
    texts.push(...node.logged, JSON.stringify((await pollOf(accessRequest)).body))
    for (const text of texts) expect(text).not.toContain(secret)
    // The session of the delegate is still the same.
    expect(await delegateToken(node, person('alice'), 'bobby')).toBe(secret)
  })
})

describe('a node without delegation', () => {
  it('skips the choice, and allows only to refuse requests for a managed account', async () => {
    const other = await startTestNode({ 'delegation.active': false })
    try {
      await registerUser(other, 'alice')
      const plain = await consenting(other, 'alice', await askAccess(other, { actAs: 'allow' }))
      expect(plain.page.text).toContain('to the account alice')
      expect(plain.page.html).not.toContain('act-for')
      const accessRequest = await askAccess(other, { actAs: 'allow', actAsManagedOnly: true })
      const browser = await consenting(other, 'alice', accessRequest)
      expect(browser.page.html).not.toContain('act-for/new')
      await browser.submit(refuse)
      expect((await pollOf(accessRequest)).body).toMatchObject({ status: 'REFUSED', reasonId: 'MANAGED_ACCOUNT_UNAVAILABLE' })
    } finally {
      await other.stop()
    }
  })
})
