/** The log-in button that the published client shows in an app's page, from what the node serves and nobody else. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestNode, type TestNode } from '../support/nodes/node.js'
import { appReleases, layApp, stateOf, withApp } from './support/app.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { expectAccessible, shoot } from './support/inspect.js'

inBrowser.each(appReleases)('the log-in button of %s', (_, packages) => {
  const browser = withBrowser()
  const app = withApp()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({ 'service.name': 'Our node' })
  })
  afterAll(() => node.stop())

  const asked = { requestingAppId: 'heart-watch', requestedPermissions: [{ streamId: 'heart', level: 'read' }] }

  async function openApp(): Promise<Page> {
    await layApp(app(), `${node.url}service/info`, asked, packages)
    const context = await browser.context({ origins: [new URL(node.url).origin], apps: [app().otherSite] })
    const page = await context.newPage()
    await page.goto(app().otherSite + app().path)
    await stateOf(page, 'INITIALIZED')
    return page
  }

  it('is there, styled, and says what the client wants it to say', async () => {
    const page = await openApp()
    const button = page.getByRole('button')
    // The words are the client's own.
    expect((await button.textContent())?.trim()).toBe('Signin: Our node')
    const height = (await button.boundingBox())?.height ?? 0
    expect(height).toBeGreaterThanOrEqual(44)
    await expectAccessible(page)
    await shoot(page, 'app-button')
  })

  it('comes with icon, styles and words in three languages', async () => {
    const page = await openApp()
    const messages = await page.evaluate<Record<string, string>[]>(`(async () => {
      const service = new pryv.Service('${node.url}service/info')
      const assets = await service.assets()
      await assets.setAllDefaults()
      return assets.loginButtonGetMessages()
    })()`)
    expect(messages).toMatchObject({ LOGIN: { en: 'Sign in', fr: 'Se connecter', de: 'Anmelden' } })
    for (const link of ['link[rel*=icon]', 'link[rel=stylesheet]']) {
      const hrefs = await page.evaluate<string[]>(`[...document.querySelectorAll('${link}')].map(({ href }) => href)`)
      expect(hrefs.filter((href) => href.startsWith(`${node.url}assets/`))).not.toEqual([])
    }
  })
})
