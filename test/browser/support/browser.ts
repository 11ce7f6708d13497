/** One browser for a file of tests, and a context of its own, without cookies, for each test. */
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { findChromium } from './chromium.js'
import { watch, type Watch } from './watch.js'

const program = findChromium()

/** `describe` for tests that need a browser: skipped where there is none. */
export const inBrowser = describe.skipIf(program === undefined)

/** How long a page may take for one step on a machine that has much else to do. */
const PATIENCE_MS = 15_000

export interface Visit extends BrowserContextOptions {
  /** Origins that pages may come from and whose pages are held to their own origin: the node's. */
  origins: string[]
  /** Origins of apps in the test, which may call the node. */
  apps?: string[]
}

export interface Visits {
  /** A context that is watched, and closed after the test. English, unless `locale` says otherwise. */
  context(visit: Visit): Promise<BrowserContext>
  /** Opens an address in a context of its own; the address's origin is the one that is known. */
  open(url: string, visit?: Omit<Visit, 'origins'>): Promise<Page>
  /** What pages did wrong since this was last asked, for tests that expect something; the rest fails the test at its end. */
  problems(): string[]
}

/** Starts the browser for a block of tests. After each of them, pages must have kept to what watch.ts says. */
export function withBrowser(): Visits {
  let browser: Browser | undefined
  let open: { context: BrowserContext; watch: Watch }[] = []
  beforeAll(async () => {
    if (program === undefined) return
    // Host names end here: whatever a page, or the browser itself, asks the world for is not found.
    const args = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost', '--disable-dev-shm-usage']
    browser = await chromium.launch({ executablePath: program, args, timeout: 60_000 })
  }, 90_000)
  afterAll(() => browser?.close())
  const problems = (): string[] => open.flatMap(({ watch }) => watch.problems())
  afterEach(async () => {
    for (const { context } of open) await context.close()
    const left = problems()
    open = []
    expect(left).toEqual([])
  })
  const context = async ({ origins, apps = [], ...options }: Visit): Promise<BrowserContext> => {
    if (browser === undefined) throw new Error('the browser has not started')
    const made = await browser.newContext({ locale: 'en', viewport: { width: 1280, height: 800 }, ...options })
    made.setDefaultTimeout(PATIENCE_MS)
    open.push({ context: made, watch: watch(made, origins, apps) })
    return made
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
