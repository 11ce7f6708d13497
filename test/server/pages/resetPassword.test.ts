/** Pages that request and set a new password, in a browser without scripts. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Mail } from '../../../src/server/mail/mailer.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { testMailer } from '../../support/services/mail.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../support/nodes/node.js'
import { withNode } from '../../support/nodes/started.js'
import { visitor, type Page, type Visitor } from '../../support/people/visitor.js'

const clock = fakeClock()
const mail = testMailer()
let node: TestNode
beforeAll(async () => {
  const settings = {
    'auth.passwordComplexityMinCharCategories': 2,
    'auth.passwordPreventReuseHistoryLength': 3,
    'auth.passwordResetRequestMaxAge': 900_000,
  }
  node = await startTestNode(settings, { clock, mail })
})
afterAll(() => node.stop())
beforeEach(() => {
  mail.isBroken = false
  mail.off.clear()
  // Resets the rate limits.
  clock.pass(2 * 86_400)
})

let users = 0
async function account(at = node): Promise<string> {
  const user = `user-${(users += 1)}`
  await registerUser(at, user)
  return user
}

const OLD = 'correct horse'
const NEW = 'battery staple 2'
const chosen = { password: NEW, again: NEW }
const logIn = (user: string, password: string): Promise<Answer> =>
  request(`${node.url}${user}/auth/login`, {
    body: { username: user, password, appId: 'test-app' },
    headers: { origin: new URL(node.url).origin },
  })
const resetMails = (user: string): Mail[] => mail.to(`${user}@example.org`).filter(({ kind }) => kind === 'resetPassword')
const mailsTo = (user: string): number => resetMails(user).length
const linkTo = (user: string): string => resetMails(user).at(-1)?.substitutions['RESET_LINK'] ?? ''

/** Requests a link; returns the link of the mail. */
async function mailedLink(user: string, browser = visitor(node), query = ''): Promise<string> {
  const before = mailsTo(user)
  await browser.open(`/web/reset-password${query}`)
  await browser.submit({ name: user })
  await vi.waitFor(() => expect(mailsTo(user)).toBe(before + 1))
  return linkTo(user)
}

/** Returns a browser that has opened the link of a mail. */
async function openMailedLink(user: string): Promise<Visitor> {
  const browser = visitor(node)
  await browser.open(await mailedLink(user))
  return browser
}

