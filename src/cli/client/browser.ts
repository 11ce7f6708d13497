/** Opening an address in the browser of whoever sits at the terminal. No shell ever sees the address. */
import { spawn } from 'node:child_process'
import type { Environment } from '../framework/paths.js'

/** How long a program that opens browsers may take to say that it cannot. */
const PATIENCE_MS = 1500

/** The program that opens addresses on a system, and its arguments before the address; undefined without a display. */
export function browserProgram(platform: NodeJS.Platform, env: Environment): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  const hasDisplay = [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((name) => name !== undefined && name !== '')
  return hasDisplay ? ['xdg-open'] : undefined
}

/** Opens an address; false when that cannot be done here. The browser outlives this process. */
export async function openInBrowser(url: string, platform: NodeJS.Platform, env: Environment): Promise<boolean> {
  const program = browserProgram(platform, env)
  if (program === undefined) return false
  const [name, ...before] = program
  const child = spawn(name, [...before, url], { detached: true, stdio: 'ignore', env: { ...env } })
  return new Promise((resolve) => {
    // Still at work after a while: it has found a browser.
    const timer = setTimeout(() => resolve(true), PATIENCE_MS)
    const ended = (isGood: boolean): void => {
      clearTimeout(timer)
      resolve(isGood)
    }
    child.on('error', () => ended(false))
    child.on('exit', (code) => ended(code === 0))
    child.unref()
  })
}
