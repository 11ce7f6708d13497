/** Browser tests of the start page and of shared links, which open without a login prompt. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attached, filePart } from '../support/http/multipart.js'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import { ask, share } from '../support/people/shares.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { expectAccessible, inspect, shoot } from './support/inspect.js'
import { expectCurrentScreenshot } from '../support/pictures/current.js'

/** Size of the screenshot in README.md. */
const PICTURE = { width: 760, height: 480 }

const DAY = 86_400
/** A time in seconds. */
const MORNING = 1_795_000_000
/** Weights, the latest first. */
const WEIGHTS = [72.5, 72.8, 73.1, 72.9, 73.4, 73.9, 73.6, 74.2, 74.8, 74.5, 75.1, 75.6]
/** A picture of one pixel, in Base64. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

inBrowser('the URL of the node, of a shared link and of an account', () => {
  const browser = withBrowser()
  let node: TestNode
  let link: string
  let other: string
  let adding: string
  beforeAll(async () => {
    node = await startTestNode()
    const owner = await registerUser(node, 'alice')
    const alice = { node, username: 'alice', owner }
    await ask(alice, owner, 'POST', '/streams', { id: 'weight', name: 'Weight' })
    await ask(alice, owner, 'POST', '/streams', { id: 'morning', name: 'Morning', parentId: 'weight' })
    await ask(alice, owner, 'POST', '/streams', { id: 'diary', name: 'Diary' })
    for (const [at, content] of WEIGHTS.entries()) {
      await ask(alice, owner, 'POST', '/events', { streamIds: [content === 74.5 ? 'morning' : 'weight'], type: 'mass/kg', content, time: MORNING - at * DAY })
    }
    await ask(alice, owner, 'POST', '/events', { streamIds: ['diary'], type: 'note/txt', content: 'a diary entry' })
    const picture = filePart('scale.png', Buffer.from(PIXEL, 'base64'), 'image/png')
    await attached(alice, [picture], { streamIds: ['weight'], type: 'picture/attached', time: MORNING - 2 * DAY - 60, description: 'The new scale' })
    const open = async (body: Record<string, unknown>): Promise<string> => `http://${(await share(alice, body)).token}@127.0.0.1:${node.port}/alice/`
    link = await open({
      ...{ name: 'Dr Weber', permissions: [{ streamId: 'weight', level: 'read' }], expireAfter: 30 * DAY },
      clientData: { note: 'My weight since the operation, as we discussed.' },
    })
    other = await open({ name: 'Ana', permissions: [{ streamId: 'diary', level: 'read' }] })
    adding = await open({ name: 'Reporter', permissions: [{ streamId: 'diary', level: 'create-only' }] })
  })
  afterAll(() => node.stop())

  it('opens the start page', async () => {
    const page = await browser.open(node.url)
    await page.getByRole('heading', { level: 1, name: 'coffer is running' }).waitFor()
    await inspect(page, 'welcome')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  })

  it('shows the recipient, the end and the data of a link, at an address without its token', async () => {
    const page = await browser.open(link)
    await page.getByRole('heading', { level: 1, name: 'alice shares data with you' }).waitFor()
    expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/web\/shared\?view=[\w-]{12}$/)
    // Links are resolved with the address of the page.
    expect(await page.evaluate<string>('new URL("x", document.baseURI).username')).toBe('')
    expect(await page.locator('main').textContent()).toMatch(/Dr Weber.*\((next month|in 29 days)\)/s)
    await page.getByText('Weight', { exact: false }).first().waitFor()
    await inspect(page, 'shared-link')
    await page.setViewportSize(PICTURE)
    // The end of the link differs between runs.
    const content = (await page.locator('body').innerText()).replaceAll(/\b\d{1,2} \w+ \d{4}\b[^(\n]*|\b\w+ \d{1,2}, \d{4}\b[^(\n]*|\d+:\d\d( [AP]M)?|next month|in 29 days/g, '…')
    const sheets = await page.evaluate<string[]>(`[...document.querySelectorAll('link[rel=stylesheet]')].map((link) => new URL(link.href).pathname)`)
    const styles = await Promise.all(sheets.map(async (path) => (await fetch(new URL(path, node.url))).text()))
    await expectCurrentScreenshot('shared-link.png', [content, ...styles].join('\n'), () => page.screenshot({ animations: 'disabled' }))
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { level: 1, name: 'alice teilt Daten mit Ihnen' }).waitFor()
  })

  it('draws charts, shows one stream, and prints', async () => {
    const page = await browser.open(link)
    await page.getByRole('link', { name: 'Charts' }).click()
    await page.getByRole('img', { name: 'Weight · Mass (kilogram)' }).waitFor()
    await inspect(page, 'shared-charts')
    await page.getByText('Values as a table').first().click()
    await page.getByRole('columnheader', { name: 'Mean' }).first().waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Morning', exact: true }).click()
    await page.getByRole('link', { name: 'Entries' }).click()
    await page.getByText('74.5 kg').waitFor()
    expect(await page.getByText('72.5 kg').count()).toBe(0)
    await page.getByRole('link', { name: 'All streams' }).click()
    await page.getByText('72.5 kg').waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation', { name: 'Views' }).isVisible()).toBe(false)
    expect(await page.getByText('72.5 kg').first().isVisible()).toBe(true)
    await shoot(page, 'shared-print')
  })

  it('shows pictures inline', async () => {
    const page = await browser.open(link)
    const picture = page.getByRole('img', { name: 'scale.png' })
    await picture.scrollIntoViewIfNeeded()
    await expect.poll(() => page.evaluate<boolean>('document.querySelector(".thumbs img").naturalWidth > 0'), { timeout: 15_000 }).toBe(true)
  })

  it('opens several links side by side', async () => {
    const page = await browser.open(link)
    const first = page.url()
    await page.goto(other)
    await page.getByText('a diary entry').waitFor()
    await page.goto(first)
    await page.getByText('72.5 kg').first().waitFor()
    expect(await page.getByText('a diary entry').count()).toBe(0)
  })

  it('adds a note by a link that only adds', async () => {
    const page = await browser.open(adding)
    await page.getByText('You can add data with this link, but not see any.').waitFor()
    await inspect(page, 'shared-add')
    await page.getByLabel('Note').fill('seen on Monday')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('Your note was added.').waitFor()
    await expectAccessible(page)
  })

  it('says that a link has ended', async () => {
    const page = await browser.open(`http://unknown-token@127.0.0.1:${node.port}/alice/`)
    await page.getByRole('link', { name: 'Show what the link opens' }).waitFor().catch(() => undefined)
    await page.getByRole('heading', { level: 1, name: 'This link is no longer valid' }).waitFor()
    await inspect(page, 'shared-ended')
  })

  it('shows a page of the account without a token', async () => {
    const page = await browser.open(`${node.url}alice/`)
    await page.getByRole('heading', { level: 1, name: 'Account of alice' }).waitFor()
    await inspect(page, 'account-address')
  })
})
