/** Browser tests of the API reference: its links, its filter, and its content without scripts. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { groupOf, groups } from '../../src/server/api/reference/groups.js'
import { isServed } from '../../src/server/api/reference/reference.js'
import { methods } from '../../src/server/api/methods.js'
import { startTestNode, type TestNode } from '../support/nodes/node.js'
import { ssoOn } from '../support/people/sso.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { expectAccessible, inspect, shoot } from './support/inspect.js'

inBrowser('the API reference', () => {
  const browser = withBrowser()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({ ...ssoOn, 'metrics.active': true })
  })
  afterAll(() => node.stop())

  it('lists and links every method, and is linked from the start page', async () => {
    const page = await browser.open(node.url)
    await page.getByRole('link', { name: 'API reference' }).click()
    await page.getByRole('heading', { level: 1, name: 'API reference' }).waitFor()
    const listed = await page.locator('.methods code').allTextContents()
    expect(listed.sort()).toEqual([...new Set(methods.filter(isServed).map(({ id }) => id))].sort())
    await inspect(page, 'api')
    await page.getByRole('link', { name: 'events.get', exact: true }).click()
    expect(new URL(page.url()).hash).toBe('#events.get')
    const method = page.locator('[id="events.get"]')
    await method.getByRole('heading', { name: 'events.get' }).waitFor()
    for (const text of ['GET /{username}/events', 'Number of events to skip; default 0.', 'Caller: Any access.', 'unknown-referenced-resource']) {
      await method.getByText(text).first().waitFor()
    }
    expect(await method.locator('[id="curl-events.get"]').innerText()).toContain(`curl -g '${node.url}ana-lovelace/events?streams[]=weight`)
    await expectAccessible(page)
    await shoot(page, 'api-events')
  })

  it('filters the methods', async () => {
    const page = await browser.open(`${node.url}web/api`)
    const box = page.getByRole('searchbox', { name: 'Filter methods' })
    const visible = (): Promise<string[]> => page.locator('.methods li:visible code').allTextContents()
    await box.fill('attach')
    expect(await visible()).toEqual(expect.arrayContaining(['events.addAttachment', 'events.getAttachment', 'delegations.acceptAttach']))
    expect(await visible()).not.toContain('streams.get')
    expect(await page.getByRole('heading', { name: 'Streams' }).isVisible()).toBe(false)
    await box.fill('PUT streams')
    expect(await visible()).toEqual(['streams.update'])
    await box.fill('no such method')
    await page.getByText('No method matches.').waitFor()
    expect(await visible()).toEqual([])
    await box.fill('')
    expect((await visible()).length).toBeGreaterThan(100)
    expect(await page.getByText('No method matches.').count()).toBe(0)
  })

  it('shows every group, without scripts', async () => {
    const context = await browser.context({ origins: [new URL(node.url).origin], javaScriptEnabled: false })
    const page = await context.newPage()
    for (const group of groups) {
      await page.goto(`${node.url}web/api?group=${group.name}`)
      const ids = [...new Set(methods.filter((each) => isServed(each) && groupOf(each.id) === group).map(({ id }) => id))].sort()
      expect(await page.locator('section.method h2').allTextContents(), group.name).toEqual(ids)
      expect(await page.getByRole('searchbox').count()).toBe(0)
    }
  })

  // All groups have the same elements; the long run checks each.
  const checked = groups.filter(({ name }) => process.env['LONG'] === '1' || name === 'events' || name === 'oauth')
  it.each(checked.map(({ name }) => name))('is accessible for the group %s, and fits small screens', async (name) => {
    const page = await browser.open(`${node.url}web/api?group=${name}`)
    await expectAccessible(page)
  })

  it.each([
    ['fr', 'Référence de l’API', 'Paramètres'],
    ['de', 'API-Referenz', 'Parameter'],
  ])('is translated to %s', async (locale, title, parameters) => {
    const page = await browser.open(`${node.url}web/api`, { locale })
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'streams.get', exact: true }).click()
    await page.getByRole('heading', { name: parameters }).first().waitFor()
  })
})
