/** Checks of every page: accessibility, narrow screens and size; also takes screenshots. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Folder of screenshots, by name, width and colour scheme; not under version control. They are taken with `SCREENSHOTS=1`. */
const SCREENSHOTS = fileURLToPath(new URL('../../../build/screenshots', import.meta.url))

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1280, height: 800 }
/** Minimum width without horizontal scrolling (WCAG 1.4.10). */
const NARROWEST = { width: 320, height: 640 }
/** Maximum size of a page with its styles and scripts, as they are transferred. */
const MAX_BYTES = 80 * 1024

/** Evaluates an expression in a page. Scripts of pages are texts because their globals differ from those of tests. */
const inPage = <T>(page: Page, expression: string): Promise<T> => page.evaluate<T>(expression)

/** Returns a description of each violated axe-core rule. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await inPage<boolean>(page, `typeof axe === 'object'`))) await page.evaluate(axe.source)
  const options = JSON.stringify({ runOnly: RULES, resultTypes: ['violations'] })
  const { violations } = await inPage<AxeResults>(page, `axe.run(document, ${options})`)
  return violations.map(({ id, impact, help, nodes }) => {
    const places = nodes.map(({ html, failureSummary = '' }) => `  ${html}\n    ${failureSummary.replaceAll('\n', '\n    ')}`)
    return `${id} (${impact ?? 'unknown'}): ${help}\n${places.join('\n')}`
  })
}

/**
 * Fails when a page violates an accessibility rule, in light colours at its present width or in dark colours on a phone, or scrolls
 * horizontally on a small phone.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  expect(await violationsOf(page), `${page.url()} in light colours`).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await atSize(page, PHONE, async () => {
    expect(await violationsOf(page), `${page.url()} in dark colours on a phone`).toEqual([])
  })
  await page.emulateMedia({ colorScheme: 'light' })
  await atSize(page, NARROWEST, async () => {
    const wide = await inPage<number>(page, 'document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(wide, `pixels that ${page.url()} is wider than a small phone`).toBeLessThanOrEqual(0)
  })
}

/** Takes screenshots of a page: on a phone in light and dark colours, and on a desktop. */
export async function shoot(page: Page, name: string): Promise<void> {
  // They take as long as all checks, for people to look at.
  if (process.env['SCREENSHOTS'] !== '1') return
  mkdirSync(SCREENSHOTS, { recursive: true })
  const picture = (suffix: string): Promise<unknown> =>
    page.screenshot({ path: join(SCREENSHOTS, `${name}-${suffix}.png`), fullPage: true, animations: 'disabled' })
  await atSize(page, PHONE, async () => {
    await picture('phone')
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture('phone-dark')
    await page.emulateMedia({ colorScheme: 'light' })
  })
  await atSize(page, DESKTOP, () => picture('desktop'))
}

/** Returns the transferred bytes of a page with its styles and scripts; without pictures of the account. */
export const weightOf = (page: Page): Promise<number> =>
  inPage(
    page,
    `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter((entry) => entry.initiatorType !== 'img')
      .reduce((sum, entry) => sum + entry.encodedBodySize, 0)`,
  )

/** Maximum of the sum of layout shifts. */
const MAX_SHIFT = 0.05

/**
 * Returns the sum of the layout shifts of a page since it was opened, without those that follow an input; 0 for a page with parts that
 * were requested again, because they changed or were late: they move what is below them.
 */
const shiftOf = (page: Page): Promise<number> =>
  inPage(
    page,
    `new Promise((resolve) => {
      let sum = 0
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value
      }).observe({ type: 'layout-shift', buffered: true })
      const isUpdated = performance.getEntriesByType('resource').some(({ initiatorType, name }) => initiatorType === 'fetch' && new URL(name).pathname === location.pathname)
      // Entries before the observation come with the next task.
      setTimeout(() => resolve(isUpdated ? 0 : sum), 50)
    })`,
  )

/** Runs all checks and takes screenshots of a page in one of its states. */
export async function inspect(page: Page, name: string): Promise<void> {
  expect(await shiftOf(page), `layout shifts of ${page.url()}`).toBeLessThan(MAX_SHIFT)
  await expectAccessible(page)
  const weight = await weightOf(page)
  expect(weight).toBeGreaterThan(500)
  expect(weight, `bytes of ${page.url()}`).toBeLessThan(MAX_BYTES)
  await shoot(page, name)
}

async function atSize(page: Page, size: { width: number; height: number }, action: () => Promise<unknown>): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize(size)
  try {
    await action()
  } finally {
    if (before !== null) await page.setViewportSize(before)
  }
}
