/** Browser test of charts: drawn, zoomed, shared by their address, updated, and readable without scripts. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ask } from '../../support/people/shares.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { inspect } from '../support/inspect.js'
import { isAt, sectionLink, signIn } from '../support/steps.js'

const DAY = 86_400

inBrowser('charts', () => {
  const browser = withBrowser()
  let node: TestNode
  let owner: string
  const create = (path: string, body: object): Promise<unknown> => ask({ node, username: 'alice' }, owner, 'POST', path, body)
  beforeAll(async () => {
    node = await startTestNode()
    owner = await registerUser(node, 'alice')
    const now = Date.now() / 1000
    for (const [id, name] of [['weight', 'Weight'], ['mood', 'Mood'], ['sleep', 'Sleep'], ['walk', 'Walk']]) await create('/streams', { id, name })
    for (let n = 0; n < 40; n++) {
      await create('/events', { streamIds: ['weight'], type: 'mass/kg', time: now - n * DAY, content: 70 + (n % 9) / 2 })
      if (n % 3 > 0) await create('/events', { streamIds: ['mood'], type: 'mood/rating', time: now - n * DAY, content: (n % 10) / 10 })
      if (n % 4 === 0) await create('/events', { streamIds: ['sleep'], type: 'activity/plain', time: now - (n + 1) * DAY, duration: 8 * 3600 })
      await create('/events', { streamIds: ['walk'], type: 'position/wgs84', time: now - n * 60, content: { latitude: 46.5 + n / 5000, longitude: 6.6 + Math.sin(n / 6) / 100 } })
    }
  })
  afterAll(() => node.stop())

  async function signedIn(javaScriptEnabled = true): Promise<Page> {
    const page = await browser.open(`${node.url}web/sign-in`, { javaScriptEnabled })
    await signIn(page, 'alice')
    await isAt(page, '/web/overview')
    return page
  }

  it('are chosen from the list, drawn, zoomed by dragging, and open again by their address', async () => {
    const page = await signedIn()
    await (await sectionLink(page, 'Charts')).click()
    await page.getByText('Weight (kg)').waitFor()
    await inspect(page, 'charts')
    await page.getByRole('link', { name: 'Open: Weight (kg)' }).click()
    await page.locator('.plot[data-drawn] canvas').waitFor()
    await inspect(page, 'charts-weight')
    const area = await page.locator('.plot .u-over').boundingBox()
    if (area === null) throw new Error('the chart has no area')
    const y = area.y + area.height / 2
    await page.mouse.move(area.x + area.width * 0.5, y)
    await page.locator('.readout', { hasText: 'kg' }).waitFor()
    await page.mouse.down()
    await page.mouse.move(area.x + area.width * 0.75, y, { steps: 5 })
    await page.mouse.up()
    await page.waitForURL(/from=[\d.]+&to=[\d.]+/)
    const address = page.url()
    const again = await page.context().newPage()
    await again.goto(address)
    await again.locator('.plot[data-drawn] canvas').waitFor()
    expect(Number(/\d+/.exec((await again.locator('#count-0').textContent()) ?? '')?.[0])).toBeLessThan(20)
    await again.close()
    await page.locator('.plot .u-over').dblclick()
    await page.waitForURL((url) => !url.searchParams.has('from'))
  })

  it('follow a change between light and dark', async () => {
    const page = await signedIn()
    await page.goto(`${node.url}web/charts?stream=weight`)
    await page.locator('.plot[data-drawn] canvas').waitFor()
    const line = (): Promise<string> => page.evaluate<string>(`(() => {
      const canvas = document.querySelector('.plot canvas')
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      const counts = {}
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) { const key = [data[at], data[at + 1], data[at + 2]].join(); counts[key] = (counts[key] || 0) + 1 }
      return Object.entries(counts).sort((a, b) => b[1] - a[1])[0][0]
    })()`)
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await line()
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(line).not.toBe(light)
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(line).toBe(light)
  })

  it('count new values while they are open', async () => {
    const page = await signedIn()
    await page.goto(`${node.url}web/charts?stream=weight`)
    await page.locator('.plot[data-drawn] canvas').waitFor()
    await page.locator('#count-0', { hasText: '40 values' }).waitFor()
    await create('/events', { streamIds: ['weight'], type: 'mass/kg', content: 75 })
    await page.locator('#count-0', { hasText: '41 values' }).waitFor()
  })

  it.each(['mood', 'sleep', 'walk'])('show the stream %s accessibly', async (stream) => {
    const page = await signedIn()
    await page.goto(`${node.url}web/charts?stream=${stream}`)
    await page.locator('section.chart-part').first().waitFor()
    await inspect(page, `charts-${stream}`)
  })

  it('are pictures and tables without scripts', async () => {
    const page = await signedIn(false)
    await page.goto(`${node.url}web/charts?stream=weight`)
    await page.locator('.plot svg[role=img]').waitFor()
    await page.getByText('Values as a table').click()
    expect(await page.locator('.plot tbody tr').count()).toBeGreaterThan(30)
  })
})
