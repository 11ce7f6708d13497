/** Browser test of the second factor by text message: set-up, sign-in and resent codes. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeClock } from '../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import { codeSentTo, startSmsService, type SmsService } from '../support/services/smsService.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { inspect } from './support/inspect.js'
import { isAt, signIn, typeCode } from './support/steps.js'

/** Longer than the minimum time between two codes. */
const RESEND_SECONDS = 31

inBrowser('the second factor by text message', () => {
  const browser = withBrowser()
  const clock = fakeClock()
  let service: SmsService
  let node: TestNode
  beforeAll(async () => {
    service = await startSmsService()
    const settings = {
      'services.mfa.methods.sms.active': true,
      'services.mfa.methods.sms.endpoints.single': { url: `${service.url}/send`, body: '{"text":"{{ code }}"}' },
    }
    node = await startTestNode(settings, { clock })
    await registerUser(node, 'alice')
  })
  afterAll(async () => {
    await node.stop()
    await service.stop()
  })

  const again = (page: Page) => page.getByRole('button', { name: /^Send the code again/ })

  it('is set up with a phone, required at the next sign-in, and resends codes after a delay', async () => {
    const page = await browser.open(`${node.url}web/sign-in?to=%2Fsecond-factor%2Fset-up`)
    await signIn(page, 'alice')
    await isAt(page, '/web/second-factor/set-up')
    await inspect(page, 'text-message-start')
    await page.getByLabel('Text messages to my phone').check()
    await page.getByLabel('Phone number').fill('079 123 45 67')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('This is not a phone number.').waitFor()
    expect(await page.getByLabel('Text messages to my phone').isChecked()).toBe(true)
    await page.getByLabel('Phone number').fill('+41 79 123 45 67')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('A code was sent to +41…567.').waitFor()
    await inspect(page, 'text-message-code')
    await again(page).click()
    await page.getByRole('alert').waitFor()
    await inspect(page, 'text-message-wait')
    expect(await again(page).isDisabled()).toBe(true)
    clock.pass(RESEND_SECONDS)
    await page.goto(`${node.url}web/second-factor/set-up`)
    await again(page).click()
    await page.getByText('A new code was sent.').waitFor()
    await inspect(page, 'text-message-sent-again')
    await typeCode(page, codeSentTo(service))
    await page.getByRole('heading', { name: 'The second factor is on' }).waitFor()
    await page.goto(`${node.url}web/second-factor/set-up`)
    await page.getByText('a code that is sent to +41…567 by text message').waitFor()

    clock.pass(RESEND_SECONDS)
    const other = await browser.open(`${node.url}web/sign-in`)
    await signIn(other, 'alice')
    await isAt(other, '/web/second-factor')
    await inspect(other, 'text-message-step')
    clock.pass(RESEND_SECONDS)
    await again(other).click()
    await other.getByText('A new code was sent.').waitFor()
    await typeCode(other, codeSentTo(service))
    await isAt(other, '/web/overview')
  })
})
