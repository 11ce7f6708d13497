/** Pages about people and apps: lists of accesses and their withdrawal, in a browser without scripts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operate } from '../../../support/nodes/operatorMethods.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { DELEGATE, grantManaged, managedKinds } from '../../../support/people/delegatedAccess.js'
import type { Permission } from '../../../../src/store/model/access.js'
import { grantAccess } from '../../../support/people/access.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { ask, share, type Share } from '../../../support/people/shares.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

const PATH = '/web/access'
const APPS = '/web/access/apps'
const NEW_LINK = '/web/access/link/new'
const WITHDRAW = '/web/access/withdraw'
const clock = fakeClock()
let node: TestNode
let people = 0
beforeAll(async () => {
  node = await startTestNode({ appList: { 'heart-watch': { displayName: { en: 'Heart Watch', fr: 'Veille Cœur' } } } }, { clock })
})
afterAll(() => node.stop())

interface Setup {
  node: TestNode
  username: string
  owner: string
  browser: Visitor
}

async function signedInOwner(language = 'en'): Promise<Setup> {
  people += 1
  const username = `person-${people}`
  const owner = await registerUser(node, username)
  const setup: Setup = { node, username, owner, browser: visitor(node, language) }
  for (const [id, name] of [['heart', 'Heart & soul'], ['diary', 'Diary']]) await ask(setup, owner, 'POST', '/streams', { id, name })
  await setup.browser.open(`/web/sign-in?lang=${language}`)
  await setup.browser.submit({ name: username, password: 'correct horse' })
  return setup
}

const app = (name: string, more: object = {}) => ({
  type: 'app',
  name,
  permissions: [{ streamId: 'heart', level: 'contribute' }, { streamId: 'diary', level: 'read' }],
  ...more,
})
const works = async ({ username }: Setup, { token }: Pick<Share, 'token'>): Promise<boolean> =>
  (await request(`${node.url}${username}/access-info`, { token })).status === 200

/** Returns the text of the entry with a title. */
function entry({ page }: Visitor, title: string): string {
  const found = page.html.split('<li>').find((part) => new RegExp(`<h[23] class="entry name"><bdi>${title}</bdi> `).test(part)) ?? ''
  return found.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
}

/** Opens the confirmation of a withdrawal with the link of the list. */
async function choose(browser: Visitor, id: string, list = APPS): Promise<void> {
  await browser.open(list)
  const link = `${WITHDRAW}?id=${encodeURIComponent(id)}`
  expect(browser.page.html).toContain(`href="${link}`)
  await browser.open(link)
}

describe('a consent to an OAuth client', () => {
  it.each(['consent', 'session'] as const)('is revoked together with the session of the client, as announced before (%s)', async (first) => {
    const setup = await signedInOwner()
    const permissions: Permission[] = [{ streamId: 'heart', level: 'read' }]
    const cmc = { role: 'counterparty', counterparty: { username: 'dr-weber', host: 'example.org' }, acceptEventId: 'an-event' }
    const consent = await grantAccess(node, setup.username, permissions, { type: 'shared', name: 'Heart study', clientData: { cmc } })
    const mark = { kind: 'oauth-session', dataGrantAccessId: consent.id }
    const session = await grantAccess(node, setup.username, permissions, { name: 'oauth:heart-app', clientData: { cmc: mark } })
    await setup.browser.open(`${WITHDRAW}?id=${first === 'consent' ? consent.id : session.id}`)
    const other = first === 'consent' ? 'oauth:heart-app' : 'Heart study'
    expect(setup.browser.page.text).toContain(`You gave this access with the same consent, so it ends too: ${other}`)
    await setup.browser.submit()
    expect([await works(setup, consent), await works(setup, session)]).toEqual([false, false])
  })
})