describe('requesting a link', () => {
  const CONFIRMATION = 'If an account with this name or address exists'

  it.each([
    ['the user name', (user: string) => user],
    ['the user name in upper case', (user: string) => ` ${user.toUpperCase()} `],
    ['the address', (user: string) => `${user}@example.org`],
    ['the address in mixed case', (user: string) => `${user}@Example.ORG`],
  ])('works with %s', async (_, name) => {
    const user = await account()
    const browser = visitor(node)
    await browser.open('/web/reset-password')
    const page = await browser.submit({ name: name(user) })
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(CONFIRMATION)])
    await vi.waitFor(() => expect(mailsTo(user)).toBe(1))
  })

  it('shows the same page for known and unknown accounts, and when the mail fails', async () => {
    const [user, broken] = [await account(), await account()]
    const pageFor = async (name: string): Promise<unknown> => {
      const browser = visitor(node)
      await browser.open('/web/reset-password')
      const { status, path, text } = await browser.submit({ name })
      return { status, path, text }
    }
    const first = await pageFor(user)
    expect(await pageFor('nobody-here')).toEqual(first)
    expect(await pageFor('nobody@example.net')).toEqual(first)
    expect(await pageFor('"><b>')).toEqual(first)
    mail.isBroken = true
    expect(await pageFor(broken)).toEqual(first)
    expect(node.logged.join()).not.toContain('a call failed unexpectedly')
  })

  it('is limited to one per minute, for unknown names too', async () => {
    const user = await account()
    for (const name of [user, 'nobody-at-all', 'no@example.net']) {
      const browser = visitor(node)
      await browser.open('/web/reset-password')
      await browser.submit({ name })
      await browser.open('/web/reset-password')
      const page = await browser.submit({ name })
      expect(page.status).toBe(429)
      expect(page.text).toContain('Try again in 60 seconds')
      expect(page.headers.get('retry-after')).toBe('60')
      expect(page.html).toContain('data-wait="60"')
      expect(page.html).toContain(`value="${name}"`)
    }
    expect(mailsTo(user)).toBe(1)
  })

  it('is limited for each client address, but not for clients of a proxy without X-Forwarded-For', async () => {
    const browser = visitor(node, 'en', '203.0.113.1')
    const statuses = []
    for (let at = 0; at < 21; at++) {
      await browser.open('/web/reset-password')
      statuses.push((await browser.submit({ name: `nobody-${at}` })).status)
    }
    expect(statuses).toEqual([...Array<number>(20).fill(200), 429])
    const unnamed = visitor(node)
    for (let at = 0; at < 21; at++) {
      await unnamed.open('/web/reset-password')
      expect((await unnamed.submit({ name: `nobody-${at}-here` })).status).toBe(200)
    }
  })

  it('sends one mail for concurrent requests with the same name', async () => {
    const user = await account()
    const browsers = Array.from({ length: 10 }, () => visitor(node))
    await Promise.all(browsers.map((browser) => browser.open('/web/reset-password')))
    const pages = await Promise.all(browsers.map((browser) => browser.submit({ name: user })))
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(1)
    await vi.waitFor(() => expect(mailsTo(user)).toBe(1))
  })

  it('is not offered if these mails are disabled', async () => {
    mail.off.add('resetPassword')
    const page = await visitor(node).open('/web/reset-password')
    expect(page.text).toContain('cannot send mails')
    expect(page.html).not.toContain('<form')
  })

  it('is linked from the sign-in page with its parameters', async () => {
    const browser = visitor(node)
    await browser.open('/web/sign-in?key=abcdefgh12345678')
    expect(browser.page.html).toContain('/web/reset-password?key=abcdefgh12345678')
  })
})

