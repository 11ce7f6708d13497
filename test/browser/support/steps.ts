/** What people do on the pages, in English. */
import type { Page } from 'playwright-core'

export const PASSWORD = 'correct horse'

/** Waits until a browser is on a page, by its path, whatever parameters its address has. */
export const isAt = (page: Page, path: string): Promise<void> => page.waitForURL((url) => url.pathname === path)

/** Fills in the sign-in form that a page shows, and sends it. */
export async function signIn(page: Page, who: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('User name or e-mail address').fill(who)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: /^Sign in/ }).click()
}

/** Scans the key of a new second factor; answers it as Base32. */
export async function keyOn(page: Page): Promise<string> {
  return ((await page.locator('#key').textContent()) ?? '').replace(/\s/g, '')
}

/** Types a code where a page asks for one, and sends it. */
export async function typeCode(page: Page, code: string): Promise<void> {
  await page.locator('input[name=code]').fill(code)
  await page.keyboard.press('Enter')
}
