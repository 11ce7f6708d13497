/** The owner's page: who has access, and taking it back, as a browser without scripts does. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operate } from '../../support/nodes/operatorMethods.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { DELEGATE, grantManaged, managedKinds } from '../../support/people/delegatedAccess.js'
import type { Permission } from '../../../src/store/model/access.js'
import { grantAccess } from '../../support/people/access.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ask, share, type Share } from '../../support/people/shares.js'
import { visitor, type Visitor } from '../../support/people/visitor.js'

const PATH = '/web/access'
const clock = fakeClock()
let node: TestNode
let people = 0
beforeAll(async () => {
  node = await startTestNode({ appList: { 'heart-watch': { displayName: { en: 'Heart Watch', fr: 'Veille Cœur' } } } }, { clock })
})
afterAll(() => node.stop())

interface World {
  node: TestNode
  username: string
  owner: string
  browser: Visitor
}

async function world(language = 'en'): Promise<World> {
  people += 1
  const username = `person-${people}`
  const owner = await registerUser(node, username)
  const made: World = { node, username, owner, browser: visitor(node, language) }
  for (const [id, name] of [['heart', 'Heart & soul'], ['diary', 'Diary']]) await ask(made, owner, 'POST', '/streams', { id, name })
  await made.browser.open(`/web/sign-in?lang=${language}`)
  await made.browser.submit({ name: username, password: 'correct horse' })
  return made
}

const app = (name: string, more: object = {}) => ({
  type: 'app',
  name,
  permissions: [{ streamId: 'heart', level: 'contribute' }, { streamId: 'diary', level: 'read' }],
  ...more,
})
const works = async ({ username }: World, { token }: Pick<Share, 'token'>): Promise<boolean> =>
  (await request(`${node.url}${username}/access-info`, { token })).status === 200

/** The text of the entry whose heading has this title. */
function entry({ page }: Visitor, title: string): string {
  const found = page.html.split('<li>').find((part) => new RegExp(`<h[23] class="entry name">${title} `).test(part)) ?? ''
  return found.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
}

/** Opens the page of an access by the link that the list has for it. */
async function choose(browser: Visitor, id: string): Promise<void> {
  await browser.open(PATH)
  const link = `${PATH}?id=${encodeURIComponent(id)}`
  expect(browser.page.html).toContain(`href="${link}`)
  await browser.open(link)
}

describe('a consent to an OAuth client', () => {
  it.each(['consent', 'session'] as const)('ends with the token of the client, which is told before either is withdrawn (%s)', async (which) => {
    const made = await world()
    const permissions: Permission[] = [{ streamId: 'heart', level: 'read' }]
    const cmc = { role: 'counterparty', counterparty: { username: 'dr-weber', host: 'example.org' }, acceptEventId: 'an-event' }
    const consent = await grantAccess(node, made.username, permissions, { type: 'shared', name: 'Heart study', clientData: { cmc } })
    const mark = { kind: 'oauth-session', dataGrantAccessId: consent.id }
    const session = await grantAccess(node, made.username, permissions, { name: 'oauth:heart-app', clientData: { cmc: mark } })
    await choose(made.browser, which === 'consent' ? consent.id : session.id)
    const other = which === 'consent' ? 'oauth:heart-app' : 'Heart study'
    expect(made.browser.page.text).toContain(`You gave this access with the same consent, so it ends too: ${other}`)
    await made.browser.submit()
    expect([await works(made, consent), await works(made, session)]).toEqual([false, false])
  })
})