describe('the link of the mail', () => {
  it('opens a page that sets a password once', async () => {
    const user = await account()
    const browser = await openMailedLink(user)
    expect(browser.page.path).toBe('/web/reset-password/new')
    expect(browser.page.html).toContain(`value="${user}"`)
    const page = await browser.submit(chosen)
    expect([page.status, page.path]).toEqual([200, '/web/reset-password/new'])
    expect(page.text).toContain('Your password has been changed')
    expect((await logIn(user, OLD)).status).toBe(401)
    expect((await logIn(user, NEW)).status).toBe(200)
    expect((await browser.open(page.path)).text).toContain('Your password has been changed')
    const [, link = ''] = /href="([^"]*sign-in[^"]*)"/.exec(page.html) ?? []
    expect((await browser.open(link)).html).toContain(`value="${user}"`)
    await browser.submit({ password: NEW })
    expect(browser.page.path).toBe('/web/overview')
  })

  it('is not consumed by GET and HEAD', async () => {
    const user = await account()
    const link = await mailedLink(user)
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) expect((await fetch(link, { method })).status).toBe(200)
    const browser = visitor(node)
    for (let again = 0; again < 3; again++) await browser.open(link)
    await browser.open('/web/reset-password/new')
    expect((await browser.submit(chosen)).text).toContain('Your password has been changed')
  })

  it('reveals its token in no URL, page or log', async () => {
    const user = await account()
    const link = await mailedLink(user)
    const token = new URL(link).searchParams.get('resetToken') ?? ''
    const first = await fetch(link, { redirect: 'manual' })
    expect(first.status).toBe(303)
    expect(first.headers.get('location')).toBe('/web/reset-password/new')
    expect(first.headers.get('referrer-policy')).toBe('no-referrer')
    expect(first.headers.get('cache-control')).toBe('no-store')
    const cookies = first.headers.getSetCookie()
    expect(cookies.find((cookie) => cookie.includes('_reset='))).toMatch(/; HttpOnly; SameSite=Lax; Max-Age=3600$/)
    const browser = visitor(node)
    const texts = [...cookies, await first.text(), (await browser.open(link)).html]
    texts.push((await browser.submit({ ...chosen, again: 'else' })).html, (await browser.submit(chosen)).html)
    expect(browser.page.text).toContain('Your password has been changed')
    texts.push(...browser.cookies.values(), ...node.logged)
    expect(texts.filter((one) => one.includes(token))).toEqual([])
  })

  const invalidLinks: [link: string, spoil: (user: string, link: string) => Promise<string> | string][] = [
    ['an expired link', (_, link) => (clock.pass(901), link)],
    ['an invalid link', (_, link) => link.replace(/resetToken=.{8}/, 'resetToken=xxxxxxxx')],
    ['a link for another account', async (user, link) => link.replace(user, await account())],
    ['a link for an unknown account', (user, link) => link.replace(user, 'nobody-here')],
    ['a superseded link', async (user, link) => (clock.pass(61), await mailedLink(user), link)],
    ['the page without a link', () => '/web/reset-password/new'],
    ['a link with too long a token', (user) => `/web/reset-password/new?username=${user}&resetToken=${'x'.repeat(5000)}`],
  ]
  it.each(invalidLinks)('%s is refused, with a link to request another', async (_, spoil) => {
    const user = await account()
    const link = await spoil(user, await mailedLink(user))
    const page = await visitor(node).open(link)
    expect(page.text).toContain('This link is no longer valid')
    expect(page.html).not.toContain('<form')
    expect(page.html).toContain('href="/web/reset-password"')
    expect((await logIn(user, OLD)).status).toBe(200)
  })

  it('that was used since its form was opened is refused', async () => {
    const user = await account()
    const link = await mailedLink(user)
    const [one, other] = [visitor(node), visitor(node)]
    await one.open(link)
    await other.open(link)
    expect((await one.submit(chosen)).text).toContain('Your password has been changed')
    const late = await other.submit({ password: 'yet another 3', again: 'yet another 3' })
    expect([late.status, late.text]).toEqual([401, expect.stringContaining('This link is no longer valid')])
    expect((await logIn(user, NEW)).status).toBe(200)
  })

  it('with 50 concurrent forms sets one password', async () => {
    const user = await account()
    const browser = await openMailedLink(user)
    const send = async (at: number): Promise<[string, Page]> => {
      const own = visitor(node)
      for (const [name, value] of browser.cookies) own.cookies.set(name, value)
      own.page = browser.page
      const password = `new password ${at}`
      return [password, await own.submit({ password, again: password })]
    }
    const sent = await Promise.all(Array.from({ length: 50 }, (_, at) => send(at)))
    const done = sent.filter(([, { text }]) => text.includes('Your password has been changed'))
    expect(done).toHaveLength(1)
    expect(sent.filter(([, { text }]) => text.includes('no longer valid'))).toHaveLength(49)
    expect((await logIn(user, done[0]?.[0] ?? '')).status).toBe(200)
  })

  it('of another account does not accept the form of the first', async () => {
    const [first, second] = [await account(), await account()]
    const browser = await openMailedLink(first)
    const form = browser.page
    await browser.open(await mailedLink(second))
    browser.page = form
    const page = await browser.submit(chosen)
    expect(page.status).toBe(400)
    for (const user of [first, second]) expect((await logIn(user, OLD)).status).toBe(200)
  })

  it('that lacks the user name asks for it', async () => {
    const user = await account()
    const link = (await mailedLink(user)).replace(/&username=.*/, '')
    const browser = visitor(node)
    await browser.open(link)
    expect((await browser.submit({ username: 'somebody-else', ...chosen })).status).toBe(401)
    await browser.open(link)
    expect((await browser.submit({ username: ` ${user} `, ...chosen })).text).toContain('Your password has been changed')
  })

  it('continues with the pending access request and its language', async () => {
    const user = await account()
    const browser = visitor(node)
    const link = await mailedLink(user, browser, '?key=abcdefgh12345678&lang=fr')
    await browser.open(link)
    expect(browser.page.text).toContain('Choisir un nouveau mot de passe')
    const { html } = await browser.submit(chosen)
    expect(html.replaceAll('&amp;', '&')).toContain(`/web/sign-in?key=abcdefgh12345678&lang=fr&username=${user}`)
  })

  it('has its parameters escaped', async () => {
    const page = await visitor(node).open('/web/reset-password/new?resetToken=x&username=%22%3E%3Cscript%3Ealert(1)%3C/script%3E')
    expect(page.html).not.toContain('<script>alert')
  })
})

