/** Browser tests of the settings of the console. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { unzip } from '../../support/http/unzip.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { inspect } from '../support/inspect.js'
import { isAt, PASSWORD, signIn } from '../support/steps.js'

const PHONE = { width: 390, height: 844 }
const LONG = `a-${'very-'.repeat(8)}long-name`

inBrowser('the settings', () => {
  const browser = withBrowser()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
    for (const name of ['alice', 'bobby', 'carol', LONG]) await registerUser(node, name)
  })
  afterAll(() => node.stop())

  async function open(username: string, path: string, options: Parameters<typeof browser.open>[1] = {}): Promise<Page> {
    const page = await browser.open(`${node.url}web/sign-in?to=${encodeURIComponent(path)}`, options)
    await signIn(page, username)
    await isAt(page, `/web${path}`)
    return page
  }

  it.each([
    ['', 'settings'],
    ['/password', 'settings-password'],
    ['/name', 'settings-name'],
    ['/emails', 'settings-emails'],
    ['/language', 'settings-language'],
    ['/sessions', 'settings-sessions'],
    ['/export', 'settings-export'],
    ['/delete', 'settings-delete'],
  ])('are accessible: /settings%s', async (path, name) => {
    const page = await open('alice', `/settings${path}`)
    await inspect(page, name)
  })

  it('show long names without scrolling', async () => {
    const page = await open(LONG, '/settings', { viewport: PHONE })
    await inspect(page, 'settings-long')
    await page.goto(`${node.url}web/settings/delete`)
    await inspect(page, 'settings-delete-long')
  })

  it('change the password, and show problems at their field, without scripts', async () => {
    const page = await open('bobby', '/settings/password', { javaScriptEnabled: false, viewport: PHONE })
    const fill = async (old: string, next: string): Promise<void> => {
      await page.getByLabel('Current password').fill(old)
      await page.getByLabel('Choose a password').fill(next)
      await page.getByLabel('Repeat the password').fill(next)
      await page.getByRole('button', { name: 'Change the password' }).click()
    }
    await fill('wrong', 'battery staple')
    expect(await page.getByRole('alert').textContent()).toContain('The current password is wrong.')
    expect(await page.getByLabel('Current password').getAttribute('aria-invalid')).toBe('true')
    await fill(PASSWORD, 'battery staple')
    expect(await page.getByRole('status').textContent()).toContain('The password was changed.')
  })

  it('download an export of everything', async () => {
    const page = await open('alice', '/settings/export')
    await page.getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    const link = page.getByRole('link', { name: 'Download the export' })
    await link.waitFor()
    await inspect(page, 'settings-export-ready')
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    expect(download.suggestedFilename()).toMatch(/^coffer-alice-\d{4}-\d\d-\d\d\.zip$/)
    const files = unzip(await readFile(await download.path()))
    expect([...files.keys()].some((name) => name.endsWith('/manifest.json'))).toBe(true)
  })

  it('delete an account after its name and password', async () => {
    const page = await open('carol', '/settings/delete', { viewport: PHONE })
    await page.getByLabel('User name').fill('carol')
    await page.getByLabel('Your password').fill('wrong')
    await page.getByRole('button', { name: 'Delete everything' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('The password is wrong.')
    await inspect(page, 'settings-delete-refused')
    await page.getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Delete everything' }).click()
    await isAt(page, '/web/account-deleted')
    await inspect(page, 'account-deleted')
    expect((await request(`${node.url}reg/carol/check_username`)).body).toMatchObject({ reserved: false })
  })
})
