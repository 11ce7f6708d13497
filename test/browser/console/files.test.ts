/** Browser tests of files in the console: uploads with and without scripts, the grid, and pictures of events. */
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ask } from '../../support/people/shares.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { inspect } from '../support/inspect.js'
import { isAt, signIn } from '../support/steps.js'

const pictureOf = (width: number, height: number, background: string): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } }).png().toBuffer()

inBrowser('files', () => {
  const browser = withBrowser()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
    const owner = await registerUser(node, 'alice')
    const alice = { node, username: 'alice', owner }
    await ask(alice, owner, 'POST', '/streams', { id: 'diary', name: 'Diary' })
  })
  afterAll(() => node.stop())

  const open = async (path: string, options: Parameters<typeof browser.open>[1] = {}): ReturnType<typeof browser.open> => {
    const page = await browser.open(`${node.url}web/sign-in`, options)
    await signIn(page, 'alice')
    await isAt(page, '/web/overview')
    await page.goto(`${node.url}web${path}`)
    return page
  }

  it('are uploaded with a progress bar, and shown in a grid', async () => {
    const page = await open('/files')
    await inspect(page, 'files-empty')
    await page.getByRole('link', { name: 'Add files' }).click()
    await page.getByLabel('Diary').check()
    await page.getByLabel('Files', { exact: true }).setInputFiles([
      { name: 'meadow.png', mimeType: 'image/png', buffer: await pictureOf(800, 500, '#3a7d44') },
      { name: 'portrait.png', mimeType: 'image/png', buffer: await pictureOf(300, 900, '#8d5a97') },
      { name: `${'a long file name without end '.repeat(6).trim()}.pdf`, mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 test') },
      { name: 'تقرير.txt', mimeType: 'text/plain', buffer: Buffer.from('text') },
    ])
    await inspect(page, 'upload')
    await page.getByRole('button', { name: 'Save the files' }).click()
    await page.getByText('4 files were saved.').waitFor()
    await expect.poll(() => page.evaluate<boolean>('[...document.images].every((image) => image.naturalWidth > 0)'), { timeout: 15_000 }).toBe(true)
    await inspect(page, 'files')
    await page.getByRole('link', { name: /meadow\.png/ }).click()
    await expect.poll(() => page.evaluate<boolean>('document.querySelector("img.shown").naturalWidth === 800'), { timeout: 15_000 }).toBe(true)
    await inspect(page, 'event-picture')
    const waiting = page.waitForEvent('download')
    await page.getByRole('link', { name: /^Download/ }).click()
    expect((await waiting).suggestedFilename()).toBe('meadow.png')
  })

  it('are uploaded without scripts', async () => {
    const page = await open('/upload?stream=diary', { javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    await page.getByLabel('Files', { exact: true }).setInputFiles([{ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('a note') }])
    await page.getByRole('button', { name: 'Save the files' }).click()
    await page.getByText('The entry was saved.').waitFor()
    await page.getByText('note.txt').first().waitFor()
  })

  it('are refused with the reason next to the form', async () => {
    const page = await open('/upload?stream=diary')
    await page.getByRole('button', { name: 'Save the files' }).click()
    await page.getByText('Choose at least one file.').waitFor()
    await inspect(page, 'upload-problem')
    await page.getByLabel('Files', { exact: true }).setInputFiles([{ name: 'dropped.txt', mimeType: 'text/plain', buffer: Buffer.from('x') }])
    await page.getByRole('button', { name: 'Save the files' }).click()
    await page.getByText('The entry was saved.').waitFor()
  })
})
