/** Runs one browser for each test file, with a new context without cookies for each test. */
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { findChromium } from './chromium.js'
import { watch, type Watch } from './watch.js'

const program = findChromium()

/** `describe` for tests that need a browser; skips them without one. */
export const inBrowser = describe.skipIf(program === undefined)

/** Timeout of one step of a page, long enough for a busy machine. */
const STEP_TIMEOUT_MS = 15_000

/** Width of the window in pixels, for tests that choose none; the long run repeats the tests on the width of a phone. */
const WIDTH = Number(process.env['BROWSER_WIDTH'] ?? 1280)

export interface Visit extends BrowserContextOptions {
  /** Origins of the node, whose pages may load resources only from their own origin. */
  origins: string[]
  /** Origins of apps in the test, which may call the node. */
  apps?: string[]
}

export interface Visits {
  /** Creates a watched context, which is closed after the test; `locale` is English by default. */
  context(visit: Visit): Promise<BrowserContext>
  /** Opens a URL in a new context for the origin of the URL. */
  open(url: string, visit?: Omit<Visit, 'origins'>): Promise<Page>
  /** Returns and clears the problems of pages so far; remaining problems fail the test at its end. */
  problems(): string[]
}

/** Starts the browser for a block of tests. Each test fails when its pages break the rules of watch.ts. */
export function withBrowser(): Visits {
  let browser: Browser | undefined
  let open: { context: BrowserContext; watch: Watch }[] = []
  beforeAll(async () => {
    if (program === undefined) return
    // No host name resolves, so that neither pages nor the browser reach the internet.
    const args = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost', '--disable-dev-shm-usage']
    browser = await chromium.launch({ executablePath: program, args, timeout: 60_000 })
  }, 90_000)
  afterAll(() => browser?.close())
  const problems = (): string[] => open.flatMap(({ watch }) => watch.problems())
  afterEach(async () => {
    for (const { context } of open) await context.close()
    const remaining = problems()
    open = []
    expect(remaining).toEqual([])
  })
  const context = async ({ origins, apps = [], ...options }: Visit): Promise<BrowserContext> => {
    if (browser === undefined) throw new Error('the browser has not started')
    const created = await browser.newContext({ locale: 'en', viewport: { width: WIDTH, height: 800 }, ...options })
    created.setDefaultTimeout(STEP_TIMEOUT_MS)
    open.push({ context: created, watch: watch(created, origins, apps) })
    return created
  }
  return {
    context,
    problems,
    async open(url, visit = {}) {
      const page = await (await context({ ...visit, origins: [new URL(url).origin] })).newPage()
      await page.goto(url)
      return page
    },
  }
}
