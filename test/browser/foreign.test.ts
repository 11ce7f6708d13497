/** Browser tests that foreign pages cannot frame, forge, control or read the pages of the node. */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { withSite } from './support/site.js'
import { isAt, signIn } from './support/steps.js'

inBrowser('a foreign page', () => {
  const browser = withBrowser()
  const site = withSite()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
    await registerUser(node, 'alice')
    site().page('/frame', `<iframe title="Framed" src="${node.url}web/sign-in"></iframe>`)
    site().page(
      '/forged',
      `<form method="post" action="${node.url}web/sign-in"><input type="hidden" name="name" value="alice">
       <input type="hidden" name="password" value="correct horse"><button>Win</button></form>
       <form method="post" action="${node.url}web/overview"><input type="hidden" name="do" value="sign-out"><button>Leave</button></form>`,
    )
    site().page('/good', '<p>Nothing</p>')
  })
  afterAll(() => node.stop())

  /** Another port of the same site, and another site, which browsers treat differently. */
  const origins = (): [string, string] => [site().origin, site().otherSite]

  const contextFor = (): Promise<BrowserContext> => browser.context({ origins: [new URL(node.url).origin], apps: origins() })

  async function signInPage(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    await page.goto(`${node.url}web/sign-in`)
    await signIn(page, 'alice')
    await isAt(page, '/web/overview')
    return page
  }

  const originKinds = [
    ['another port', 0],
    ['another site', 1],
  ] as const

  it.each(originKinds)('on %s cannot show pages of the node in a frame', async (_, which) => {
    const page = await (await contextFor()).newPage()
    await page.goto(`${origins()[which]}/frame`)
    expect(browser.problems()).toContainEqual(expect.stringContaining('frame-ancestors'))
    expect(await page.frameLocator('iframe').getByLabel('Password').count()).toBe(0)
  })

  it.each(originKinds)('on %s cannot sign in a user', async (_, which) => {
    const page = await (await contextFor()).newPage()
    await page.goto(`${origins()[which]}/forged`)
    await page.getByRole('button', { name: 'Win' }).click()
    await page.getByText('This form has expired').waitFor()
    await page.goto(`${node.url}web/overview`)
    expect(page.url()).toContain('/web/sign-in')
  })

  it.each(originKinds)('on %s cannot act as the signed-in user', async (_, which) => {
    const page = await signInPage(await contextFor())
    await page.goto(`${origins()[which]}/forged`)
    await page.getByRole('button', { name: 'Leave' }).click()
    // The node refuses the form from another port; from another site the browser sends no cookie.
    await page.waitForURL((url) => url.href.startsWith(`${node.url}web/`))
    await page.goto(`${node.url}web/overview`)
    expect(page.url()).toBe(`${node.url}web/overview`)
  })

  it.each(originKinds)('on %s cannot read pages of the node', async (_, which) => {
    const page = await signInPage(await contextFor())
    await page.goto(`${origins()[which]}/good`)
    for (const path of ['web/overview', 'web/sign-in']) {
      const read = `fetch('${node.url}${path}', { credentials: 'include' }).then((answer) => answer.text(), () => 'unreadable')`
      expect(await page.evaluate(read)).toBe('unreadable')
    }
    expect(browser.problems()).toContainEqual(expect.stringContaining('CORS policy'))
  })

  it('cannot read cookies by scripts, except that of the time zone', async () => {
    const context = await contextFor()
    const page = await signInPage(context)
    expect(await page.evaluate('document.cookie')).toMatch(/^coffer_zone=[\w/]+$/)
    const cookies = (await context.cookies(node.url + 'web/')).filter((cookie) => cookie.name !== 'coffer_zone')
    expect(cookies.length).toBeGreaterThanOrEqual(2)
    for (const cookie of cookies) {
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/web' })
      expect(decodeURIComponent(cookie.value)).not.toMatch(/alice|correct|horse/)
    }
  })
})
