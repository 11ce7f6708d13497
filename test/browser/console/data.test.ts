/** Browser test of the section of data: empty, filled, long and foreign texts, drag, live updates, and the pages of a stream. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ask } from '../../support/people/shares.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { inspect } from '../support/inspect.js'
import { isAt, openStreams, signIn } from '../support/steps.js'

const DAY = 86_400

inBrowser('the section of data', () => {
  const browser = withBrowser()
  let node: TestNode
  let owner: string
  beforeAll(async () => {
    node = await startTestNode()
    owner = await registerUser(node, 'alice')
  })
  afterAll(() => node.stop())

  const create = (path: string, body: object): Promise<unknown> => ask({ node, username: 'alice' }, owner, 'POST', path, body)

  it('shows what to do first, creates streams, and shows new entries without a reload', async () => {
    const page = await browser.open(`${node.url}web/sign-in?to=/data`)
    await signIn(page, 'alice')
    await isAt(page, '/web/data')
    await page.getByText('There are no entries yet.').waitFor()
    await inspect(page, 'data-empty')
    await openStreams(page)
    await page.locator('.tree-actions').getByRole('link', { name: 'New stream' }).click()
    await inspect(page, 'data-new-stream')
    await page.getByLabel('Name').fill('Body')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('The stream was created.').waitFor()
    await page.getByText('There are no entries in this stream.').waitFor()
    const id = new URL(page.url()).searchParams.get('stream') ?? ''
    await create('/streams', { id: 'weight', name: 'Weight', parentId: id })
    await create('/events', { streamIds: ['weight'], type: 'mass/kg', content: 72.5 })
    await page.locator('#timeline').getByText('72.5 kg').waitFor()
    await openStreams(page)
    await page.locator('.tree').getByText('72.5 kg').waitFor()
    expect(await page.locator('.tree [aria-current=page] .stream-name').textContent()).toBe('Body')
  })

  it('shows long and foreign texts, periods and the trash, with filters', async () => {
    const now = Date.now() / 1000
    await create('/streams', { id: 'long', name: 'Ein sehr langer Name '.repeat(12).trim() })
    await create('/streams', { id: 'arabic', name: 'يوميات القراءة', parentId: 'long' })
    await create('/streams', { id: 'x', name: 'x'.repeat(300) })
    const entries = [
      { streamIds: ['long'], type: 'note/txt', content: 'a text without any space '.repeat(3) + 'x'.repeat(200) },
      { streamIds: ['arabic'], type: 'note/txt', content: 'مرحبا بالعالم، هذا نص طويل من اليمين إلى اليسار', time: now - 600 },
      { streamIds: ['x'], type: 'activity/plain', duration: null, time: now - 3600 },
      { streamIds: ['weight', 'arabic'], type: 'blood-pressure/mmhg-bpm', content: { systolic: 121, diastolic: 79, rate: 62 }, time: now - 2 * DAY },
      { streamIds: ['weight'], type: 'activity/plain', duration: 30 * 3600, time: now - 5 * DAY },
      ...Array.from({ length: 60 }, (_, days) => ({ streamIds: ['weight'], type: 'mass/kg', content: 72 + days / 10, time: now - days * DAY })),
    ]
    for (const entry of entries) await create('/events', entry)
    const page = await browser.open(`${node.url}web/sign-in?to=/data`)
    await signIn(page, 'alice')
    await isAt(page, '/web/data')
    await page.getByText('in progress').waitFor()
    await page.locator('.tree .number').first().waitFor({ state: 'attached' })
    await inspect(page, 'data')
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByRole('link', { name: 'Newest' }).waitFor()
    await page.goto(`${node.url}web/data?stream=arabic&text=nothing`)
    await page.getByText('No entry matches these filters.').waitFor()
    await inspect(page, 'data-filtered')
    await page.getByRole('link', { name: 'Clear the filters' }).first().click()
    await page.locator('#timeline').getByText('مرحبا بالعالم').waitFor()
    await page.locator('.data .menu summary').click()
    await inspect(page, 'data-stream')
    await page.getByRole('link', { name: 'Rename, move or remove' }).click()
    await page.getByRole('heading', { name: 'Move', exact: true }).waitFor()
    await inspect(page, 'data-edit')
  })

  it('moves a stream that is dragged onto another one', async () => {
    const page = await browser.open(`${node.url}web/sign-in?to=/data`, { viewport: { width: 1280, height: 900 } })
    await signIn(page, 'alice')
    await isAt(page, '/web/data')
    await page.locator('[data-stream=x]').dragTo(page.locator('[data-stream=long]'))
    await page.getByText('The stream was moved.').waitFor()
    expect(await page.locator('[data-branch=long] [data-stream=x]').count()).toBe(1)
    await page.locator('[data-stream=x]').dragTo(page.locator('[data-drop]'))
    await page.waitForURL(/done=moved/)
    await page.locator('.tree > li > [data-stream=x]').waitFor()
    expect(await page.locator('[data-branch=long] [data-stream=x]').count()).toBe(0)
  })

  it('keeps opened branches when the tree is updated', async () => {
    const page = await browser.open(`${node.url}web/sign-in?to=/data`, { viewport: { width: 1280, height: 900 } })
    await signIn(page, 'alice')
    await isAt(page, '/web/data')
    await page.getByText('Streams in Body').click({ force: true })
    await page.locator('[data-stream=weight]').waitFor()
    await create('/events', { streamIds: ['weight'], type: 'mass/kg', content: 99.5 })
    await page.locator('.tree').getByText('99.5 kg').waitFor()
    expect(await page.locator('[data-stream=weight]').isVisible()).toBe(true)
  })

  it('trashes, restores and deletes a stream without scripts, on a phone', async () => {
    await create('/streams', { id: 'old', name: 'Old notes' })
    await create('/streams', { id: 'older', name: 'Older notes', parentId: 'old' })
    await create('/events', { streamIds: ['older'], type: 'note/txt', content: 'an old note' })
    const page = await browser.open(`${node.url}web/sign-in?to=/data`, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    await signIn(page, 'alice')
    await isAt(page, '/web/data')
    const old = page.locator('[data-stream=old]')
    expect(await old.isVisible()).toBe(false)
    await page.locator('.streams > summary').click()
    await old.click()
    await page.locator('#timeline').getByText('an old note').waitFor()
    await page.locator('.data .menu summary').click()
    await page.getByRole('link', { name: 'Rename, move or remove' }).click()
    await page.getByRole('button', { name: 'Move to the trash' }).click()
    await page.getByText('The stream is in the trash now.').waitFor()
    await page.getByRole('link', { name: 'Delete permanently' }).click()
    await page.getByRole('heading', { name: 'Delete Old notes?' }).waitFor()
    await page.getByText('Entries in it: 1.').waitFor()
    await page.getByLabel('Delete them').check()
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('The stream was deleted.').waitFor()
  })

  it('asks before a stream is deleted', async () => {
    await create('/streams', { id: 'gone', name: 'Gone', parentId: 'long' })
    await create('/events', { streamIds: ['gone'], type: 'note/txt', content: 'a note' })
    const page = await browser.open(`${node.url}web/sign-in?to=/data`)
    await signIn(page, 'alice')
    await isAt(page, '/web/data')
    await page.goto(`${node.url}web/data/stream?id=gone`)
    await page.getByRole('button', { name: 'Move to the trash' }).click()
    await page.getByText('The stream is in the trash now.').waitFor()
    await inspect(page, 'data-trashed')
    await page.getByRole('link', { name: 'Delete permanently' }).click()
    await page.getByText('Entries in it: 1.').waitFor()
    await inspect(page, 'data-delete')
  })
})
