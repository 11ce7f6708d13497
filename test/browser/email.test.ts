/** Browser tests of e-mail verification: by a code before registration, and by a link afterwards. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testMailer } from '../support/services/mail.js'
import { request, startTestNode, type TestNode } from '../support/nodes/node.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { inspect } from './support/inspect.js'
import { isAt, PASSWORD, typeCode } from './support/steps.js'

const INVITATION = 'welcome-to-us'
const FIRST = 'alice@example.org'
const SECOND = 'alice@example.net'

inBrowser('an e-mail address', () => {
  const browser = withBrowser()
  const mail = testMailer()
  let node: TestNode
  beforeAll(async () => {
    const settings = {
      'account.emailVerification.requireAtRegistration': true,
      'service.terms': 'https://example.org/terms',
      invitationTokens: [INVITATION],
    }
    node = await startTestNode(settings, { mail })
  })
  afterAll(() => node.stop())

  /** Adds an address as the owner; returns the link in the mail. */
  async function addAddress(username: string, address: string): Promise<string> {
    const body = { username, password: PASSWORD, appId: 'owner' }
    const login = await request(`${node.url}${username}/auth/login`, { body, headers: { origin: new URL(node.url).origin } })
    const token = String(login.body['token'])
    const { status } = await request(`${node.url}${username}/account`, { method: 'PUT', token, body: { emails: { add: [address] } } })
    expect(status).toBe(200)
    return mail.latest(address, 'VERIFY_LINK')
  }

  it('is verified by a code before registration with an invitation, and a second one by a link that works once', async () => {
    const page = await browser.open(`${node.url}web/register`)
    await page.getByText('First confirm your e-mail address').waitFor()
    await inspect(page, 'register-address')
    await page.getByLabel('E-mail address').fill(FIRST)
    await page.getByRole('button', { name: 'Send me a code' }).click()
    await page.getByText('We have sent a code to').waitFor()
    await inspect(page, 'register-code')
    const code = mail.latest(FIRST, 'CODE')
    await typeCode(page, code.startsWith('A') ? 'BBBB-BBBB' : 'AAAA-AAAA')
    await page.getByRole('alert').getByText('This code is wrong.').waitFor()
    await inspect(page, 'register-code-wrong')
    await typeCode(page, code)
    await page.getByText('Confirmed', { exact: true }).waitFor()
    await inspect(page, 'register-invited')

    await page.getByLabel('User name').fill('alice')
    await page.getByText('This user name is free.').waitFor()
    const rest = async (invitation: string): Promise<void> => {
      for (const label of ['Choose a password', 'Repeat the password']) await page.getByLabel(label).fill(PASSWORD)
      await page.getByLabel('Invitation code').fill(invitation)
      await page.getByRole('checkbox').check()
      await page.getByRole('button', { name: 'Create the account' }).click()
    }
    await rest('made up')
    await page.getByRole('alert').getByText('This invitation code is not valid').waitFor()
    await rest(INVITATION)
    await isAt(page, '/web/overview')

    const link = await addAddress('alice', SECOND)
    await page.goto(link)
    await page.getByText(SECOND).waitFor()
    expect(page.url()).toBe(`${node.url}web/verify-email`)
    await inspect(page, 'verify-email-link')
    await page.getByRole('button', { name: 'Confirm address' }).click()
    await page.getByRole('heading', { name: 'Your e-mail address is confirmed' }).waitFor()
    await inspect(page, 'verify-email-done')
    await page.goto(link)
    await page.getByText('This link or code is not valid').waitFor()
    await inspect(page, 'verify-email-used')
  })
})
