/** Pages of the operator: the key, and what the pages show and change. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pages } from '../../../../src/server/pages/list.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { makeAccount, registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

const PASSWORD = 'correct horse'
const KEY = 'the-operator-key-of-this-test'
const clock = fakeClock()
let node: TestNode
let people = 0
beforeAll(async () => {
  node = await startTestNode({ 'auth.adminAccessKey': KEY, 'remoteControl.active': true, invitationTokens: [], 'http.trustedProxies': ['127.0.0.1'] }, { clock })
})
afterAll(() => node.stop())

const paths = pages.map(({ path }) => path).filter((path) => path.startsWith('/operator'))

/** Signs in a person at an address of its own. */
async function person(): Promise<{ username: string; browser: Visitor }> {
  people += 1
  const username = `worker-${people}`
  await makeAccount(node, username)
  const browser = visitor(node, 'en', `203.0.113.${people}`)
  await browser.open('/web/sign-in')
  await browser.submit({ name: username, password: PASSWORD })
  return { username, browser }
}

/** The form of the key, and of leaving, is the first one of the page. */
async function operator(): Promise<Visitor> {
  const { browser } = await person()
  await browser.open('/web/operator')
  await browser.submit({ key: KEY })
  expect(browser.page.text).toContain('Needs attention')
  return browser
}

/** Submits the form that has a hidden field with a value. */
function submit(browser: Visitor, name: string, value: string, fields: Record<string, string> = {}): Promise<unknown> {
  const forms = [...browser.page.html.matchAll(/<form\b[^>]*method="post"[^>]*>([\s\S]*?)<\/form>/g)].map(([, text = '']) => text)
  const at = forms.findIndex((text) => text.includes(`name="${name}" value="${value}"`))
  return browser.submit(fields, at)
}

describe('without remote control', () => {
  it('the key opens the pages on the machine of the node only', async () => {
    const own = await startTestNode({ 'auth.adminAccessKey': KEY, 'http.trustedProxies': ['127.0.0.1'] }, { clock })
    try {
      await registerUser(own, 'alice')
      for (const [from, isAllowed] of [[undefined, true], ['203.0.113.9', false]] as const) {
        const browser = visitor(own, 'en', from)
        await browser.open('/web/sign-in')
        await browser.submit({ name: 'alice', password: PASSWORD })
        expect((await browser.open('/web/settings')).html.includes('href="/web/operator"')).toBe(isAllowed)
        const { text } = await browser.open('/web/operator')
        expect(text.includes('set remoteControl.active = true there')).toBe(!isAllowed)
        if (isAllowed) expect((await browser.submit({ key: KEY })).text).toContain('Needs attention')
        // A cookie of the machine is worth nothing elsewhere.
        const elsewhere = visitor(own, 'en', '203.0.113.10')
        for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)
        expect((await elsewhere.open('/web/operator')).text).not.toContain('Needs attention')
      }
    } finally {
      await own.stop()
    }
  })
})

describe('without the operator key', () => {
  it.each(paths)('nothing is shown, and forms do nothing: %s', async (path) => {
    const { browser } = await person()
    await browser.open(`/web${path}?name=worker-1&id=x`)
    expect(browser.page.path).toMatch(/^\/web\/operator/)
    expect(browser.page.text).toContain('These pages are for the person who runs this node.')
    expect(browser.page.text).not.toMatch(/worker-1\b(?!\d).*worker-1\b(?!\d).*Health/)
    expect(browser.page.text).not.toContain('Needs attention')
    await browser.submit({ key: '', do: 'create', count: '5', name: 'worker-1', note: 'by a stranger' })
    expect(browser.page.text).not.toContain('Needs attention')
    expect(await node.node.registry.records.list('invitation')).toEqual([])
  })

  it('requires a signed-in person', async () => {
    const browser = visitor(node)
    for (const path of paths) {
      await browser.open(`/web${path}`)
      expect(browser.page.path).toMatch(/^\/web\/sign-in\?to=/)
    }
  })

  it('forms with the right token of the person, sent to a page of the operator, change nothing', async () => {
    const { browser, username } = await person()
    await browser.open('/web/operator')
    const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(browser.page.html) ?? []
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = new URLSearchParams({ form_token: token, do: 'sessions', name: username, count: '1' })
    for (const path of paths.filter((one) => one !== '/operator')) {
      const response = await fetch(new URL(`web${path}`, node.url), { method: 'POST', redirect: 'manual', headers: { cookie, 'sec-fetch-site': 'same-origin' }, body })
      expect([path, response.status < 500, await response.text()]).toEqual([path, true, expect.not.stringContaining('<code')])
    }
    await browser.open('/web/overview')
    expect(browser.page.path).toBe('/web/overview')
  })
})

