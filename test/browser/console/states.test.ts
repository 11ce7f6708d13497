/**
 * Browser test of states of the console that the flows of the other tests do not reach: confirmations, problems, filled lists, and
 * names that are long or written from right to left.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attached, filePart } from '../../support/http/multipart.js'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ask, share } from '../../support/people/shares.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { inspect } from '../support/inspect.js'
import { isAt, signIn } from '../support/steps.js'

const LONG = 'Blutdruck und Puls am Morgen vor dem Frühstück, im Sitzen gemessen '.repeat(3).trim()
const UNBROKEN = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(3)
const RIGHT_TO_LEFT = 'מדידות לחץ דם (בוקר)'
const DAY = 86_400

inBrowser('states of the console', () => {
  const browser = withBrowser()
  let node: TestNode
  let owner: string
  let other: string
  const alice = () => ({ node, username: 'alice', owner })
  const create = async (path: string, body: object): Promise<Record<string, unknown>> => (await ask(alice(), owner, 'POST', path, body)).body

  beforeAll(async () => {
    node = await startTestNode({ 'versioning.forceKeepHistory': true })
    owner = await registerUser(node, 'alice')
    other = await registerUser(node, 'robert')
    for (const [id, name] of [['long', LONG], ['unbroken', UNBROKEN], ['hebrew', RIGHT_TO_LEFT]]) await create('/streams', { id, name })
    for (let depth = 0; depth < 12; depth++) await create('/streams', { id: `deep-${depth}`, name: `${depth} ${RIGHT_TO_LEFT}`, parentId: depth === 0 ? 'hebrew' : `deep-${depth - 1}` })
    const now = Date.now() / 1000
    for (let day = 0; day < 5; day++) await create('/events', { streamIds: ['hebrew', 'long'], type: 'mass/kg', content: 70 + day / 7, time: now - day * DAY, description: `${RIGHT_TO_LEFT} ${UNBROKEN}`, tags: [RIGHT_TO_LEFT] })
  })
  afterAll(() => node.stop())

  async function open(path: string, username = 'alice'): Promise<Page> {
    const page = await browser.open(`${node.url}web/sign-in?to=${encodeURIComponent(path)}`)
    await signIn(page, username)
    await isAt(page, `/web${path.replace(/\?.*/, '')}`)
    return page
  }

  it('of an event with files: its page, adding, and removing one', async () => {
    const { id } = await attached(alice(), [filePart(`${UNBROKEN}.txt`, 'x'), filePart('שלום.txt', 'x')], { streamIds: ['hebrew'], type: 'note/txt', content: `${RIGHT_TO_LEFT}\n${LONG}`, time: Date.now() / 1000 - DAY / 2 })
    const page = await open(`/event?id=${id}`)
    await page.getByRole('link', { name: 'Older entry' }).waitFor()
    await inspect(page, 'event-with-files')
    await page.getByRole('link', { name: 'Remove the file' }).first().click()
    await page.getByRole('heading', { name: 'Remove this file?' }).waitFor()
    await inspect(page, 'event-file-remove')
    await page.getByRole('button', { name: 'Remove the file' }).click()
    await page.getByText('The file was removed.').waitFor()
    await page.getByRole('link', { name: 'Add files' }).click()
    await inspect(page, 'event-files-add')
    await page.getByLabel('Files', { exact: true }).setInputFiles({ name: 'scan.txt', mimeType: 'text/plain', buffer: Buffer.from('scan') })
    await page.getByRole('button', { name: 'Save the files' }).click()
    await page.getByText('The files were saved.').waitFor()
    await page.getByRole('link', { name: 'Download scan.txt' }).waitFor()
    await inspect(page, 'event-with-history')
    await page.getByRole('link', { name: 'Edit' }).click()
    await inspect(page, 'event-edit')
  })

  it('of several entries: with a wrong row, and saved', async () => {
    const page = await open('/event/several?stream=long&type=mass%2Fkg')
    await inspect(page, 'several')
    await page.getByLabel('Table').fill('2026-03-01 08:00;71.5\n2026-03-02 08:00;much\n')
    await page.getByRole('button', { name: 'Check the table' }).click()
    await page.locator('table.paste').waitFor()
    await inspect(page, 'several-checked')
  })

  it('of data and charts with long names, and names from right to left', async () => {
    const page = await open('/data')
    await page.locator('.rows').first().waitFor()
    await inspect(page, 'data-names')
    for (const [path, name] of [['/data?stream=hebrew', 'data-hebrew'], ['/charts?stream=hebrew', 'charts-hebrew'], ['/data/stream?id=unbroken', 'stream-unbroken'], ['/access/link/new?stream=unbroken', 'new-link-unbroken'], ['/nothing', 'not-found']]) {
      await page.goto(`${node.url}web${path ?? ''}`)
      await page.locator('main').waitFor()
      await inspect(page, name ?? '')
    }
  })

  it('of a shared link: files, charts, and text from right to left', async () => {
    await attached(alice(), [filePart('plan.txt', 'x')], { streamIds: ['hebrew'], type: 'file/attached' })
    const { token } = await share(alice(), { name: RIGHT_TO_LEFT, permissions: [{ streamId: 'hebrew', level: 'read' }], clientData: { note: `${RIGHT_TO_LEFT}\n${LONG}` } })
    const page = await browser.open(`http://${token}@127.0.0.1:${node.port}/alice/`)
    await page.getByRole('heading', { level: 1, name: 'alice shares data with you' }).waitFor()
    await inspect(page, 'shared-hebrew')
    await page.getByRole('link', { name: 'Files' }).click()
    await page.getByText('plan.txt', { exact: true }).waitFor()
    await inspect(page, 'shared-files')
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.tabs').isVisible()).toBe(false)
    await page.emulateMedia({ media: null })
  })

  it('of a consent with its messages, and its withdrawal', async () => {
    const scope = ':_cmc:apps:study'
    await create('/streams', { id: scope, name: 'study', parentId: ':_cmc:apps' })
    const texts = (en: string) => ({ en })
    const offer = { title: texts('Sleep study'), description: texts(LONG), consent: texts('I take part'), permissions: [{ streamId: 'diary', level: 'read' }] }
    const content = { to: null, capabilityRequested: true, capability: { mode: 'single-use' }, request: offer, requesterMeta: { displayName: 'Ana', appId: 'study' } }
    const { event } = await create('/events', { streamIds: [scope], type: 'consent/request-cmc', content })
    const page = await open('/access/consent/answer', 'robert')
    await page.getByRole('textbox').first().fill((event as { content: { capabilityUrl: string } }).content.capabilityUrl)
    await page.getByRole('button', { name: 'Read the request' }).click()
    await page.getByText('Sleep study').first().waitFor()
    await inspect(page, 'consent-request')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('You accepted the request.').waitFor()
    await page.getByRole('textbox').first().fill(`${RIGHT_TO_LEFT} ${UNBROKEN}`)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(RIGHT_TO_LEFT).first().waitFor()
    await inspect(page, 'consent-messages')
    await page.getByRole('link', { name: /Withdraw/ }).click()
    await page.getByText('Withdraw this consent?').first().waitFor()
    await inspect(page, 'consent-withdraw')
    await page.goto(`${node.url}web/access/consents`)
    await inspect(page, 'consents-given')
  })

  it('of delegations: invited, accepted, acting, and their end', async () => {
    await ask(alice(), owner, 'POST', '/delegations/attach-request', { delegateUsername: 'robert' })
    const page = await open('/access/delegations', 'robert')
    await page.getByText('alice invites you').waitFor()
    await inspect(page, 'delegations-invited')
    await ask({ node, username: 'robert' }, other, 'POST', '/delegations/controlled/alice/accept', {})
    await page.reload()
    await inspect(page, 'delegations-managed')
    await page.goto(`${node.url}web/overview?as=alice`)
    await page.locator('.growth').waitFor()
    await inspect(page, 'overview-acting')
    await page.goto(`${node.url}web/accounts`)
    await inspect(page, 'accounts')
    const account = await open('/access/delegations/end?do=detach&name=robert')
    await inspect(account, 'delegations-end')
  })
})
