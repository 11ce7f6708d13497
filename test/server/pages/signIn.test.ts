/** Sign-in page in a browser without scripts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { visitor } from '../../support/people/visitor.js'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode({ 'auth.passwordAttempts.freeFailures': 2, 'auth.passwordAttempts.baseSeconds': 60 })
  await registerUser(node, 'alice')
  await registerUser(node, 'bobby')
})
afterAll(() => node.stop())

const right = { name: 'alice', password: 'correct horse' }

describe('the sign-in page', () => {
  it.each(['alice', ' Alice ', 'alice@example.org'])('signs in the owner with %j', async (name) => {
    const browser = visitor(node)
    await browser.open('/web/sign-in')
    const page = await browser.submit({ ...right, name })
    expect(page.path).toBe('/web/overview')
    expect(page.text).toContain('alice')
  })

  it('shows the error and preserves the name, but not the password', async () => {
    const browser = visitor(node)
    await browser.open('/web/sign-in')
    const page = await browser.submit({ name: 'alice', password: 'wrong "quoted" <b>' })
    expect(page.status).toBe(401)
    expect(page.text).toContain('The user name or the password is wrong.')
    expect(page.html).toContain('value="alice"')
    expect(page.html).not.toContain('quoted')
    await browser.submit(right)
    expect(browser.page.path).toBe('/web/overview')
  })

  it.each([
    ['nobody', 'The user name or the password is wrong.', 404],
    ['nobody@example.org', 'There is no account with this e-mail address.', 404],
    ['', 'The user name or the password is wrong.', 404],
  ])('shows for %j: %s', async (name, message, status) => {
    const browser = visitor(node)
    await browser.open('/web/sign-in')
    const page = await browser.submit({ name, password: 'whatever it is' })
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(message)])
  })

  it('shows the delay after several wrong passwords', async () => {
    const browser = visitor(node)
    await browser.open('/web/sign-in')
    for (let again = 0; again < 3; again++) await browser.submit({ name: 'bobby', password: `wrong ${again}` })
    const page = await browser.submit({ name: 'bobby', password: 'correct horse' })
    expect(page.status).toBe(429)
    expect(page.text).toMatch(/Try again in \d+ (seconds|minute)/)
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(page.html).toMatch(/<form[^>]* data-wait="\d+"/)
  })

  it.each([
    ['fr', 'Se connecter'],
    ['de-CH, en', 'Anmelden'],
    ['it', 'Sign in'],
  ])('is available in the language of a browser with %s', async (language, title) => {
    const page = await visitor(node, language).open('/web/sign-in')
    expect(page.html).toContain(`<html lang="${title === 'Sign in' ? 'en' : language.slice(0, 2)}">`)
    expect(page.text).toContain(title)
  })

  it('prefers the language of the URL over that of the browser, and preserves it', async () => {
    const browser = visitor(node, 'de')
    await browser.open('/web/sign-in?lang=fr')
    await browser.submit({ name: 'alice', password: 'wrong' })
    expect(browser.page.text).toContain('incorrect')
  })

  it('refuses a form without its token', async () => {
    for (const fields of [{ form_token: null }, { form_token: 'x' }]) {
      const browser = visitor(node)
      await browser.open('/web/sign-in')
      const page = await browser.submit({ ...right, ...fields })
      expect(page.status).toBe(403)
      expect((await browser.open('/web/overview')).path).toMatch(/^\/web\/sign-in/)
    }
  })

  it('accepts a repeated form', async () => {
    const browser = visitor(node)
    await browser.open('/web/sign-in')
    const before = browser.page
    await browser.submit(right)
    browser.page = before
    expect((await browser.submit(right)).path).toBe('/web/overview')
  })

  it('refuses form tokens issued before the sign-in', async () => {
    const stranger = visitor(node)
    await stranger.open('/web/sign-in')
    const browser = visitor(node)
    for (const [name, value] of stranger.cookies) browser.cookies.set(name, value)
    const { html } = stranger.page
    const formToken = /name="form_token" value="([^"]*)"/.exec(html)?.[1] ?? ''
    await browser.open('/web/sign-in')
    await browser.submit(right)
    expect((await browser.submit({ do: 'sign-out', form_token: formToken })).status).toBe(403)
    expect((await browser.open('/web/overview')).path).toBe('/web/overview')
  })

  it('redirects a signed-in person', async () => {
    const browser = visitor(node)
    await browser.open('/web/sign-in?key=abcdefgh12345678')
    await browser.submit(right)
    expect(browser.page.path).toBe('/web/authorize?key=abcdefgh12345678')
    await browser.open('/web/sign-in')
    expect(browser.page.path).toBe('/web/overview')
  })

  it('requires another sign-in after the session has ended', async () => {
    const browser = visitor(node)
    await browser.open('/web/sign-in')
    await browser.submit(right)
    const { node: inner } = node
    const loaded = await inner.accounts.find('alice')
    const { operate } = await import('../../support/nodes/operatorMethods.js')
    expect(loaded).toBeDefined()
    await operate(inner, 'sessions.end', { username: 'alice' })
    expect((await browser.open('/web/overview')).path).toBe('/web/sign-in?to=%2Foverview')
  })
})
