/** Browser tests of Activity. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ask, share, type Share } from '../../support/people/shares.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { expectAccessible, inspect } from '../support/inspect.js'
import { isAt, signIn } from '../support/steps.js'

inBrowser('activity', () => {
  const browser = withBrowser()
  let node: TestNode
  let owner: string
  let doctor: Share
  const alice = () => ({ node, username: 'alice', owner })

  beforeAll(async () => {
    node = await startTestNode()
    owner = await registerUser(node, 'alice')
    await ask(alice(), owner, 'POST', '/streams', { id: 'weight', name: 'Weight' })
    await ask(alice(), owner, 'POST', '/streams', { id: 'diary', name: `${'Very long diary '.repeat(10)}` })
    await ask(alice(), owner, 'POST', '/streams', { id: 'arabic', name: 'وزن' })
    doctor = await share(alice(), { name: 'doctor', permissions: [{ streamId: 'weight', level: 'read' }] })
    const app = await share(alice(), { name: 'diary-app', type: 'app', permissions: [{ streamId: 'diary', level: 'contribute' }] })
    const arabic = await share(alice(), { name: 'طبيب', permissions: [{ streamId: 'arabic', level: 'read' }] })
    for (let count = 0; count < 3; count++) await ask(alice(), app.token, 'POST', '/events', { streamIds: ['diary'], type: 'note/txt', content: 'x' })
    for (let count = 0; count < 12; count++) await ask(alice(), doctor.token, 'GET', '/events')
    await ask(alice(), arabic.token, 'GET', '/events')
    await ask(alice(), doctor.token, 'POST', '/events', { streamIds: ['weight'], type: 'mass/kg', content: 1 })
    await ask(alice(), 'unknown-token', 'GET', '/events')
    await ask(alice(), owner, 'DELETE', `/accesses/${arabic.id}`)
  })
  afterAll(() => node.stop())

  async function opened(options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
    const page = await browser.open(`${node.url}web/sign-in?to=%2Factivity`, options)
    await signIn(page, 'alice')
    await isAt(page, '/web/activity')
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
    return page
  }

  it('shows what was done', async () => {
    const page = await opened()
    await page.getByText('12 times').waitFor()
    await inspect(page, 'activity')
  })

  it.each([true, false])('filters, with scripts: %s', async (javaScriptEnabled) => {
    const page = await opened({ javaScriptEnabled })
    await page.getByLabel('What happened').selectOption('refused')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByText('An attempt to change data was refused', { exact: false }).waitFor()
    expect(await page.getByText('12 times').count()).toBe(0)
    if (javaScriptEnabled) await inspect(page, 'activity-refused')
    await page.getByRole('link', { name: 'Show everything' }).click()
    await page.getByText('12 times').waitFor()
  })

  it('explains a malformed filter and an empty result', async () => {
    const page = await opened()
    await page.goto(`${node.url}web/activity?from=yesterday`)
    await page.getByRole('alert').waitFor()
    await expectAccessible(page)
    await page.goto(`${node.url}web/activity?to=2000-01-01`)
    await page.getByText('Nothing matches this filter.').waitFor()
    await inspect(page, 'activity-empty')
  })

  it('shows calls of others as they happen', async () => {
    const page = await opened()
    await page.getByText('12 times').waitFor()
    await ask(alice(), doctor.token, 'GET', '/events')
    await expect.poll(() => page.locator('#log li').first().textContent(), { timeout: 10_000 }).toContain('was read through the link')
  })
})
