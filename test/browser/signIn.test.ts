/** Browser tests of the sign-in page. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { fakeClock } from '../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { expectAccessible, inspect, shoot } from './support/inspect.js'
import { isAt, signIn } from './support/steps.js'

const FREE_FAILURES = 2
const WAIT_SECONDS = 60

inBrowser('the sign-in page', () => {
  const browser = withBrowser()
  const clock = fakeClock()
  let node: TestNode
  beforeAll(async () => {
    const settings = { 'auth.passwordAttempts.freeFailures': FREE_FAILURES, 'auth.passwordAttempts.baseSeconds': WAIT_SECONDS }
    node = await startTestNode(settings, { clock })
    await registerUser(node, 'alice')
    await registerUser(node, 'bobby')
  })
  // Failures of one test must not delay the next one.
  beforeEach(() => clock.pass(86_400))
  afterAll(() => node.stop())

  const address = (): string => `${node.url}web/sign-in`
  const name = (page: Page) => page.getByLabel('User name or e-mail address')
  const password = (page: Page) => page.getByLabel('Password', { exact: true })
  const button = (page: Page) => page.getByRole('button', { name: /^Sign in/ })

  it('is public', async () => {
    const page = await browser.open(address())
    expect(await page.title()).toBe('Sign in · coffer')
    await inspect(page, 'sign-in')
  })

  it.each(['alice', 'alice@example.org'])('signs in the owner by %s', async (login) => {
    const page = await browser.open(address())
    await signIn(page, login, 'correct horse')
    await isAt(page, '/web/overview')
    expect(await page.getByRole('banner').textContent()).toContain('alice')
  })

  it('works without scripts', async () => {
    const page = await browser.open(address(), { javaScriptEnabled: false })
    await signIn(page, 'alice', 'wrong')
    expect(await page.getByRole('alert').textContent()).toContain('The user name or the password is wrong.')
    await password(page).fill('correct horse')
    await button(page).click()
    await isAt(page, '/web/overview')
  })

  it('works without a mouse', async () => {
    const page = await browser.open(address())
    const { keyboard } = page
    // Browsers render in parts, so that typing must wait for the focus.
    const waitForFocus = (field: string): Promise<void> => page.locator(`input[name=${field}]:focus`).waitFor()
    await waitForFocus('name')
    await keyboard.type('alice')
    await keyboard.press('Tab')
    await keyboard.type('wrong')
    await keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    // The name is kept, so the password gets the focus.
    await waitForFocus('password')
    await page.getByRole('button', { name: 'Show password' }).waitFor()
    await keyboard.type('correct horse')
    await keyboard.press('Tab')
    expect(await page.locator('button:focus').textContent()).toBe('Show password')
    await keyboard.press('Space')
    expect(await password(page).getAttribute('type')).toBe('text')
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await isAt(page, '/web/overview')
  })

  it('announces errors to screen readers, and keeps only the name', async () => {
    const page = await browser.open(address())
    await signIn(page, 'alice', 'wrong')
    expect(await page.getByRole('alert').textContent()).toContain('There is a problem: The user name or the password is wrong.')
    expect([await name(page).inputValue(), await password(page).inputValue()]).toEqual(['alice', ''])
    await inspect(page, 'sign-in-wrong')
    await signIn(page, 'nobody@example.org', 'wrong')
    await page.getByText('There is no account with this e-mail address.').waitFor()
  })

  it('counts down after many wrong passwords, then accepts the correct one', async () => {
    const page = await browser.open(address())
    await page.clock.install()
    for (let attempt = 0; attempt <= FREE_FAILURES; attempt++) {
      await signIn(page, 'bobby', `wrong ${attempt}`)
      await page.getByRole('alert').waitFor()
    }
    await signIn(page, 'bobby', 'correct horse')
    await page.getByText(/Try again in \d+ (seconds|minutes)/).waitFor()
    const waits = page.getByRole('button', { name: /^Sign in \(\d+\)$/ })
    await waits.waitFor()
    expect(await waits.isDisabled()).toBe(true)
    await expectAccessible(page)
    await shoot(page, 'sign-in-wait')
    clock.pass(WAIT_SECONDS)
    await page.clock.runFor(WAIT_SECONDS * 1000)
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await signIn(page, 'bobby', 'correct horse')
    await isAt(page, '/web/overview')
  })

  it('sends a form once despite a double click', async () => {
    const page = await browser.open(address())
    const posts: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && posts.push(request.url())))
    await name(page).fill('alice')
    await password(page).fill('correct horse')
    await button(page).dblclick()
    await isAt(page, '/web/overview')
    expect(posts).toEqual([address()])
  })

  it('is skipped by going back until the user signs out', async () => {
    const page = await browser.open(address())
    await signIn(page, 'alice', 'correct horse')
    await isAt(page, '/web/overview')
    await page.goBack()
    await isAt(page, '/web/overview')
    await page.reload()
    await page.locator('.account summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await isAt(page, '/web/sign-in')
    await page.goto(`${node.url}web/overview`)
    expect(page.url()).toBe(`${address()}?to=%2Foverview`)
    await page.goBack()
    await button(page).waitFor()
  })

  it.each([
    ['fr-CH', 'fr', 'Mot de passe', 'incorrect'],
    ['de', 'de', 'Passwort', 'falsch'],
    ['ja', 'en', 'Password', 'wrong'],
  ])('is translated for the browser locale %s', async (locale, language, label, says) => {
    const page = await browser.open(address(), { locale })
    expect(await page.locator('html').getAttribute('lang')).toBe(language)
    if (language !== 'en') await inspect(page, `sign-in-${language}`)
    await page.getByLabel(label, { exact: true }).fill('secret')
    await page.locator('input[name=name]').fill('alice')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('alert').textContent()).toContain(says)
  })

  it('changes its language by a link, and keeps it after a submit', async () => {
    const page = await browser.open(`${address()}?username=alice`)
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    expect(await page.getByLabel('Benutzername oder E-Mail-Adresse').inputValue()).toBe('alice')
    await page.getByLabel('Passwort', { exact: true }).fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('Der Benutzername oder das Passwort ist falsch.').waitFor()
  })
})
