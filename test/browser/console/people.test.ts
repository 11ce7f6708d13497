/** Browser test of the pages about people and apps: lists, details, withdrawal, a new link, delegations and consents. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ask, share } from '../../support/people/shares.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { inspect } from '../support/inspect.js'
import { isAt, signIn } from '../support/steps.js'

const PER_PAGE = 25
const DAY = 86_400

inBrowser('the pages of people and apps', () => {
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

  it('list links and apps, and show the details of an access before its withdrawal', async () => {
    await createAccesses()
    const page = await browser.open(`${node.url}web/sign-in?to=${encodeURIComponent('/access')}`)
    await signIn(page, 'alice')
    await isAt(page, '/web/access')
    await page.getByRole('link', { name: 'Make a link' }).waitFor()
    await inspect(page, 'people-links')
    await page.getByRole('navigation', { name: 'People & apps' }).getByRole('link', { name: 'Apps' }).click()
    await page.getByText('Heart Watch', { exact: true }).waitFor()
    await inspect(page, 'people-apps')
    await page.getByRole('link', { name: /^Details/ }).filter({ hasText: 'Heart Watch' }).click()
    for (const text of ['heart-watch', 'A telephone']) await page.getByText(text, { exact: true }).waitFor()
    await inspect(page, 'people-one')
    await page.getByRole('link', { name: 'Change', exact: true }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await inspect(page, 'people-change')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Withdraw', exact: true }).click()
    await page.getByRole('heading', { name: 'Revoke this access?' }).waitFor()
    await page.getByText('for the run', { exact: true }).waitFor()
    await inspect(page, 'people-withdraw')
    await page.getByRole('button', { name: 'Revoke access' }).click()
    await page.getByText('Access revoked. One other access ended with it.').waitFor()
  })

  it('make a link, and show it', async () => {
    const page = await browser.open(`${node.url}web/sign-in?to=${encodeURIComponent('/access/link/new?stream=heart')}`)
    await signIn(page, 'alice')
    await isAt(page, '/web/access/link/new')
    await page.getByLabel('For whom?').fill('Dr. Weber')
    await inspect(page, 'people-new-link')
    await page.getByRole('button', { name: 'Make it' }).click()
    await isAt(page, '/web/access/link')
    await page.getByRole('img', { name: 'The link as a QR code' }).waitFor()
    expect(await page.locator('#address').textContent()).toContain('/alice/')
    await inspect(page, 'people-link')
  })

  it.each(['requests', 'consents', 'consent/answer', 'delegations'])('have accessible pages of %s', async (name) => {
    const page = await browser.open(`${node.url}web/sign-in?to=${encodeURIComponent(`/access/${name}`)}`)
    await signIn(page, 'alice')
    await isAt(page, `/web/access/${name}`)
    await inspect(page, `people-${name.replace('/', '-')}`)
  })
})