describe('the operator key', () => {
  it('opens the pages for an hour, in this browser and this session only', async () => {
    const browser = await operator()
    const other = await person()
    for (const [name, value] of browser.cookies) if (name.endsWith('_operator')) other.browser.cookies.set(name, value)
    await other.browser.open('/web/operator')
    expect(other.browser.page.text).not.toContain('Needs attention')
    clock.pass(3599)
    await browser.open('/web/operator/accounts')
    expect(browser.page.path).toBe('/web/operator/accounts')
    clock.pass(2)
    await browser.open('/web/operator/accounts')
    expect(browser.page.path).toBe('/web/operator')
    expect(browser.page.text).toContain('Operator key')
  })

  it('is forgotten when the operator leaves, and after signing out', async () => {
    const browser = await operator()
    await submit(browser, 'do', 'close')
    expect(browser.page.text).toContain('Operator key')
    const again = await operator()
    const kept = [...again.cookies].find(([name]) => name.endsWith('_operator'))
    await again.open('/web/sign-out')
    await again.submit()
    await again.submit({ name: `worker-${people}`, password: PASSWORD })
    if (kept !== undefined) again.cookies.set(...kept)
    await again.open('/web/operator')
    expect(again.page.text).not.toContain('Needs attention')
  })

  it('is refused when it is wrong, and after many attempts without a check', async () => {
    const { browser } = await person()
    await browser.open('/web/operator')
    for (let attempt = 0; attempt < 10; attempt++) {
      await browser.submit({ key: `wrong-${attempt}` })
      expect(browser.page.status).toBe(403)
      expect(browser.page.text).toContain('The operator key is wrong.')
      expect(browser.page.html).not.toContain(`wrong-${attempt}`)
    }
    await browser.submit({ key: KEY })
    expect(browser.page.status).toBe(429)
    expect(browser.page.text).toContain('Too many attempts.')
    clock.pass(601)
    await browser.submit({ key: KEY })
    expect(browser.page.text).toContain('Needs attention')
    expect(node.logged.join('')).not.toContain(KEY)
  })

  it('does not exist on a node without one', async () => {
    const without = await startTestNode({ 'auth.adminAccessKey': null })
    try {
      await registerUser(without, 'alice')
      const browser = visitor(without)
      await browser.open('/web/sign-in')
      await browser.submit({ name: 'alice', password: PASSWORD })
      await browser.open('/web/settings')
      expect(browser.page.html).not.toContain('/web/operator')
      await browser.open('/web/operator')
      expect(browser.page.text).toContain('This node has no operator key.')
    } finally {
      await without.stop()
    }
  })
})

