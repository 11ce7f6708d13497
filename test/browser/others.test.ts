/** Browser tests of the pages reached by mails or directly, in each of their states. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testMailer } from '../support/services/mail.js'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { inspect } from './support/inspect.js'
import { isAt, signIn } from './support/steps.js'

inBrowser('the other pages', () => {
  const browser = withBrowser()
  const mail = testMailer()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({}, { mail })
    for (const name of ['alice', 'bobby']) await registerUser(node, name)
  })
  afterAll(() => node.stop())

  it('reset a password by a link in a mail, whose token is removed from the URL', async () => {
    const page = await browser.open(`${node.url}web/sign-in`)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await isAt(page, '/web/reset-password')
    await inspect(page, 'reset-password')
    await page.getByLabel('User name or e-mail address').fill('bobby')
    await page.getByRole('button', { name: 'Send me the link' }).click()
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
    await inspect(page, 'reset-password-asked')
    const token = mail.latest('bobby@example.org', 'RESET_TOKEN')
    expect(token).not.toBe('')
    await page.goto(`${node.url}web/reset-password/new?resetToken=${token}&username=bobby`)
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    expect(page.url()).not.toContain(token)
    await inspect(page, 'reset-password-new')
    await page.getByLabel('Choose a password').fill('another horse')
    await page.getByLabel('Repeat the password').fill('another house')
    await page.getByRole('button', { name: 'Set the new password' }).click()
    await page.getByText('The two passwords differ.').waitFor()
    await inspect(page, 'reset-password-new-wrong')
    await page.getByLabel('Choose a password').fill('another horse')
    await page.getByLabel('Repeat the password').fill('another horse')
    await page.getByRole('button', { name: 'Set the new password' }).click()
    await page.getByRole('heading', { name: 'Your password has been changed' }).waitFor()
    await inspect(page, 'reset-password-done')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page, 'bobby', 'another horse')
    await isAt(page, '/web/overview')
  })

  it('report errors of a registration', async () => {
    const page = await browser.open(`${node.url}web/register`)
    await page.getByLabel('User name').fill('alice')
    await page.getByText('This user name is taken.').waitFor()
    await page.getByLabel('E-mail address').fill('alice-2@example.org')
    for (const label of ['Choose a password', 'Repeat the password']) await page.getByLabel(label).fill('correct horse')
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('alert').waitFor()
    await inspect(page, 'register-wrong')
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('alice-2@example.org')
    expect(await page.getByLabel('Choose a password').inputValue()).toBe('')
  })

  it.each([
    ['verify-email', 'Confirm your e-mail address', 'verify-email'],
    ['reset-password/new?resetToken=none&username=alice', 'This link is no longer valid', 'reset-password-bad-link'],
    ['open?code=none', 'This link is no longer valid', 'open-used'],
    ['no-such-page', 'Page not found', 'not-found'],
    ['authorize?key=abcdefgh12345678', 'This request has expired', 'authorize-unknown'],
  ])('are public: %s', async (path, heading, name) => {
    const page = await browser.open(`${node.url}web/${path}`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain(heading)
    await inspect(page, name)
  })
})
