/**
 * The first day of somebody who has never seen a command line: an account, a weight, a picture, a chart, a link for another person
 * in another browser, its withdrawal, and what happened.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { isAt, PASSWORD } from '../support/steps.js'

const PICTURE = fileURLToPath(new URL('../../../docs/pictures/shared-link.png', import.meta.url))
const READER = 'Dr. Meier'

/** Waits until the first picture of a page is drawn. */
const expectPicture = (page: Page): Promise<void> =>
  expect.poll(() => page.evaluate<number>('document.querySelector("main img").naturalWidth'), { timeout: 15_000 }).toBeGreaterThan(0)

inBrowser('the first day with the console', () => {
  const browser = withBrowser()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
  })
  afterAll(() => node.stop())

  it.each([
    ['a desktop', 1280],
    ['a phone', 390],
  ])('leads from the registration to the withdrawal of a link on %s', async (_, width) => {
    const page = await browser.open(`${node.url}web/register`, { viewport: { width, height: 844 } })
    const open = (path: string): Promise<unknown> => page.goto(`${node.url}web${path}`)
    await page.getByLabel('User name').fill(`newcomer-${width}`)
    await page.getByLabel('E-mail address').fill(`newcomer-${width}@example.org`)
    await page.getByLabel('Choose a password').fill(PASSWORD)
    await page.getByLabel('Repeat the password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create the account' }).click()
    await isAt(page, '/web/overview')

    await page.getByRole('link', { name: 'Add an entry' }).click()
    await page.getByRole('link', { name: 'Weight' }).click()
    await page.locator('input[name=content]').fill('72.5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The entry was saved.').waitFor()
    expect(await page.locator('main').innerText()).toContain('72.5\u00a0kg')

    await open('/upload')
    await page.getByLabel('Or a new stream, named').fill('Pictures')
    await page.locator('#files').setInputFiles(PICTURE)
    await page.getByRole('button', { name: 'Save the files' }).click()
    await page.getByText('The entry was saved.').waitFor()
    await expectPicture(page)

    await open('/charts')
    await page.getByRole('link', { name: /^Open: Weight/ }).click()
    await page.locator('section.chart-part svg[role=img]').waitFor()
    expect(await page.locator('#count-0').textContent()).toBe('1 value')

    await open('/access/link/new')
    await page.getByLabel('For whom?').fill(READER)
    for (const stream of ['Weight', 'Pictures']) await page.getByRole('checkbox', { name: stream, exact: true }).check()
    await page.getByLabel('Note', { exact: true }).fill('My weight since November.')
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('heading', { level: 1, name: `Link for ${READER}` }).waitFor()
    const link = (await page.locator('main code').first().textContent()) ?? ''
    expect(page.url()).not.toContain(new URL(link).username)

    const other = await browser.open(link, { locale: 'de', viewport: { width, height: 844 } })
    await other.getByText('My weight since November.').waitFor()
    expect(other.url()).not.toContain(new URL(link).username)
    expect(await other.locator('body').innerText()).toContain('72,5\u00a0kg')
    await expectPicture(other)

    await open('/access')
    await page.getByRole('link', { name: new RegExp(READER) }).first().click()
    await page.getByRole('link', { name: /^Withdraw/ }).click()
    await page.getByText('can no longer see or change anything here').waitFor()
    await page.getByRole('button', { name: 'Revoke access' }).click()
    await page.getByText('Access revoked.').waitFor()
    await other.reload()
    await other.getByRole('heading', { name: 'Dieser Link ist nicht mehr gültig' }).waitFor()
    browser.problems()

    await open('/activity')
    const activity = (await page.locator('main').innerText()).replace(/[\u2068\u2069]/g, '')
    expect(activity).toContain(`The access of “${READER}” was withdrawn by you`)
    expect(activity).toMatch(new RegExp(`were read through the link “${READER}”`))
    expect(activity).toContain(`Access was given to “${READER}” by you`)
    expect(activity).toContain('An entry was added to “Weight” by you')
  })
})
