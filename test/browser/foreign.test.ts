/** What pages of others can do with the node's pages in the browser of somebody who is signed in: nothing. */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { withSite } from './support/site.js'
import { isAt, signIn } from './support/steps.js'

inBrowser('a page of others', () => {
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
       <form method="post" action="${node.url}web/access"><input type="hidden" name="do" value="sign-out"><button>Leave</button></form>`,
    )
    site().page('/good', '<p>Nothing</p>')
  })
  afterAll(() => node.stop())

  /** Other port, same site; and another site: browsers treat the two differently. */
  const origins = (): [string, string] => [site().origin, site().otherSite]

  const contextFor = (): Promise<BrowserContext> => browser.context({ origins: [new URL(node.url).origin], apps: origins() })

  async function signedIn(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    await page.goto(`${node.url}web/sign-in`)
    await signIn(page, 'alice')
    await isAt(page, '/web/access')
    return page
  }

  const places = [
    ['another port', 0],
    ['another site', 1],
  ] as const

  it.each(places)('on %s cannot show them in a frame', async (_, which) => {
    const page = await (await contextFor()).newPage()
    await page.goto(`${origins()[which]}/frame`)
    expect(browser.problems()).toContainEqual(expect.stringContaining('frame-ancestors'))
    expect(await page.frameLocator('iframe').getByLabel('Password').count()).toBe(0)
  })

  it.each(places)('on %s cannot sign anybody in', async (_, which) => {
    const page = await (await contextFor()).newPage()
    await page.goto(`${origins()[which]}/forged`)
    await page.getByRole('button', { name: 'Win' }).click()
    await page.getByText('This form has expired').waitFor()
    await page.goto(`${node.url}web/access`)
    expect(page.url()).toContain('/web/sign-in')
  })

  it.each(places)('on %s cannot do anything in the name of who is signed in', async (_, which) => {
    const page = await signedIn(await contextFor())
    await page.goto(`${origins()[which]}/forged`)
    await page.getByRole('button', { name: 'Leave' }).click()
    // From another port the form is refused; from another site the browser does not even say who is signed in.
    await page.waitForURL((url) => url.href.startsWith(`${node.url}web/`))
    await page.goto(`${node.url}web/access`)
    expect(page.url()).toBe(`${node.url}web/access`)
  })

  it.each(places)('on %s cannot read them', async (_, which) => {
    const page = await signedIn(await contextFor())
    await page.goto(`${origins()[which]}/good`)
    for (const path of ['web/access', 'web/sign-in']) {
      const read = `fetch('${node.url}${path}', { credentials: 'include' }).then((answer) => answer.text(), () => 'unreadable')`
      expect(await page.evaluate(read)).toBe('unreadable')
    }
    expect(browser.problems()).toContainEqual(expect.stringContaining('CORS policy'))
  })

  it('finds no cookie that scripts can read', async () => {
    const context = await contextFor()
    const page = await signedIn(context)
    expect(await page.evaluate('document.cookie')).toBe('')
    const cookies = await context.cookies(node.url + 'web/')
    expect(cookies.length).toBeGreaterThanOrEqual(2)
    for (const cookie of cookies) {
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/web' })
      expect(decodeURIComponent(cookie.value)).not.toMatch(/alice|correct|horse/)
    }
  })
})
