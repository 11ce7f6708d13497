/** Browser tests of the login button that the published client shows with the assets of the node. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestNode, type TestNode } from '../support/nodes/node.js'
import { appReleases, serveApp, stateOf, withApp } from './support/app.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { expectAccessible, shoot } from './support/inspect.js'

inBrowser.each(appReleases)('the login button of %s', (_, packages) => {
  const browser = withBrowser()
  const app = withApp()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({ 'service.name': 'Our node' })
  })
  afterAll(() => node.stop())

  const authRequest = { requestingAppId: 'heart-watch', requestedPermissions: [{ streamId: 'heart', level: 'read' }] }

  async function openApp(): Promise<Page> {
    await serveApp(app(), `${node.url}service/info`, authRequest, packages)
    const context = await browser.context({ origins: [new URL(node.url).origin], apps: [app().otherSite] })
    const page = await context.newPage()
    await page.goto(app().otherSite + app().path)
    await stateOf(page, 'INITIALIZED')
    return page
  }

  it('is visible, styled, and labelled by the client', async () => {
    const page = await openApp()
    const button = page.getByRole('button')
    // The client defines the label.
    expect((await button.textContent())?.trim()).toBe('Signin: Our node')
    const height = (await button.boundingBox())?.height ?? 0
    expect(height).toBeGreaterThanOrEqual(44)
    await expectAccessible(page)
    await shoot(page, 'app-button')
  })

  it('loads the icon, styles and texts in three languages', async () => {
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