describe('the list of accesses', () => {
  it('shows name, permissions, last use and expiry of each access', async () => {
    const setup = await signedInOwner()
    const watch = await share(setup, app('heart-watch', { deviceName: 'Phone', expireAfter: 3 * 86_400 }))
    await share(setup, { name: 'Dr Weber', permissions: [{ streamId: '*', level: 'read' }] })
    await share(setup, { name: 'for the run', permissions: [{ streamId: 'heart', level: 'read' }] }, watch.token)
    clock.pass(7200)
    await setup.browser.open(APPS)
    const shown = entry(setup.browser, 'Heart Watch')
    for (const part of ['App', 'Id heart-watch', 'Device Phone', 'Last used 2 hours ago', 'Expires Nov', 'UTC, in 2 days']) {
      expect(shown).toContain(part)
    }
    expect(shown).toContain('modify “Heart &amp; soul”')
    expect(shown).toContain('read “Diary”')
    await setup.browser.open(PATH)
    expect(entry(setup.browser, 'Dr Weber')).toMatch(/Shared .*read all your data .*Last used never .*Created Nov/)
    expect(entry(setup.browser, 'for the run')).toContain('Shared by Heart Watch')
    expect(setup.browser.page.text).not.toContain('You share nothing by a link.')
  })

  it('explains what links and apps are while there are none', async () => {
    const { browser } = await signedInOwner()
    expect((await browser.open(PATH)).text).toContain('You share nothing by a link.')
    expect((await browser.open(APPS)).text).toContain('No app has access.')
  })

  it('shows the sessions of the owner and marks the current one', async () => {
    const { browser } = await signedInOwner()
    await browser.open(APPS)
    expect(entry(browser, 'These pages')).toContain('this session')
    expect(entry(browser, 'test-app')).toMatch(/Session .*Sign out there/)
    expect(browser.page.html).toContain('href="/web/second-factor/set-up"')
  })

  it('shows expired accesses last and marks them', async () => {
    const setup = await signedInOwner()
    await share(setup, app('aaa', { expireAfter: 10 }))
    await share(setup, app('zzz'))
    clock.pass(60)
    const { html } = await setup.browser.open(APPS)
    expect(entry(setup.browser, 'aaa')).toMatch(/expired .*Expired Nov/)
    expect(html.indexOf('zzz')).toBeLessThan(html.indexOf('aaa'))
  })

  it.each(['<script>alert(1)</script>', '"><img src=x onerror=1>', '\u202Egnp.exe', 'n'.repeat(500), '  two\n lines '])(
    'shows the name %j as text, without control characters',
    async (name) => {
      const setup = await signedInOwner()
      await ask(setup, setup.owner, 'POST', '/streams', { id: 'odd', name: name.slice(0, 90) })
      const { id } = await share(setup, app(name, { deviceName: name, permissions: [{ streamId: 'odd', level: 'read' }] }))
      const one = `/web/access/one?id=${encodeURIComponent(id)}`
      for (const open of [() => setup.browser.open(APPS), () => setup.browser.open(one), () => choose(setup.browser, id)]) {
        await open()
        expect(setup.browser.page.status).toBe(200)
        expect(setup.browser.page.html).not.toMatch(/<script>alert|<img|\u202E|n{100}/)
      }
    },
  )

  it('links to a page with all permissions of an access', async () => {
    const setup = await signedInOwner()
    const permissions: object[] = Array.from({ length: 9 }, (_, n) => ({ streamId: `s-${n}`, level: 'create-only' }))
    permissions.push({ feature: 'selfRevoke', setting: 'forbidden' }, { tag: 'holiday', level: 'read' })
    const { id } = await share(setup, app('many', { permissions }))
    await setup.browser.open(APPS)
    expect(entry(setup.browser, 'many')).toContain('and 7 more')
    await setup.browser.open(`/web/access/one?id=${id}`)
    for (const part of ['write to “s-8”', 'not revoke its own access', 'holiday']) expect(setup.browser.page.text).toContain(part)
  })

  it('shows 500 accesses on pages of bounded size', async () => {
    const setup = await signedInOwner()
    for (let n = 0; n < 500; n += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, at) => share(setup, app(`app-${String(n + at).padStart(3, '0')}`, { deviceName: 'A telephone' }))),
      )
    }
    await setup.browser.open(APPS)
    const { html, text } = await setup.browser.open(APPS)
    expect(Buffer.byteLength(html)).toBeLessThan(60_000)
    expect(text).toContain('Page 1 of 20')
    expect(html).toContain(`href="${APPS}?page=2"`)
    const seen = new Set<string>()
    for (let page = 1; page <= 20; page++) {
      await setup.browser.open(`${APPS}?page=${page}`)
      for (const [, name = ''] of setup.browser.page.html.matchAll(/entry name"><bdi>(app-\d+)</g)) seen.add(name)
    }
    expect(seen.size).toBe(500)
    for (const odd of ['0', '-3', '21', '1e9', 'x', '']) expect((await setup.browser.open(`${APPS}?page=${odd}`)).status).toBe(200)
  })
})

