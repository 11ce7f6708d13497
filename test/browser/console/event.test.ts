/** Browser tests of events in the console: adding, viewing, editing, restoring and deleting one, and adding several from a table. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ask } from '../../support/people/shares.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { inspect } from '../support/inspect.js'
import { isAt, signIn } from '../support/steps.js'

inBrowser('events', () => {
  const browser = withBrowser()
  let node: TestNode
  let alice: { node: TestNode; username: string; owner: string }
  beforeAll(async () => {
    node = await startTestNode({ 'versioning.forceKeepHistory': true })
    const owner = await registerUser(node, 'alice')
    alice = { node, username: 'alice', owner }
    await ask(alice, owner, 'POST', '/streams', { id: 'body', name: 'Body' })
    await ask(alice, owner, 'POST', '/streams', { id: 'weight', name: 'Weight', parentId: 'body' })
    await ask(alice, owner, 'POST', '/streams', { id: 'long', name: 'Ein sehr langer Name '.repeat(12).trim() })
  })
  afterAll(() => node.stop())

  const open = async (path: string, options: Parameters<typeof browser.open>[1] = {}): ReturnType<typeof browser.open> => {
    const page = await browser.open(`${node.url}web/sign-in`, options)
    await signIn(page, 'alice')
    await isAt(page, '/web/overview')
    await page.goto(`${node.url}web${path}`)
    return page
  }

  it('are added by kind, changed, restored to an earlier version, and deleted', async () => {
    const page = await open('/event/new?stream=weight')
    await inspect(page, 'event-kinds')
    await page.getByRole('link', { name: 'Weight', exact: true }).click()
    await page.getByLabel('Value (kg)').fill('72.5')
    await inspect(page, 'event-new')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The entry was saved.').waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Value (kg)').fill('71.9')
    await page.getByLabel('Description (optional)').fill('After the holidays')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('71.9 kg').first().waitFor()
    await inspect(page, 'event')
    await page.getByRole('button', { name: 'Restore this version' }).click()
    await page.getByText('The earlier version was restored.').waitFor()
    expect(await page.locator('.card .figure').textContent()).toContain('72.5')
    await page.getByRole('button', { name: 'Move to the trash' }).click()
    await page.getByText('This entry is in the trash.').waitFor()
    await inspect(page, 'event-trashed')
    await page.getByRole('link', { name: 'Delete for good' }).click()
    await page.getByRole('heading', { name: 'Delete this entry?' }).waitFor()
    await inspect(page, 'event-delete')
    const id = new URL(page.url()).searchParams.get('id') ?? ''
    await page.getByRole('button', { name: 'Delete for good' }).click()
    await page.waitForURL(/\/data/)
    await page.goto(`${node.url}web/event?id=${id}`)
    await page.getByText('This entry does not exist, or it was deleted.').waitFor()
    await inspect(page, 'event-missing')
  })

  it('take the position of the device, and show problems at their fields', async () => {
    const page = await open('/event/new?stream=body&type=position/wgs84')
    await page.context().grantPermissions(['geolocation'])
    await page.context().setGeolocation({ latitude: 46.52, longitude: 6.63 })
    await page.getByRole('button', { name: 'Use my position' }).click()
    await expect.poll(() => page.evaluate<boolean>(`document.getElementById('value-content.latitude').value === '46.52'`), { timeout: 15_000 }).toBe(true)
    await inspect(page, 'event-position')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('46.52000, 6.63000').first().waitFor()
    await page.goto(`${node.url}web/event/new?stream=body&type=blood-pressure/mmhg-bpm`)
    await page.getByLabel('Systolic').fill('121')
    await page.evaluate(`document.querySelector('.entry-form form').noValidate = true`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Some fields need a correction.').waitFor()
    await page.getByText('This field is required.').waitFor()
    expect(await page.getByLabel('Systolic').inputValue()).toBe('121')
    await inspect(page, 'event-problem')
    await page.goto(`${node.url}web/event/new?stream=body&type=mood/rating`)
    await inspect(page, 'event-rating')
    await page.goto(`${node.url}web/event/new?stream=long&type=note/txt`)
    await inspect(page, 'event-note')
    await page.goto(`${node.url}web/event/new?stream=long&type=my-app/thing`)
    await inspect(page, 'event-json')
  })

  it('show long and hostile texts, and running periods', async () => {
    const content = `${'a text without any space '.repeat(30)}${'x'.repeat(300)} <script>alert(1)</script> مرحبا`
    const note = { streamIds: ['long', 'weight'], type: 'note/txt', content, description: 'مرحبا بالعالم', tags: ['one', 'y'.repeat(200)], clientData: { 'my-app': { a: 1 } } }
    const { body: written } = await ask(alice, alice.owner, 'POST', '/events', note)
    const { body: running } = await ask(alice, alice.owner, 'POST', '/events', { streamIds: ['body'], type: 'activity/plain', duration: null, time: Date.now() / 1000 - 4000 })
    const page = await open(`/event?id=${(written as { event: { id: string } }).event.id}`)
    await inspect(page, 'event-long')
    await page.goto(`${node.url}web/event?id=${(running as { event: { id: string } }).event.id}`)
    await inspect(page, 'event-running')
    await page.getByRole('button', { name: 'End it now' }).click()
    await page.getByText('The entry has ended.').waitFor()
  })

  it('are added from a table, without scripts too', async () => {
    const page = await open('/event/several?stream=weight&type=mass/kg', { javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    await page.getByLabel('Table').fill('Date;kg\n2026-11-01 08:00;72,4\n2026-11-02 08:00;72.1;after sports\n2026-11-03;heavy\n')
    await page.getByRole('button', { name: 'Check the table' }).click()
    await page.getByText('2 lines can be saved, 1 cannot.').waitFor()
    await page.getByRole('button', { name: 'Save 2 entries' }).click()
    await page.getByText('2 entries were saved, 1 refused.').waitFor()
    expect(await page.getByLabel('Table').inputValue()).toBe('2026-11-03;heavy')
    const scripted = await open('/event/several?stream=weight&type=mass/kg')
    await inspect(scripted, 'event-several')
    await scripted.getByLabel('Table').fill('2026-11-01 08:00\t72.4\n2026-11-02 08:00\t72.1\tafter sports\n2026-11-03\theavy\n')
    await scripted.getByRole('button', { name: 'Check the table' }).click()
    await scripted.getByText('2 lines can be saved, 1 cannot.').waitFor()
    await inspect(scripted, 'event-several-preview')
  })
})
