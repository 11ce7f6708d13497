/** Steps of users on the English pages. */
import type { Locator, Page } from 'playwright-core'

export const PASSWORD = 'correct horse'

/** Waits until a browser is on the page of a path, with any query. */
export const isAt = (page: Page, path: string): Promise<void> => page.waitForURL((url) => url.pathname === path)

/** Fills in and submits the sign-in form. */
export async function signIn(page: Page, username: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('User name or e-mail address').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: /^Sign in/ }).click()
}

/** Reads the key of a new second factor, as Base32. */
export async function keyOn(page: Page): Promise<string> {
  return ((await page.locator('#key').textContent()) ?? '').replace(/\s/g, '')
}

/** Types and submits a code. */
export async function typeCode(page: Page, code: string): Promise<void> {
  await page.locator('input[name=code]').fill(code)
  await page.keyboard.press('Enter')
}

/** Returns the link to a section of the console; on a narrow screen, opens the menu that contains it. */
export async function sectionLink(page: Page, name: string): Promise<Locator> {
  const menu = page.locator('details.menu.narrow-only > summary')
  if (await menu.isVisible()) {
    await menu.click()
    return page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name })
  }
  return page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name })
}

/** Opens the list of streams, which a narrow screen shows on demand. */
export async function openStreams(page: Page): Promise<void> {
  const summary = page.locator('.streams > summary')
  if (await summary.isVisible()) await summary.click()
}
