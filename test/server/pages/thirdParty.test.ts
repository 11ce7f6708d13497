/** Sign-in through a third party on the pages of the node, without scripts. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fakeClock } from '../../support/nodes/clock.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { startThirdParty, type ThirdParty } from '../../support/services/oidc.js'
import { accountWith, ssoOf } from '../../support/people/sso.js'
import { codeAt, enrol, trusting } from '../../support/people/totp.js'
import { visitor, type Page, type Visitor } from '../../support/people/visitor.js'

let party: ThirdParty
let node: TestNode
const clock = fakeClock(Date.now() / 1000)
beforeAll(async () => {
  party = await startThirdParty()
  node = await startTestNode({ ...trusting, ...ssoOf(party) }, { clock })
})
afterAll(async () => {
  await node.stop()
  await party.stop()
})
beforeEach(() => void (party.refuses = false))

/** Returns the target of a redirect. */
const redirectOf = ({ status, headers }: Page): string => {
  expect(status).toBe(302)
  return headers.get('location') ?? ''
}

/** Signs in at the third party, starting from the sign-in page; returns the callback URL. */
async function signInElsewhere(browser: Visitor, address = 'web/sign-in'): Promise<string> {
  await browser.open(address)
  expect(browser.page.text).toMatch(/Fake & Co/)
  const button = /href="([^"]*third-party[^"]*)"/.exec(browser.page.html)?.[1] ?? ''
  return party.signIn(redirectOf(await browser.open(button.replaceAll('&amp;', '&'))))
}

const returnTo = async (browser: Visitor, address: string): Promise<Page> => browser.open(redirectOf(await browser.open(address)))

describe('the button of a third party', () => {
  it('signs a person in and continues on the previous page', async () => {
    const { username, email } = await accountWith(node)
    party.person = { sub: username, email, email_verified: true }
    const browser = visitor(node, 'de')
    const page = await returnTo(browser, await signInElsewhere(browser, 'web/sign-in?to=%2Fsecond-factor%2Fset-up'))
    expect(page.path).toBe('/web/second-factor/set-up')
    expect(page.text).toContain(username)
    expect((await browser.open('web/overview')).text).toContain(username)
  })

  it('requires the second factor of the account', async () => {
    const { username, email, owner } = await accountWith(node)
    const { secret } = await enrol(node, { username, token: owner }, clock)
    party.person = { sub: username, email, email_verified: true }
    const browser = visitor(node)
    expect((await returnTo(browser, await signInElsewhere(browser))).path).toBe('/web/second-factor')
    const page = await browser.submit({ code: codeAt(secret, clock.now()) })
    expect([page.path, page.text]).toEqual(['/web/overview', expect.stringContaining(username) as string])
  })

  it.each([
    ['without an account', { email: 'nobody@example.org', email_verified: true }, 'There is no account here with your e-mail address'],
    ['without a verified address', { email: 'nobody@example.org', email_verified: false }, 'did not confirm who you are'],
  ])('shows the reason to a person %s, with a link back', async (_, claims, reason) => {
    party.person = { sub: 'x', ...claims }
    const browser = visitor(node)
    const page = await returnTo(browser, await signInElsewhere(browser, 'web/sign-in?to=%2Fsecond-factor%2Fset-up'))
    expect([page.status, page.text]).toEqual([403, expect.stringContaining(reason) as string])
    expect(page.html).toContain('href="/web/sign-in?to=%2Fsecond-factor%2Fset-up"')
    expect(page.html).not.toContain('came=')
  })

  it('does not sign in to an account with an unverified address', async () => {
    const { username, email } = await accountWith(node, {})
    party.person = { sub: username, email, email_verified: true }
    const browser = visitor(node)
    expect((await returnTo(browser, await signInElsewhere(browser))).text).toContain('is not confirmed yet')
  })

  it('signs in the browser that started the sign-in only', async () => {
    const { username, email } = await accountWith(node)
    party.person = { sub: username, email, email_verified: true }
    const [mallory, victim] = [visitor(node), visitor(node)]
    const landing = redirectOf(await mallory.open(await signInElsewhere(mallory)))
    expect((await victim.open(landing)).text).toContain('started in another browser')
    await signInElsewhere(victim)
    expect((await victim.open(landing)).text).toContain('started in another browser')
    expect((await victim.open('web/overview')).path).toContain('/web/sign-in')
    // HEAD does not consume the address, which is valid once.
    await fetch(landing, { method: 'HEAD', redirect: 'manual' })
    expect((await mallory.open(landing)).text).toContain(username)
    expect((await mallory.open(landing)).text).toContain('started in another browser')
  })

  it.each(['by=nobody', 'came=', 'by='])('redirects to the sign-in page with the query %s', async (query) => {
    expect((await visitor(node).open(`web/third-party?${query}`)).path).toBe('/web/sign-in')
  })

  it('refuses forged and expired results', async () => {
    const { username, email } = await accountWith(node)
    party.person = { sub: username, email, email_verified: true }
    const browser = visitor(node)
    expect((await browser.open('web/third-party?came=x')).text).toContain('started in another browser')
    const landing = redirectOf(await browser.open(await signInElsewhere(browser)))
    clock.pass(121)
    expect((await browser.open(landing)).text).toContain('has expired')
    expect((await browser.open('web/overview')).path).toContain('/web/sign-in')
  })
})

it('the sign-in page has no button with another landing page or without third parties', async () => {
  for (const more of [{ 'sso.landingPageURL': 'https://sign.example.org/' }, { 'sso.providers': {} }]) {
    const other = await startTestNode({ ...ssoOf(party), ...more })
    try {
      expect((await visitor(other).open('web/sign-in')).html).not.toContain('third-party')
    } finally {
      await other.stop()
    }
  }
})
