/** Pictures of the console in the documents, drawn of an account with half a year of values. `PICTURES=write` draws them again. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ask, share } from '../../support/people/shares.js'
import { expectCurrentScreenshot } from '../../support/pictures/current.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { isAt, signIn } from '../support/steps.js'

const DAY = 86_400
const SIZE = { width: 1180, height: 760 }
/** A picture that the account contains. */
const LANDSCAPE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400"><rect width="640" height="400" fill="#bfe0f5"/>
<circle cx="520" cy="90" r="42" fill="#ffd866"/><path d="M0 260 150 120 260 230 380 90 640 300V400H0Z" fill="#6f8fa8"/>
<path d="M0 310 180 240 360 300 520 250 640 310V400H0Z" fill="#4c7a56"/><path d="M0 350h640v50H0Z" fill="#3b78a8"/></svg>`

inBrowser('the pictures of the console', () => {
  const browser = withBrowser()
  const now = Date.UTC(2026, 10, 27, 14, 30) / 1000
  const clock = fakeClock(now - 3)
  let node: TestNode
  let owner: string
  const stage = (): { node: TestNode; username: string; owner: string } => ({ node, username: 'ana-lovelace', owner })
  const create = (path: string, body: object): Promise<unknown> => ask(stage(), owner, 'POST', path, body)
  const batch = (calls: { method: string; params: object }[]): Promise<unknown> => ask(stage(), owner, 'POST', '/', calls)

  beforeAll(async () => {
    node = await startTestNode({ 'sync.name': 'Desktop computer' }, { clock })
    owner = await registerUser(node, 'ana-lovelace')
    const streams = [['body', 'Body'], ['weight', 'Weight', 'body'], ['pressure', 'Blood pressure', 'body'], ['mood', 'Mood'], ['diary', 'Diary'], ['trips', 'Trips']]
    for (const [id, name, parentId] of streams) await create('/streams', { id, name, ...(parentId === undefined ? {} : { parentId }) })
    const days = Array.from({ length: 180 }, (_, day) => day)
    const event = (params: object) => ({ method: 'events.create', params })
    await batch(days.map((day) => event({ streamIds: ['weight'], type: 'mass/kg', time: now - day * DAY - 3600, content: Math.round((71.5 + 1.8 * Math.sin(day / 28) + ((day * 7) % 5) / 6) * 10) / 10 })))
    await batch(days.filter((day) => day % 6 === 0).map((day) => event({ streamIds: ['pressure'], type: 'blood-pressure/mmhg-bpm', time: now - day * DAY - 1800, content: { systolic: 118 + ((day * 3) % 9), diastolic: 76 + (day % 5), rate: 60 + ((day * 5) % 8) } })))
    await batch(days.map((day) => event({ streamIds: ['mood'], type: 'mood/rating', time: now - day * DAY - 7200, content: ((day * 37 + 7) % 10) / 10 })))
    await create('/events', { streamIds: ['diary'], type: 'note/txt', time: now - 5000, content: 'Long walk along the lake, slept well.' })
    const { token } = await share(stage(), { name: 'Dr Weber', permissions: [{ streamId: 'body', level: 'read' }], expireAfter: 5 * DAY })
    await share(stage(), { name: 'Coach', permissions: [{ streamId: 'trips', level: 'contribute' }], expireAfter: 60 * DAY })
    // Accesses are listed by the time of their last use, so each is used at a time of its own.
    clock.pass(1)
    await ask(stage(), token, 'GET', '/events?limit=5')
    clock.pass(1)
  })
  afterAll(() => node.stop())

  /** Stores a drawn picture as an event. */
  async function addPicture(page: Page): Promise<void> {
    await page.setContent(`<body style="margin:0">${LANDSCAPE.replace('<svg ', '<svg width="640" height="400" ')}</body>`)
    const bytes = await page.screenshot({ clip: { x: 0, y: 0, width: 640, height: 400 } })
    const form = new FormData()
    form.set('event', JSON.stringify({ streamIds: ['trips'], type: 'picture/attached', time: now - 90_300 }))
    form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'lake.png')
    const answer = await fetch(`${node.url}ana-lovelace/events`, { method: 'POST', headers: { authorization: owner }, body: form })
    expect(answer.status).toBe(201)
  }

  async function draw(page: Page, name: string, path: string, ready: string): Promise<void> {
    await page.goto(`${node.url}web${path}`)
    await page.locator(ready).first().waitFor()
    await expect.poll(() => page.locator('[data-later]').count(), { timeout: 15_000 }).toBe(0)
    // Sizes in the store depend on random keys.
    const content = (await page.locator('main').innerText()).replaceAll(/[\d.]+ (byte|kB|MB)/g, '…')
    const sheets = await page.evaluate<string[]>(`[...document.querySelectorAll('link[rel=stylesheet]')].map((link) => new URL(link.href).pathname)`)
    const styles = await Promise.all(sheets.map(async (sheet) => (await fetch(new URL(sheet, node.url))).text()))
    await expectCurrentScreenshot(`console-${name}.png`, [content, ...styles].join('\n'), () => page.screenshot({ animations: 'disabled' }))
  }

  it('are current', async () => {
    const context = await browser.context({ origins: [new URL(node.url).origin], viewport: SIZE, timezoneId: 'Europe/Zurich' })
    const page = await context.newPage()
    await page.setViewportSize(SIZE)
    await addPicture(page)
    clock.pass(1)
    await page.goto(`${node.url}web/sign-in`)
    await signIn(page, 'ana-lovelace')
    await isAt(page, '/web/overview')
    await draw(page, 'overview', '/overview', '.growth')
    await draw(page, 'data', '/data', '.rows')
    await draw(page, 'add', '/event/new', '.kinds')
    await draw(page, 'charts', '/charts?stream=weight', '.plot[data-drawn] canvas')
    await draw(page, 'calendar', '/charts?stream=mood', '.calendar')
    await draw(page, 'files', '/files', 'main img')
    await draw(page, 'people', '/access', 'main .rows, main .card')
    await draw(page, 'devices', '/devices', 'main')
    await draw(page, 'activity', '/activity', 'main ul, main ol')
    await draw(page, 'settings', '/settings', '.settings')
  })
})
