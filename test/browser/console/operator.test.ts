/** Browser tests of the operator's pages. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeAccount, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { inspect } from '../support/inspect.js'
import { isAt, signIn } from '../support/steps.js'

const KEY = 'the-operator-key-of-this-test'
const PHONE = { width: 390, height: 844 }
const LONG = `a-${'very-'.repeat(8)}long-name`

inBrowser('the operator’s pages', () => {
  const browser = withBrowser()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({ 'auth.adminAccessKey': KEY, invitationTokens: [] })
    for (const name of ['alice', LONG, ...Array.from({ length: 30 }, (_, n) => `person-${n}`)]) await makeAccount(node, name)
  })
  afterAll(() => node.stop())

  async function open(options: Parameters<typeof browser.open>[1] = {}): Promise<Page> {
    const page = await browser.open(`${node.url}web/sign-in?to=/operator`, options)
    await signIn(page, 'alice')
    await isAt(page, '/web/operator')
    return page
  }

  const enter = async (page: Page, key: string): Promise<void> => {
    await page.getByLabel('Operator key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Open', exact: true }).click()
  }

  it('open with the operator key, and are accessible', async () => {
    const page = await open()
    await inspect(page, 'operator-key')
    await enter(page, 'wrong')
    expect(await page.getByRole('alert').textContent()).toContain('The operator key is wrong.')
    await inspect(page, 'operator-key-wrong')
    await enter(page, KEY)
    await page.getByRole('heading', { name: 'Health' }).waitFor()
    await inspect(page, 'operator-health')
    for (const name of ['Accounts', 'Invitations', 'Mail test', 'Certificates', 'Log']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, exact: true, level: 1 }).waitFor()
      await inspect(page, `operator-${name.toLowerCase().replace(' ', '-')}`)
    }
    await page.goto(`${node.url}web/operator/account?name=${LONG}`)
    await inspect(page, 'operator-account')
    await page.getByRole('link', { name: 'Sign out everywhere' }).click()
    await page.getByRole('heading', { name: 'Sign out everywhere?' }).waitFor()
    await inspect(page, 'operator-confirm')
  })

  it('create and revoke an invitation without scripts', async () => {
    const page = await open({ javaScriptEnabled: false, viewport: PHONE })
    await enter(page, KEY)
    await page.getByRole('link', { name: 'Invitations', exact: true }).click()
    await page.getByLabel('Note').fill('for מרים, from 東京')
    await page.getByRole('button', { name: 'Create' }).click()
    expect(await page.getByRole('status').textContent()).toMatch(/[0-9a-f]{32}/)
    await page.getByRole('button', { name: /^Revoke/ }).click()
    expect(await page.getByRole('status').textContent()).toContain('The invitation was revoked.')
  })
})
