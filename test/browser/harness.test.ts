/** The harness itself: pages with faults, served here, that it must not let pass. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inBrowser, withBrowser } from './support/browser.js'
import { findChromium } from './support/chromium.js'
import { expectAccessible, violationsOf, weightOf } from './support/inspect.js'

const page = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title><link rel="icon" href="data:,">${head}</head><body><main><h1>Page</h1>${body}</main></body></html>`

const pages: Record<string, string> = {
  '/good': page('<p>Good.</p>'),
  '/unlabelled': page('<input type="text">'),
  '/pale': page('<p style="color: #ccc; background: #fff">Hardly seen</p>'),
  '/wide': page('<p style="width: 700px">Wide</p>'),
  '/outside': page('<img alt="" src="http://other.example/x.png">'),
  '/throws': page('<script>throw new Error("broken script")</script>'),
  '/lacking': page('<img alt="" src="/no-such.png">'),
  '/heavy': page(`<!--${'x'.repeat(70_000)}-->`),
  '/forbids': page('<script>document.title = "ran"</script>', `<meta http-equiv="Content-Security-Policy" content="script-src 'self'">`),
}

let server: Server
let base: string
beforeAll(async () => {
  server = createServer((request, response) => {
    const html = pages[request.url ?? '']
    response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(html ?? 'nothing')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

describe('the search for Chromium', () => {
  it('takes what COFFER_CHROMIUM names, and nothing else then', () => {
    expect(findChromium({ COFFER_CHROMIUM: process.execPath, PATH: '' })).toBe(process.execPath)
    expect(findChromium({ COFFER_CHROMIUM: '/no/such/program', PATH: process.env['PATH'] })).toBeUndefined()
  })
  it('finds none where there is none', () => {
    expect(findChromium({ PATH: '/no/such/folder' })).toBeUndefined()
    expect(findChromium({})).toBeUndefined()
  })
})

inBrowser('the harness', () => {
  const browser = withBrowser()

  it('lets a good page pass', async () => {
    const opened = await browser.open(`${base}/good`)
    await expectAccessible(opened)
    expect(await weightOf(opened)).toBeLessThan(1000)
  })
  it.each([
    ['/unlabelled', 'label (critical)'],
    ['/pale', 'color-contrast (serious)'],
  ])('sees what is not accessible about %s', async (path, says) => {
    const opened = await browser.open(base + path)
    expect(await violationsOf(opened)).toEqual([expect.stringContaining(says)])
    await expect(expectAccessible(opened)).rejects.toThrow('in light colours')
  })
  it('sees that a page is too wide for a phone', async () => {
    await expect(expectAccessible(await browser.open(`${base}/wide`))).rejects.toThrow('wider than a small phone')
  })
  it('weighs a page', async () => {
    expect(await weightOf(await browser.open(`${base}/heavy`))).toBeGreaterThan(70_000)
  })
  it.each([
    ['/outside', 'asks another host: GET http://other.example/x.png'],
    ['/throws', 'a script failed: broken script'],
    ['/lacking', '404 for'],
    ['/forbids', 'Content Security Policy'],
  ])('sees what is wrong about %s', async (path, says) => {
    const opened = await browser.open(base + path)
    expect(browser.problems()).toContainEqual(expect.stringContaining(says))
    await opened.goto(`${base}/good`)
    expect(browser.problems()).toEqual([])
  })
  it('runs no scripts where there are to be none', async () => {
    const context = await browser.context({ origins: [base], javaScriptEnabled: false })
    const opened = await context.newPage()
    await opened.goto(`${base}/throws`)
    expect(await opened.getByRole('heading').textContent()).toBe('Page')
  })
})
