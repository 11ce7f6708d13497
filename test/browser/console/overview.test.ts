/** Browser test of the overview: empty, filled, and updated while it is open. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ask, share, type Share } from '../../support/people/shares.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { inspect } from '../support/inspect.js'
import { isAt, sectionLink, signIn } from '../support/steps.js'

const DAY = 86_400

inBrowser('the overview', () => {
  const browser = withBrowser()
  let node: TestNode
  let owner: string
  beforeAll(async () => {
    node = await startTestNode()
    owner = await registerUser(node, 'alice')
  })
  afterAll(() => node.stop())

  it('guides a new owner, and shows new entries and ending links without a reload', async () => {
    const page = await browser.open(`${node.url}web/sign-in`)
    await signIn(page, 'alice')
    await isAt(page, '/web/overview')
    await page.getByText('There is nothing here yet.').waitFor()
    await inspect(page, 'overview-empty')
    const alice = { node, username: 'alice', owner }
    await ask(alice, owner, 'POST', '/streams', { id: 'body', name: 'Body' })
    await ask(alice, owner, 'POST', '/streams', { id: 'weight', name: 'Weight', parentId: 'body' })
    await ask(alice, owner, 'POST', '/streams', { id: 'long', name: 'Ein sehr langer Name '.repeat(12).trim() })
    await ask(alice, owner, 'POST', '/events', { streamIds: ['weight'], type: 'mass/kg', content: 72.5 })
    await page.getByText('72.5 kg').waitFor()
    const now = Date.now() / 1000
    const entries = [
      { streamIds: ['long'], type: 'note/txt', content: 'a text without any space '.repeat(3) + 'x'.repeat(200) },
      { streamIds: ['long'], type: 'note/txt', content: 'مرحبا بالعالم، هذا نص طويل من اليمين إلى اليسار' },
      { streamIds: ['body'], type: 'activity/plain', duration: null, time: now - 3600 },
      { streamIds: ['body'], type: 'blood-pressure/mmhg-bpm', content: { systolic: 121, diastolic: 79, rate: 62 }, time: now - 20 * DAY },
      ...[1, 8, 9, 30, 31].map((days) => ({ streamIds: ['weight'], type: 'mass/kg', content: 72 + days / 10, time: now - days * DAY })),
    ]
    for (const entry of entries) await ask(alice, owner, 'POST', '/events', entry)
    const doctor: Share = await share(alice, { name: 'Dr. Meier', permissions: [{ streamId: 'weight', level: 'read' }], expireAfter: 3 * DAY })
    await ask(alice, doctor.token, 'GET', '/events')
    await page.getByText('The access of Dr. Meier ends soon.').waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Dr. Meier', exact: true }).waitFor()
    await page.locator('img.growth').scrollIntoViewIfNeeded()
    await expect.poll(() => page.evaluate<number>('document.querySelector("img.growth").naturalWidth'), { timeout: 15_000 }).toBeGreaterThan(0)
    await inspect(page, 'overview')
    expect(await (await sectionLink(page, 'Overview')).getAttribute('aria-current')).toBe('page')
  })

  it('is readable without scripts', async () => {
    const page = await browser.open(`${node.url}web/sign-in`, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    await signIn(page, 'alice')
    await isAt(page, '/web/overview')
    await page.locator('header details.narrow-only summary').click()
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Data' }).waitFor()
  })
})