describe('the pages of the operator', () => {
  it.each([
    ['en', 'Last minute', 'No backup folder is set.'],
    ['fr', 'Dernière minute', 'Aucun dossier de sauvegarde'],
    ['de', 'Letzte Minute', 'Kein Backup-Ordner'],
  ])('show the health of the node in %s', async (language, minute, backup) => {
    const browser = await operator()
    await browser.open(`/web/operator?lang=${language}`)
    for (const text of [minute, backup]) expect(browser.page.text).toContain(text)
    expect(browser.page.headers.get('refresh')).toBeNull()
    await browser.open(`/web/operator?lang=${language}&every=1`)
    expect(browser.page.headers.get('refresh')).toBe('10')
    for (const path of paths) {
      await browser.open(`/web${path}?lang=${language}`)
      expect([path, browser.page.status]).toEqual([path, path === '/operator/account' ? 404 : 200])
    }
  })

  it('list accounts by pages, and find them', async () => {
    for (let n = 0; n < 30; n++) await makeAccount(node, `listed-${String(n).padStart(2, '0')}`)
    const browser = await operator()
    await browser.open('/web/operator/accounts?find=LISTED-')
    expect(browser.page.text).toContain('30 of')
    expect(browser.page.text).toContain('listed-24')
    expect(browser.page.text).not.toContain('listed-25')
    await browser.open('/web/operator/accounts?find=listed-&page=2')
    expect(browser.page.text).toContain('listed-29')
    await browser.open(`/web/operator/accounts?find=${encodeURIComponent('<b>')}`)
    expect(browser.page.text).toContain('No account has this name.')
  })

  it('set the limits of an account', async () => {
    await makeAccount(node, 'limited')
    const browser = await operator()
    await browser.open('/web/operator/account?name=limited')
    await submit(browser, 'do', 'limits', { data: 'own', 'data-mb': 'many', files: 'unlimited', 'files-mb': '' })
    expect(browser.page.status).toBe(400)
    expect(browser.page.text).toContain('Enter a number of megabytes')
    await submit(browser, 'do', 'limits', { data: 'own', 'data-mb': '2.5', files: 'unlimited', 'files-mb': '' })
    expect(browser.page.text).toContain('The limits were saved.')
    expect((await node.node.accounts.find('limited'))?.user.quota).toEqual({ dbDocuments: 2_500_000, attachedFiles: null })
    await submit(browser, 'do', 'limits', { data: 'default', 'data-mb': '', files: 'default', 'files-mb': '' })
    expect((await node.node.accounts.find('limited'))?.user.quota).toBeUndefined()
  })

  it('end the sessions of an account', async () => {
    const token = await makeAccount(node, 'leaving')
    const browser = await operator()
    await browser.open('/web/operator/account?name=leaving')
    expect(browser.page.html).not.toContain('value="sessions"')
    await browser.open('/web/operator/account?name=leaving&confirm=sessions')
    expect(browser.page.text).toContain('Sign out everywhere?')
    expect(browser.page.text).toContain('leaving')
    await submit(browser, 'do', 'sessions')
    expect(browser.page.text).toContain('All sessions of the account have ended.')
    expect((await request(`${node.url}leaving/access-info`, { token })).status).toBe(403)
  })

  it('create invitations, show their tokens once, and revoke them', async () => {
    const browser = await operator()
    await browser.open('/web/operator/invitations')
    expect(browser.page.text).toContain('Registration on this node needs an invitation.')
    await submit(browser, 'do', 'create', { count: '1000', note: '' })
    expect(browser.page.text).toContain('Enter a whole number from 1 to 100.')
    await submit(browser, 'do', 'create', { count: '1', note: 'for <i>Ben</i>' })
    const [, token = ''] = /<code class="token">([0-9a-f]{32})</.exec(browser.page.html) ?? []
    expect((await request(`${node.url}users`, { body: { username: 'invited', password: PASSWORD, email: 'i@example.org', appId: 'test-app', invitationToken: token } })).status).toBe(200)
    await submit(browser, 'do', 'create', { count: '1', note: 'second' })
    const [, second = ''] = /<code class="token">([0-9a-f]{32})</.exec(browser.page.html) ?? []
    await browser.open('/web/operator/invitations')
    expect(browser.page.html).not.toContain(token)
    expect(browser.page.text).toContain('for <i>Ben</i>')
    expect(browser.page.text).toMatch(/used on Nov \d+, 2023 by invited/)
    await submit(browser, 'do', 'revoke')
    expect(browser.page.text).toContain('The invitation was revoked.')
    expect((await request(`${node.url}users`, { body: { username: 'late-one', password: PASSWORD, email: 'l@example.org', appId: 'test-app', invitationToken: second } })).status).toBe(400)
  })

  it('report that mail is not configured', async () => {
    const browser = await operator()
    await browser.open('/web/operator/mail')
    await browser.submit({ recipient: 'ana@example.org', type: 'welcome-email', language: 'en' }, mailForm(browser))
    expect(browser.page.text).toContain('The mail was not sent. Mail is not configured.')
    await browser.submit({ recipient: 'nobody', type: 'welcome-email', language: 'en' }, mailForm(browser))
    expect(browser.page.text).toContain('This is not an e-mail address.')
  })

  it('show the log from a level on', async () => {
    node.node.log.warn('something <b>odd</b> happened', { file: '/tmp/x' })
    node.node.log.info('all is well')
    const browser = await operator()
    await browser.open('/web/operator/log?level=warn')
    expect(browser.page.text).toContain('something <b>odd</b> happened {"file":"/tmp/x"}')
    expect(browser.page.text).not.toContain('all is well')
    await browser.open('/web/operator/log')
    expect(browser.page.text).toContain('all is well')
  })
})

/** Returns the index of the form of the test mail. */
function mailForm({ page }: Visitor): number {
  const forms = [...page.html.matchAll(/<form\b[^>]*method="post"[^>]*>([\s\S]*?)<\/form>/g)].map(([, text = '']) => text)
  return forms.findIndex((text) => text.includes('name="recipient"'))
}