describe('the list', () => {
  it('says who has access, to what, since when and until when', async () => {
    const made = await world()
    const watch = await share(made, app('heart-watch', { deviceName: 'Phone', expireAfter: 3 * 86_400 }))
    await share(made, { name: 'Dr Weber', permissions: [{ streamId: '*', level: 'read' }] })
    await share(made, { name: 'for the run', permissions: [{ streamId: 'heart', level: 'read' }] }, watch.token)
    clock.pass(7200)
    const { text } = await made.browser.open(PATH)
    const shown = entry(made.browser, 'Heart Watch')
    for (const part of ['App', 'Id heart-watch', 'Device Phone', 'Last used 2 hours ago', 'Expires Nov', 'UTC, in 2 days']) {
      expect(shown).toContain(part)
    }
    expect(shown).toContain('modify “Heart &amp; soul”')
    expect(shown).toContain('read “Diary”')
    expect(entry(made.browser, 'Dr Weber')).toMatch(/Shared .*read all your data .*Last used never .*Created Nov/)
    expect(entry(made.browser, 'for the run')).toContain('Shared by Heart Watch')
    expect(text).not.toContain('Only you have access.')
  })

  it('tells where the owner is signed in, and which session this is', async () => {
    const { browser } = await world()
    await browser.open(PATH)
    expect(browser.page.text).toContain('Only you have access.')
    expect(entry(browser, 'These pages')).toContain('this session')
    expect(entry(browser, 'test-app')).toMatch(/Session .*Sign out there/)
    expect(browser.page.html).toContain('href="/web/second-factor/set-up"')
    await browser.submit({})
    expect(browser.page.path).toBe('/web/sign-in')
    expect((await browser.open(PATH)).path).toBe('/web/sign-in?to=access')
  })

  it('puts what has expired last, and marks it', async () => {
    const made = await world()
    await share(made, app('aaa', { expireAfter: 10 }))
    await share(made, app('zzz'))
    clock.pass(60)
    const { html } = await made.browser.open(PATH)
    expect(entry(made.browser, 'aaa')).toMatch(/expired .*Expired Nov/)
    expect(html.indexOf('zzz')).toBeLessThan(html.indexOf('aaa'))
  })

  it.each(['<script>alert(1)</script>', '"><img src=x onerror=1>', '\u202Egnp.exe', 'n'.repeat(500), '  two\n lines '])(
    'shows the name %j as text, without what disguises it',
    async (name) => {
      const made = await world()
      await ask(made, made.owner, 'POST', '/streams', { id: 'odd', name: name.slice(0, 90) })
      const { id } = await share(made, app(name, { deviceName: name, permissions: [{ streamId: 'odd', level: 'read' }] }))
      await made.browser.open(PATH)
      for (const open of [() => made.browser.open(PATH), () => choose(made.browser, id)]) {
        await open()
        expect(made.browser.page.status).toBe(200)
        expect(made.browser.page.html).not.toMatch(/<script>alert|<img|\u202E|n{100}/)
      }
    },
  )

  it('tells everything that an access may do on a page of its own', async () => {
    const made = await world()
    const permissions: object[] = Array.from({ length: 9 }, (_, n) => ({ streamId: `s-${n}`, level: 'create-only' }))
    permissions.push({ feature: 'selfRevoke', setting: 'forbidden' }, { tag: 'holiday', level: 'read' })
    const { id } = await share(made, app('many', { permissions }))
    await made.browser.open(PATH)
    expect(entry(made.browser, 'many')).toContain('and 7 more')
    await choose(made.browser, id)
    for (const part of ['write to “s-8”', 'not revoke its own access', 'holiday']) expect(made.browser.page.text).toContain(part)
  })

  it('shows five hundred a page at a time, each page small', async () => {
    const made = await world()
    for (let n = 0; n < 500; n += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, at) => share(made, app(`app-${String(n + at).padStart(3, '0')}`, { deviceName: 'A telephone' }))),
      )
    }
    await made.browser.open(PATH)
    const { html, text } = await made.browser.open(PATH)
    expect(Buffer.byteLength(html)).toBeLessThan(60_000)
    expect(text).toContain('Page 1 of 20')
    expect(html).toContain(`href="${PATH}?page=2"`)
    const seen = new Set<string>()
    for (let page = 1; page <= 20; page++) {
      await made.browser.open(`${PATH}?page=${page}`)
      for (const [, name = ''] of made.browser.page.html.matchAll(/entry name">(app-\d+) /g)) seen.add(name)
    }
    expect(seen.size).toBe(500)
    for (const odd of ['0', '-3', '21', '1e9', 'x', '']) expect((await made.browser.open(`${PATH}?page=${odd}`)).status).toBe(200)
  })
})

