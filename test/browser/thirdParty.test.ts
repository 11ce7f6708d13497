/** Browser tests of sign-in by an identity provider, across sites with their cookies and policies. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestNode, type TestNode } from '../support/nodes/node.js'
import { startThirdParty, type ThirdParty } from '../support/services/oidc.js'
import { accountWith, ssoOf } from '../support/people/sso.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { inspect } from './support/inspect.js'
import { isAt } from './support/steps.js'

inBrowser('sign-in by an identity provider', () => {
  const browser = withBrowser()
  let node: TestNode
  let party: ThirdParty
  beforeAll(async () => {
    party = await startThirdParty()
    node = await startTestNode(ssoOf(party))
  })
  afterAll(async () => {
    await node.stop()
    await party.stop()
  })

  it('signs in by a link on the sign-in page', async () => {
    const { username, email } = await accountWith(node)
    party.person = { sub: username, email, email_verified: true }
    const page = await browser.open(`${node.url}web/sign-in`, { apps: [party.issuer] })
    await inspect(page, 'sign-in-third-party')
    await page.getByRole('link', { name: 'Sign in with Fake & Co' }).click()
    await isAt(page, '/web/overview')
    expect(await page.getByRole('banner').textContent()).toContain(username)
  })

  it('explains why it failed', async () => {
    party.person = { sub: 'stranger', email: 'stranger@example.org', email_verified: true }
    const page = await browser.open(`${node.url}web/sign-in`, { apps: [party.issuer] })
    await page.getByRole('link', { name: 'Sign in with Other' }).click()
    await page.getByRole('alert').waitFor()
    await inspect(page, 'third-party-no-account')
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await isAt(page, '/web/sign-in')
  })
})
