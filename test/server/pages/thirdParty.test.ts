/** Signing in by a third party on the node's own pages, without scripts. */
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

/** Where a redirect of another site leads the browser. */
const ledTo = ({ status, headers }: Page): string => {
  expect(status).toBe(302)
  return headers.get('location') ?? ''
}

/** From the page for signing in to the third party and back: the address to which that leads the browser back. */
async function away(who: Visitor, address = 'web/sign-in'): Promise<string> {
  await who.open(address)
  expect(who.page.text).toMatch(/Fake & Co/)
  const button = /href="([^"]*third-party[^"]*)"/.exec(who.page.html)?.[1] ?? ''
  return party.signIn(ledTo(await who.open(button.replaceAll('&amp;', '&'))))
}

const back = async (who: Visitor, address: string): Promise<Page> => who.open(ledTo(await who.open(address)))

describe('by the button of a third party', () => {
  it('a person is signed in, and goes on with what was begun', async () => {
    const { username, email } = await accountWith(node)
    party.person = { sub: username, email, email_verified: true }
    const who = visitor(node, 'de')
    const page = await back(who, await away(who, 'web/sign-in?to=mfa'))
    expect(page.path).toBe('/web/second-factor/set-up?to=mfa')
    expect(page.text).toContain(username)
    expect((await who.open('web/access')).text).toContain(username)
  })

  it('a person with a second factor is asked for it', async () => {
    const { username, email, owner } = await accountWith(node)
    const { secret } = await enrol(node, { username, token: owner }, clock)
    party.person = { sub: username, email, email_verified: true }
    const who = visitor(node)
    expect((await back(who, await away(who))).path).toBe('/web/second-factor')
    const page = await who.submit({ code: codeAt(secret, clock.now()) })
    expect([page.path, page.text]).toEqual(['/web/access', expect.stringContaining(username) as string])
  })

  it.each([
    ['has no account', { email: 'nobody@example.org', email_verified: true }, 'There is no account here with your e-mail address'],
    ['is not sure of the address there', { email: 'nobody@example.org', email_verified: false }, 'did not confirm who you are'],
  ])('a person who %s reads why, and can go back', async (_, claims, says) => {
    party.person = { sub: 'x', ...claims }
    const who = visitor(node)
    const page = await back(who, await away(who, 'web/sign-in?to=mfa'))
    expect([page.status, page.text]).toEqual([403, expect.stringContaining(says) as string])
    expect(page.html).toContain('href="/web/sign-in?to=mfa"')
    expect(page.html).not.toContain('came=')
  })

  it('an account whose address nobody has proved is not opened', async () => {
    const { username, email } = await accountWith(node, {})
    party.person = { sub: username, email, email_verified: true }
    const who = visitor(node)
    expect((await back(who, await away(who))).text).toContain('is not confirmed yet')
  })

  it('nobody signs in another browser in', async () => {
    const { username, email } = await accountWith(node)
    party.person = { sub: username, email, email_verified: true }
    const [mallory, victim] = [visitor(node), visitor(node)]
    const landing = ledTo(await mallory.open(await away(mallory)))
    expect((await victim.open(landing)).text).toContain('started in another browser')
    await away(victim)
    expect((await victim.open(landing)).text).toContain('started in another browser')
    expect((await victim.open('web/access')).path).toContain('/web/sign-in')
    // Who only looks takes nothing away, and it is good once.
    await fetch(landing, { method: 'HEAD', redirect: 'manual' })
    expect((await mallory.open(landing)).text).toContain(username)
    expect((await mallory.open(landing)).text).toContain('started in another browser')
  })

  it.each(['by=nobody', 'came=', 'by='])('%s leads nowhere else', async (query) => {
    expect((await visitor(node).open(`web/third-party?${query}`)).path).toBe('/web/sign-in')
  })

  it('what the node has not sealed, or too long ago, is of no use', async () => {
    const { username, email } = await accountWith(node)
    party.person = { sub: username, email, email_verified: true }
    const who = visitor(node)
    expect((await who.open('web/third-party?came=x')).text).toContain('started in another browser')
    const landing = ledTo(await who.open(await away(who)))
    clock.pass(121)
    expect((await who.open(landing)).text).toContain('has expired')
    expect((await who.open('web/access')).path).toContain('/web/sign-in')
  })
})

it('there is no button where people come back to another page, or there is no third party', async () => {
  for (const more of [{ 'sso.landingPageURL': 'https://sign.example.org/' }, { 'sso.providers': {} }]) {
    const other = await startTestNode({ ...ssoOf(party), ...more })
    try {
      expect((await visitor(other).open('web/sign-in')).html).not.toContain('third-party')
    } finally {
      await other.stop()
    }
  }
})
