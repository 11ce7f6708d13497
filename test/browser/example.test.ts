/** Browser test of the example of a web page, served as its README describes. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { registerUser, request, startTestNode, type TestNode } from '../support/nodes/node.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { expectAccessible } from './support/inspect.js'
import { isAt, signIn } from './support/steps.js'

inBrowser('the example of a web page', () => {
  const browser = withBrowser()
  let node: TestNode
  let owner: string
  beforeAll(async () => {
    node = await startTestNode()
    owner = await registerUser(node, 'alice')
  })
  afterAll(() => node.stop())

  /** Starts the server of the example; returns its URL. */
  async function serve(): Promise<string> {
    const script = fileURLToPath(new URL('../../examples/web-page/serve.js', import.meta.url))
    const child = spawn(process.execPath, [script], { env: { PORT: '0' } })
    onTestFinished(() => void child.kill())
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    return vi.waitFor(() => /http:\S+/.exec(output)?.[0] ?? Promise.reject(new Error('does not listen')), { timeout: 20_000 })
  }

  it('signs in, adds a weight, follows changes, and signs out', async () => {
    // Apps are on another site than the node.
    const app = (await serve()).replace('127.0.0.1', 'localhost')
    const context = await browser.context({ origins: [new URL(node.url).origin], apps: [new URL(app).origin] })
    const page = await context.newPage()
    await page.goto(`${app}?pryvServiceInfoUrl=${encodeURIComponent(`${node.url}service/info`)}`)
    const button = page.getByRole('button', { name: /sign ?in/i })
    await button.waitFor()
    await expectAccessible(page)

    const opened = page.waitForEvent('popup')
    await button.click()
    const popUp = await opened
    await isAt(popUp, '/web/sign-in')
    await signIn(popUp, 'alice')
    await isAt(popUp, '/web/authorize')
    await popUp.getByText('weight-diary').first().waitFor()
    const closed = popUp.waitForEvent('close')
    await popUp.getByRole('button', { name: 'Accept' }).click()
    await closed

    await page.getByText('No weights yet.').waitFor()
    await page.getByLabel('Weight in kg').fill('72.4')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('listitem').getByText('72.4 kg').waitFor()
    await request(`${node.url}alice/events`, { token: owner, body: { streamIds: ['weight'], type: 'mass/kg', content: 71.9 } })
    await page.getByRole('listitem').getByText('71.9 kg').waitFor()
    await expectAccessible(page)

    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: /alice/ }).click()
    await page.getByRole('listitem').first().waitFor({ state: 'detached' })
    expect(await page.getByLabel('Weight in kg').isVisible()).toBe(false)
  })
})
