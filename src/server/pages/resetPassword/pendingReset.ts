/** Encrypted cookie with the state of a password reset, so that no address contains the token. */
import type { Cookies } from '../cookies.js'
import type { Flow } from '../flow.js'

/** State of the reset; `flow` is what the person was doing before. */
export type Reset =
  | { state: 'asked'; flow: Flow }
  /** A mailed link was opened. It may lack the user name; then the page asks for it. */
  | { state: 'linked'; flow: Flow; username: string; token: string }
  | { state: 'done'; flow: Flow; username: string }

/** Lifetime of each state in seconds: enough to find a mail, or to choose a password. */
const SECONDS: Readonly<Record<Reset['state'], number>> = { asked: 3600, linked: 3600, done: 300 }

export const rememberReset = (cookies: Cookies, reset: Reset): void => cookies.set('reset', JSON.stringify(reset), SECONDS[reset.state])

export function resetIn(cookies: Cookies): Reset | undefined {
  const stored = cookies.get('reset')
  return stored === undefined ? undefined : (JSON.parse(stored) as Reset)
}
