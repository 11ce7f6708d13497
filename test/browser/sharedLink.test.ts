/** Browser tests of the start page and of shared links, which open without a login prompt. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import { ask, share } from '../support/people/shares.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { inspect } from './support/inspect.js'
import { expectCurrentScreenshot } from '../support/pictures/current.js'

/** Size of the screenshot in README.md. */
const PICTURE = { width: 760, height: 480 }

inBrowser('the URL of the node, of a shared link and of an account', () => {
  const browser = withBrowser()
  let node: TestNode
  let link: string
  beforeAll(async () => {
    node = await startTestNode()
    const owner = await registerUser(node, 'alice')
    const alice = { node, username: 'alice', owner }
    await ask(alice, owner, 'POST', '/streams', { id: 'weight', name: 'Weight' })
    const { token } = await share(alice, { name: 'Dr Weber', permissions: [{ streamId: 'weight', level: 'read' }], expireAfter: 30 * 86_400 })
    link = `http://${token}@127.0.0.1:${node.port}/alice/`
  })
  afterAll(() => node.stop())

  it('opens the start page', async () => {
    const page = await browser.open(node.url)
    await page.getByRole('heading', { level: 1, name: 'coffer is running' }).waitFor()
    await inspect(page, 'welcome')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  })

  it('shows the streams, the recipient and the expiry of a link', async () => {
    const page = await browser.open(link)
    await page.getByRole('heading', { level: 1, name: 'alice shares data with you' }).waitFor()
    expect(await page.locator('main').textContent()).toMatch(/Dr Weber.*\((next month|in 29 days)\)/s)
    await page.getByText('Weight', { exact: false }).first().waitFor()
    await inspect(page, 'shared-link')
    await page.setViewportSize(PICTURE)
    // The end of the link differs between runs.
    const content = (await page.locator('body').innerText()).replaceAll(/\b\d{1,2} \w+ \d{4}\b[^(]*|\b\w+ \d{1,2}, \d{4}\b[^(]*|next month|in 29 days/g, '…')
    const sheets = await page.evaluate<string[]>(`[...document.querySelectorAll('link[rel=stylesheet]')].map((link) => new URL(link.href).pathname)`)
    const styles = await Promise.all(sheets.map(async (path) => (await fetch(new URL(path, node.url))).text()))
    await expectCurrentScreenshot('shared-link.png', [content, ...styles].join('\n'), () => page.screenshot({ animations: 'disabled' }))
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { level: 1, name: 'alice teilt Daten mit Ihnen' }).waitFor()
  })

  it('shows a page of the account without a token', async () => {
    const page = await browser.open(`${node.url}alice/`)
    await page.getByRole('heading', { level: 1, name: 'Account of alice' }).waitFor()
    await inspect(page, 'account-address')
  })
})
