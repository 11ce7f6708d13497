/** Opens addresses in the user's browser, without a shell. */
import { spawn } from 'node:child_process'
import type { Environment } from '../framework/paths.js'

/** Time within which a browser launcher reports a failure, in milliseconds. */
const LAUNCH_TIMEOUT_MS = 1500

/** Returns the launcher of a platform with its arguments before the address; undefined without a display. */
export function browserProgram(platform: NodeJS.Platform, env: Environment): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  const hasDisplay = [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((value) => value !== undefined && value !== '')
  return hasDisplay ? ['xdg-open'] : undefined
}

/** Opens an address; returns false when this machine has no browser. The browser outlives this process. */
export async function openInBrowser(url: string, platform: NodeJS.Platform, env: Environment): Promise<boolean> {
  const program = browserProgram(platform, env)
  if (program === undefined) return false
  const [name, ...before] = program
  const child = spawn(name, [...before, url], { detached: true, stdio: 'ignore', env: { ...env } })
  return new Promise((resolve) => {
    // A launcher still running after this time has found a browser.
    const timer = setTimeout(() => resolve(true), LAUNCH_TIMEOUT_MS)
    const ended = (isOpen: boolean): void => {
      clearTimeout(timer)
      resolve(isOpen)
    }
    child.on('error', () => ended(false))
    child.on('exit', (code) => ended(code === 0))
    child.unref()
  })
}
