/** Tests of the browser test harness with faulty pages that it must detect. */
import { describe, expect, it } from 'vitest'
import { inBrowser, withBrowser } from './support/browser.js'
import { findChromium } from './support/chromium.js'
import { expectAccessible, violationsOf, weightOf } from './support/inspect.js'
import { withSite } from './support/site.js'

const policy = (text: string): string => `<meta http-equiv="Content-Security-Policy" content="${text}">`

const site = withSite({
  '/good': '<p>Good.</p>',
  '/unlabelled': '<input type="text">',
  '/pale': '<p style="color: #ccc; background: #fff">Hardly seen</p>',
  '/wide': '<p style="width: 700px">Wide</p>',
  '/outside': '<img alt="" src="http://other.example/x.png">',
  '/throws': '<script>throw new Error("broken script")</script>',
  '/lacking': '<img alt="" src="/no-such.png">',
  '/heavy': `<!--${'x'.repeat(70_000)}-->`,
})
site().page('/strict', '<p>Good.</p>', policy("default-src 'none'; img-src data:"))
site().page('/forbids', '<script>document.title = "ran"</script>', policy("script-src 'self'; img-src data:"))

describe('the search for Chromium', () => {
  it('uses only the program of COFFER_CHROMIUM when it is set', () => {
    expect(findChromium({ COFFER_CHROMIUM: process.execPath, PATH: '' })).toBe(process.execPath)
    expect(findChromium({ COFFER_CHROMIUM: '/no/such/program', PATH: process.env['PATH'] })).toBeUndefined()
  })
  it('finds none without an installed one', () => {
    expect(findChromium({ PATH: '/no/such/folder' })).toBeUndefined()
    expect(findChromium({})).toBeUndefined()
  })
})

inBrowser('the harness', () => {
  const browser = withBrowser()

  it.each(['/good', '/strict'])('accepts a valid page: %s', async (path) => {
    const opened = await browser.open(site().origin + path)
    await expectAccessible(opened)
    expect(await weightOf(opened)).toBeLessThan(1000)
  })
  it.each([
    ['/unlabelled', 'label (critical)'],
    ['/pale', 'color-contrast (serious)'],
  ])('detects the accessibility violation of %s', async (path, says) => {
    const opened = await browser.open(site().origin + path)
    expect(await violationsOf(opened)).toEqual([expect.stringContaining(says)])
    await expect(expectAccessible(opened)).rejects.toThrow('in light colours')
  })
  it('detects a page that is too wide for a phone', async () => {
    await expect(expectAccessible(await browser.open(`${site().origin}/wide`))).rejects.toThrow('wider than a small phone')
  })
  it('measures the bytes of a page', async () => {
    expect(await weightOf(await browser.open(`${site().origin}/heavy`))).toBeGreaterThan(70_000)
  })
  it.each([
    ['/outside', 'asks another host: GET http://other.example/x.png'],
    ['/throws', 'a script failed: broken script'],
    ['/lacking', '404 for'],
    ['/forbids', 'Content Security Policy'],
  ])('detects the problem of %s', async (path, says) => {
    const opened = await browser.open(site().origin + path)
    expect(browser.problems()).toContainEqual(expect.stringContaining(says))
    await opened.goto(`${site().origin}/good`)
    expect(browser.problems()).toEqual([])
  })
  it('runs no scripts without JavaScript', async () => {
    const context = await browser.context({ origins: [site().origin], javaScriptEnabled: false })
    const opened = await context.newPage()
    await opened.goto(`${site().origin}/throws`)
    expect(await opened.getByRole('heading').textContent()).toBe('Page')
  })
})
