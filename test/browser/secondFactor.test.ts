/** Browser tests of the second factor: set-up, sign-in and recovery. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeClock } from '../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import { codeAt, wrongCodeAt } from '../support/people/totp.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { inspect } from './support/inspect.js'
import { isAt, keyOn, PASSWORD, signIn, typeCode } from './support/steps.js'

inBrowser('the second factor', () => {
  const browser = withBrowser()
  const clock = fakeClock()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({ 'services.mfa.stepUp.required': true }, { clock })
    await registerUser(node, 'alice')
    await registerUser(node, 'bobby')
  })
  afterAll(() => node.stop())

  const codeNow = (secret: string): string => codeAt(secret, clock.now())

  /** Signs in and sets up an authenticator app; returns its key and the recovery codes. */
  async function setUp(page: Page, username: string, onState?: (state: string) => Promise<void>): Promise<{ secret: string; codes: string[] }> {
    await page.goto(`${node.url}web/sign-in?to=%2Fsecond-factor%2Fset-up`)
    await signIn(page, username)
    await isAt(page, '/web/second-factor/set-up')
    await onState?.('start')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('img', { name: /^QR code/ }).waitFor()
    await onState?.('scan')
    const secret = await keyOn(page)
    if (onState !== undefined) {
      await typeCode(page, wrongCodeAt(secret, clock.now()))
      await page.getByText('The code is wrong.').waitFor()
      await onState('wrong-code')
      // The scanned key stays the same.
      expect(await keyOn(page)).toBe(secret)
    }
    await typeCode(page, codeNow(secret))
    await page.getByRole('heading', { name: 'The second factor is on' }).waitFor()
    await onState?.('on')
    const codes = await page.locator('#codes li').allTextContents()
    await page.getByRole('link', { name: 'I have saved them' }).click()
    await isAt(page, '/web/overview')
    // A code is valid once; passes on to the next.
    clock.pass(30)
    return { secret, codes }
  }

  it('is set up, required at the next sign-in, and switched off', async () => {
    const page = await browser.open(`${node.url}web/sign-in`)
    const { secret, codes } = await setUp(page, 'alice', (state) => inspect(page, `second-factor-${state}`))
    expect(codes).toHaveLength(10)
    await page.goto(`${node.url}web/second-factor/set-up`)
    await inspect(page, 'second-factor-overview')
    expect(await page.content()).not.toContain(secret)

    const other = await browser.open(`${node.url}web/sign-in`)
    await signIn(other, 'alice')
    await isAt(other, '/web/second-factor')
    await inspect(other, 'second-factor-step')
    await typeCode(other, wrongCodeAt(secret, clock.now()))
    await other.getByText('The code is wrong or was already used.').waitFor()
    await inspect(other, 'second-factor-step-wrong')
    await other.goto(`${node.url}web/overview`)
    expect(other.url()).toContain('/web/sign-in')
    await other.goto(`${node.url}web/second-factor`)
    await typeCode(other, codeNow(secret))
    await isAt(other, '/web/overview')

    await page.getByRole('link', { name: 'Switch it off' }).click()
    await page.getByRole('heading', { name: 'Switch off the second factor' }).waitFor()
    await inspect(page, 'second-factor-off')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Switch it off' }).click()
    await page.getByText('The second factor is off.').waitFor()
  })

  it('is removed by a recovery code, also without scripts', async () => {
    const context = await browser.context({ origins: [new URL(node.url).origin], javaScriptEnabled: false })
    const { codes } = await setUp(await context.newPage(), 'bobby')
    await context.clearCookies()
    const page = await context.newPage()
    await page.goto(`${node.url}web/sign-in`)
    await signIn(page, 'bobby')
    await page.getByRole('link', { name: /use a recovery code/ }).click()
    await page.getByLabel('Recovery code').fill(codes[3] ?? '')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Remove the second factor and sign in' }).click()
    await page.getByText('The recovery code has removed your second factor').waitFor()
    const later = await browser.open(`${node.url}web/sign-in`)
    await signIn(later, 'bobby')
    await isAt(later, '/web/overview')
  })

  it('has a recovery page for users without a code', async () => {
    const page = await browser.open(`${node.url}web/sign-in`)
    const { secret } = await setUp(page, 'alice')
    // Answers to requests of the page would set its cookies again.
    await page.goto('about:blank')
    await page.context().clearCookies()
    await page.goto(`${node.url}web/sign-in`)
    await signIn(page, 'alice')
    await page.getByRole('link', { name: /use a recovery code/ }).click()
    await page.getByLabel('Recovery code').waitFor()
    await inspect(page, 'second-factor-recovery')
    await page.getByRole('link', { name: 'I have a code after all' }).click()
    await typeCode(page, codeNow(secret))
    await isAt(page, '/web/overview')
  })
})