describe('revocation', () => {
  it('asks for confirmation, lists accesses that end with it, and revokes them', async () => {
    const setup = await signedInOwner()
    const watch = await share(setup, app('heart-watch'))
    const [kept, shared] = [
      await share(setup, { name: 'Dr Weber', permissions: [{ streamId: 'heart', level: 'read' }] }),
      await share(setup, { name: 'for the run', permissions: [{ streamId: 'heart', level: 'read' }] }, watch.token),
    ]
    await choose(setup.browser, watch.id)
    expect(setup.browser.page.text).toContain('Revoke this access?')
    expect(setup.browser.page.text).toContain('This also ends the access it shared with one other: for the run')
    // Stream names are not unique, so the page shows the id.
    expect(setup.browser.page.html).toContain('<code class="soft">heart</code>')
    expect(await works(setup, watch)).toBe(true)
    const page = await setup.browser.submit()
    expect(page.path).toBe(`${APPS}?done=revoked&also=1`)
    expect(page.text).toContain('Access revoked. One other access ended with it.')
    expect([await works(setup, watch), await works(setup, shared), await works(setup, kept)]).toEqual([false, false, true])
  })

  it('answers 404 if the access no longer exists', async () => {
    const setup = await signedInOwner()
    const watch = await share(setup, app('heart-watch'))
    await choose(setup.browser, watch.id)
    const before = setup.browser.page
    await setup.browser.submit()
    setup.browser.page = before
    const again = await setup.browser.submit()
    expect([again.status, again.text]).toEqual([404, expect.stringContaining('no longer exists')])
    expect((await setup.browser.open(`${WITHDRAW}?id=${watch.id}`)).status).toBe(404)
  })

  it('asks again if the access has changed', async () => {
    const setup = await signedInOwner()
    const watch = await share(setup, app('heart-watch'))
    await choose(setup.browser, watch.id)
    await ask(setup, setup.owner, 'PUT', `/accesses/${watch.id}`, { permissions: [{ streamId: '*', level: 'manage' }] })
    const page = await setup.browser.submit()
    expect([page.status, page.text]).toEqual([409, expect.stringContaining('changed in the meantime')])
    expect(page.text).toContain('fully manage all your data')
    expect(await works(setup, watch)).toBe(true)
    await setup.browser.submit()
    expect(await works(setup, watch)).toBe(false)
  })

  it('refuses accesses of another account', async () => {
    const [mine, other] = [await signedInOwner(), await signedInOwner()]
    const own = await share(mine, app('mine'))
    const theirs = await share(other, app('theirs'))
    await choose(mine.browser, own.id)
    const page = await mine.browser.submit({ id: theirs.id })
    expect(page.status).toBe(404)
    expect([await works(mine, own), await works(other, theirs)]).toEqual([true, true])
  })

  it('refuses forms without the token of the session', async () => {
    const [mine, other] = [await signedInOwner(), await signedInOwner()]
    const own = await share(mine, app('mine'))
    await other.browser.open(NEW_LINK)
    const token = /name="form_token" value="([^"]+)"/.exec(other.browser.page.html)?.[1] ?? ''
    for (const form_token of [token, null, '']) {
      await choose(mine.browser, own.id)
      expect((await mine.browser.submit({ form_token })).status).toBe(403)
    }
    expect(await works(mine, own)).toBe(true)
  })

  it('has no effect after the session has ended', async () => {
    const setup = await signedInOwner()
    const watch = await share(setup, app('heart-watch'))
    await choose(setup.browser, watch.id)
    await operate(node.node, 'sessions.end', { username: setup.username })
    const page = await setup.browser.submit()
    expect([page.status, page.path]).not.toEqual([200, PATH])
    expect(await works(setup, watch)).toBe(true)
  })
})

