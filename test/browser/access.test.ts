/** Browser test of the owner's page: a paginated list of accesses, and the details before a revocation. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeClock } from '../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../support/nodes/node.js'
import { ask, share } from '../support/people/shares.js'
import { inBrowser, withBrowser } from './support/browser.js'
import { inspect } from './support/inspect.js'
import { isAt, signIn } from './support/steps.js'

const PER_PAGE = 25
const DAY = 86_400

inBrowser('the page of accesses', () => {
  const browser = withBrowser()
  const clock = fakeClock()
  let node: TestNode
  let owner: string
  beforeAll(async () => {
    node = await startTestNode({ appList: { 'heart-watch': { displayName: 'Heart Watch' } } }, { clock })
    owner = await registerUser(node, 'alice')
  })
  afterAll(() => node.stop())

  /** Creates enough accesses for a second page: an app, its shared access, an expired one, and others. */
  async function createAccesses(): Promise<void> {
    const alice = { node, username: 'alice', owner }
    await ask(alice, owner, 'POST', '/streams', { id: 'heart', name: 'Heart & soul' })
    const on = (streamId: string) => ({ streamId, level: 'read' })
    const many = Array.from({ length: 9 }, (_, at) => on(`s-${at}`))
    const watch = { type: 'app', name: 'heart-watch', deviceName: 'A telephone', expireAfter: 90 * DAY, permissions: [on('heart'), ...many] }
    const { token } = await share(alice, watch)
    await share(alice, { name: 'for the run', permissions: [on('heart')] }, token)
    await share(alice, { name: 'long ago', permissions: [on('heart')], expireAfter: DAY })
    for (let n = 3; n <= PER_PAGE; n++) await share(alice, { permissions: [on('heart')] })
    clock.pass(2 * DAY)
  }

  it('paginates, and shows the details of an access before its revocation', async () => {
    await createAccesses()
    const page = await browser.open(`${node.url}web/sign-in`)
    await signIn(page, 'alice')
    await isAt(page, '/web/access')
    await page.getByText('Page 1 of 2').waitFor()
    const details = page.getByRole('link', { name: /^Manage access/ })
    expect(await details.count()).toBe(PER_PAGE)
    await inspect(page, 'access-page-1')
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('Page 2 of 2').waitFor()
    expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toMatch(/^long ago .*expired/)
    await inspect(page, 'access-page-2')
    await page.getByRole('link', { name: 'Previous' }).click()

    const watch = details.filter({ hasText: 'Heart Watch' })
    await watch.click()
    const question = page.getByRole('heading', { name: 'Revoke this access?' })
    await question.waitFor()
    for (const text of ['heart-watch', 'A telephone', 'read “s-8”', 'for the run']) await page.getByText(text, { exact: true }).waitFor()
    await inspect(page, 'access-details')
    await page.getByRole('link', { name: 'Keep access' }).click()
    await watch.click()
    await question.waitFor()
    const before = page.url()
    await page.getByRole('button', { name: 'Revoke access' }).click()
    await page.getByText('Access revoked. One other access ended with it.').waitFor()
    await page.goto(before)
    await page.getByText('This access no longer exists.').waitFor()

    await page.getByRole('link', { name: /^Sign out there/ }).first().click()
    await page.getByRole('heading', { name: 'Sign out of this session?' }).waitFor()
    await inspect(page, 'access-session')
  })
})