describe('withdrawing', () => {
  it('asks first, tells what goes with it, and does it', async () => {
    const made = await world()
    const watch = await share(made, app('heart-watch'))
    const [kept, shared] = [
      await share(made, { name: 'Dr Weber', permissions: [{ streamId: 'heart', level: 'read' }] }),
      await share(made, { name: 'for the run', permissions: [{ streamId: 'heart', level: 'read' }] }, watch.token),
    ]
    await choose(made.browser, watch.id)
    expect(made.browser.page.text).toContain('Revoke this access?')
    expect(made.browser.page.text).toContain('This also ends the access it shared with one other: for the run')
    // Two streams may have the same name.
    expect(made.browser.page.html).toContain('<code class="soft">heart</code>')
    expect(await works(made, watch)).toBe(true)
    const page = await made.browser.submit()
    expect(page.path).toBe(`${PATH}?done=revoked&also=1`)
    expect(page.text).toContain('Access revoked. One other access ended with it.')
    expect([await works(made, watch), await works(made, shared), await works(made, kept)]).toEqual([false, false, true])
  })

  it('says so when the access is gone already: after a second click, or going back', async () => {
    const made = await world()
    const watch = await share(made, app('heart-watch'))
    await choose(made.browser, watch.id)
    const before = made.browser.page
    await made.browser.submit()
    made.browser.page = before
    const again = await made.browser.submit()
    expect([again.status, again.text]).toEqual([404, expect.stringContaining('no longer exists')])
    expect((await made.browser.open(`${PATH}?id=${watch.id}`)).status).toBe(404)
  })

  it('asks again when the access was changed meanwhile', async () => {
    const made = await world()
    const watch = await share(made, app('heart-watch'))
    await choose(made.browser, watch.id)
    await ask(made, made.owner, 'PUT', `/accesses/${watch.id}`, { permissions: [{ streamId: '*', level: 'manage' }] })
    const page = await made.browser.submit()
    expect([page.status, page.text]).toEqual([409, expect.stringContaining('changed in the meantime')])
    expect(page.text).toContain('fully manage all your data')
    expect(await works(made, watch)).toBe(true)
    await made.browser.submit()
    expect(await works(made, watch)).toBe(false)
  })

  it('reaches no access of another account', async () => {
    const [mine, other] = [await world(), await world()]
    const own = await share(mine, app('mine'))
    const theirs = await share(other, app('theirs'))
    await choose(mine.browser, own.id)
    const page = await mine.browser.submit({ id: theirs.id })
    expect(page.status).toBe(404)
    expect([await works(mine, own), await works(other, theirs)]).toEqual([true, true])
  })

  it('takes no form of another session, and none without what shows that it is ours', async () => {
    const [mine, other] = [await world(), await world()]
    const own = await share(mine, app('mine'))
    await other.browser.open(PATH)
    const token = /name="form_token" value="([^"]+)"/.exec(other.browser.page.html)?.[1] ?? ''
    for (const form_token of [token, null, '']) {
      await choose(mine.browser, own.id)
      expect((await mine.browser.submit({ form_token })).status).toBe(403)
    }
    expect(await works(mine, own)).toBe(true)
  })

  it('leads to signing in when the session has ended meanwhile', async () => {
    const made = await world()
    const watch = await share(made, app('heart-watch'))
    await choose(made.browser, watch.id)
    await operate(node.node, 'sessions.end', { username: made.username })
    const page = await made.browser.submit()
    expect([page.status, page.path]).not.toEqual([200, PATH])
    expect(await works(made, watch)).toBe(true)
  })
})