describe('sessions', () => {
  it('can be ended on the page', async () => {
    const setup = await signedInOwner()
    await setup.browser.open(APPS)
    const [, id = ''] = /id=([\w%]+)"[^>]*>Sign out there/.exec(setup.browser.page.html) ?? []
    await setup.browser.open(`${WITHDRAW}?id=${id}`)
    expect(setup.browser.page.text).toContain('Sign out of this session?')
    const page = await setup.browser.submit()
    expect(page.text).toContain('Session ended.')
    expect(await works(setup, { token: setup.owner })).toBe(false)
    expect(entry(setup.browser, 'test-app')).toBe('')
  })

  it('of the pages end as with signing out', async () => {
    const setup = await signedInOwner()
    const watch = await share(setup, app('heart-watch'))
    const { body } = await ask(setup, setup.owner, 'GET', '/accesses')
    const pages = (body['accesses'] as { id: string; name: string }[]).find(({ name }) => name === 'coffer-web')
    expect((await setup.browser.open(`${WITHDRAW}?id=${pages?.id}`)).text).not.toContain('Sign out of this session?')
    await choose(setup.browser, watch.id)
    expect((await setup.browser.submit({ id: String(pages?.id) })).path).toBe('/web/sign-in')
  })
})

it.each([
  ['fr', 'Personnes et apps', 'Veille Cœur', 'lire « Diary »', 'il y a 2 heures', 'Retirer cet accès ?'],
  ['de', 'Personen & Apps', 'Heart Watch', 'Diary', 'vor 2 Stunden', 'Diesen Zugriff entziehen?'],
])('the page is available in %s', async (lang, title, name, may, used, question) => {
  const setup = await signedInOwner()
  const watch = await share(setup, app('heart-watch'))
  await works(setup, watch)
  clock.pass(7200)
  const { text } = await setup.browser.open(`${APPS}?lang=${lang}`)
  for (const part of [title, name, may, used]) expect(text).toContain(part)
  expect((await setup.browser.open(`${WITHDRAW}?lang=${lang}&id=${watch.id}`)).text).toContain(question)
})

describe('a delegate', () => {
  const title = `${DELEGATE.username} \\(${DELEGATE.hostSlug}\\)`

  it('is no app, and accesses that the delegate created are marked', async () => {
    const setup = await signedInOwner()
    for (const kind of managedKinds) await grantManaged(setup, kind)
    const { body } = await ask(setup, setup.owner, 'GET', '/accesses')
    const delegate = (body['accesses'] as Share[]).find(({ name }) => name.startsWith('delegation:'))
    const given = await share(setup, app('given-app'), delegate?.token)
    const own = await share(setup, app('own-app'))
    for (const path of [PATH, APPS]) expect((await setup.browser.open(path)).html).not.toMatch(/__deleg-|delegation:/)
    expect(entry(setup.browser, given.name)).toMatch(new RegExp(`App .*Given by ${title} May read, add to and modify`))
    expect(entry(setup.browser, own.name)).not.toContain('Given by')
  })

  it('cannot be removed on the page, but accesses that the delegate created can', async () => {
    const setup = await signedInOwner()
    const control = await grantManaged(setup, 'control')
    const { token } = await grantManaged(setup, 'delegate-pat')
    const given = await share(setup, app('given-app'), token)
    await choose(setup.browser, given.id)
    await setup.browser.submit({ id: control.id })
    expect(setup.browser.page.status).toBe(400)
    expect(setup.browser.page.html).toContain('To remove a delegate, end the delegation')
    expect(setup.browser.page.html).not.toContain(`?id=${control.id}`)
    expect((await setup.browser.open(`${WITHDRAW}?id=${control.id}`)).path).toBe('/web/access/delegations')
    expect(await works(setup, control)).toBe(true)
    await choose(setup.browser, given.id)
    await setup.browser.submit()
    expect(await works(setup, given)).toBe(false)
  })
})