describe('a new password', () => {
  const invalid: [defect: string, fields: Record<string, string>, message: string, field: string][] = [
    ['that is too short', { password: 'ab 1', again: 'ab 1' }, 'At least 6 characters, with 2 of these', 'password'],
    ['of one kind of characters', { password: 'onlyletters', again: 'onlyletters' }, 'does not meet the rules', 'password'],
    ['that is too long', { password: 'x1'.repeat(51), again: 'x1'.repeat(51) }, 'more than 100 characters', 'password'],
    ['that differs from its repetition', { password: NEW, again: `${NEW} ` }, 'The two passwords differ', 'again'],
    ['that is missing', {}, 'At least 6 characters', 'password'],
  ]
  it.each(invalid)('%s is refused, and the link remains valid', async (_, fields, message, field) => {
    const user = await account()
    const browser = await openMailedLink(user)
    const page = await browser.submit(fields)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(message)])
    expect(page.html).toMatch(new RegExp(`<input id="${field}"[^>]*aria-invalid="true"`))
    if (fields['password'] !== undefined) expect(page.html).not.toContain(`value="${fields['password']}"`)
    expect((await browser.submit(chosen)).text).toContain('Your password has been changed')
  })

  it('that was used before is refused, and the link remains valid', async () => {
    const user = await account()
    const browser = await openMailedLink(user)
    const page = await browser.submit({ password: OLD, again: OLD })
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('must differ from the last 3 passwords')])
    expect(page.html).toMatch(/<input id="password"[^>]*aria-invalid="true"/)
    expect((await browser.submit(chosen)).text).toContain('Your password has been changed')
    expect((await browser.open('/web/reset-password/new')).text).toContain('Your password has been changed')
  })
})

describe('a minimum age of passwords', () => {
  const young = withNode({ 'auth.passwordAgeMinDays': 5 }, { clock, mail })

  it('is shown on the page of the link, which remains valid', async () => {
    const other = young()
    const user = await account(other)
    const browser = visitor(other)
    const link = await mailedLink(user, browser)
    for (let again = 0; again < 2; again++) {
      const page = await browser.open(link)
      expect([page.status, page.text]).toEqual([400, expect.stringMatching(/You can change it from \w+ \d+, \d{4} on/)])
    }
  })
})

describe('in French and German', () => {
  it.each([
    ['fr', ['Réinitialiser votre mot de passe', 'Consultez vos e-mails', 'Choisir un nouveau', 'sont différents', 'Votre mot de passe a été modifié']],
    ['de', ['Passwort zurücksetzen', 'Sehen Sie in Ihrer E-Mail nach', 'Neues Passwort wählen', 'sind verschieden', 'Ihr Passwort wurde geändert']],
  ])('the pages are available in %s', async (language, [first, second, third, fourth, last]) => {
    const user = await account()
    const browser = visitor(node, language)
    expect((await browser.open('/web/reset-password')).text).toContain(first)
    expect((await browser.submit({ name: user })).text).toContain(second)
    await vi.waitFor(() => expect(mailsTo(user)).toBe(1))
    expect((await browser.open(linkTo(user))).text).toContain(third)
    expect((await browser.submit({ ...chosen, again: 'x' })).text).toContain(fourth)
    expect((await browser.submit(chosen)).text).toContain(last)
  })
})