describe('sessions', () => {
  it('can be ended from here', async () => {
    const made = await world()
    await made.browser.open(PATH)
    const [, id = ''] = /id=([\w%]+)"[^>]*>Sign out there/.exec(made.browser.page.html) ?? []
    await made.browser.open(`${PATH}?id=${id}`)
    expect(made.browser.page.text).toContain('Sign out of this session?')
    const page = await made.browser.submit()
    expect(page.text).toContain('Session ended.')
    expect(await works(made, { token: made.owner })).toBe(false)
    expect(entry(made.browser, 'test-app')).toBe('')
  })

  it('of these pages end as signing out does', async () => {
    const made = await world()
    const watch = await share(made, app('heart-watch'))
    const { body } = await ask(made, made.owner, 'GET', '/accesses')
    const pages = (body['accesses'] as { id: string; name: string }[]).find(({ name }) => name === 'coffer-web')
    expect((await made.browser.open(`${PATH}?id=${pages?.id}`)).text).not.toContain('Sign out of this session?')
    await choose(made.browser, watch.id)
    expect((await made.browser.submit({ id: String(pages?.id) })).path).toBe('/web/sign-in')
  })
})

it.each([
  ['fr', 'Qui a accès', 'Veille Cœur', 'lire « Diary »', 'il y a 2 heures', 'Retirer cet accès ?'],
  ['de', 'Wer Zugriff hat', 'Heart Watch', 'Diary', 'vor 2 Stunden', 'Diesen Zugriff entziehen?'],
])('it speaks %s', async (lang, title, name, may, used, question) => {
  const made = await world()
  const watch = await share(made, app('heart-watch'))
  await works(made, watch)
  clock.pass(7200)
  const { text } = await made.browser.open(`${PATH}?lang=${lang}`)
  for (const part of [title, name, may, used]) expect(text).toContain(part)
  expect((await made.browser.open(`${PATH}?lang=${lang}&id=${watch.id}`)).text).toContain(question)
})

describe('a delegate', () => {
  const title = `${DELEGATE.username} \\(${DELEGATE.hostSlug}\\)`

  it('is shown once, with what the delegate has given', async () => {
    const made = await world()
    for (const kind of managedKinds) await grantManaged(made, kind)
    const { body } = await ask(made, made.owner, 'GET', '/accesses')
    const delegate = (body['accesses'] as Share[]).find(({ name }) => name.startsWith('delegation:'))
    const given = await share(made, app('given-app'), delegate?.token)
    const own = await share(made, app('own-app'))
    await made.browser.open(PATH)
    const { html } = made.browser.page
    expect(html).not.toMatch(/__deleg-|delegation:/)
    expect(html.match(new RegExp(`class="entry name">${title}`, 'g'))).toHaveLength(1)
    expect(entry(made.browser, title)).toMatch(/Delegate .*May everything, in your name .*To remove a delegate, end the delegation/)
    expect(entry(made.browser, given.name)).toMatch(new RegExp(`App .*Given by ${title} May read, add to and modify`))
    expect(entry(made.browser, own.name)).not.toContain('Given by')
  })

  it('is not removed here, and what the delegate has given is', async () => {
    const made = await world()
    const control = await grantManaged(made, 'control')
    const { token } = await grantManaged(made, 'delegate-pat')
    const given = await share(made, app('given-app'), token)
    await choose(made.browser, given.id)
    const form = { do: 'revoke', id: control.id }
    await made.browser.submit(form)
    expect(made.browser.page.status).toBe(400)
    expect(made.browser.page.html).toContain('To remove a delegate, end the delegation')
    expect(made.browser.page.html).not.toContain(`?id=${control.id}`)
    await made.browser.open(`${PATH}?id=${control.id}`)
    expect(made.browser.page.html).not.toContain('value="revoke"')
    expect(await works(made, control)).toBe(true)
    await choose(made.browser, given.id)
    await made.browser.submit()
    expect(await works(made, given)).toBe(false)
  })
})
