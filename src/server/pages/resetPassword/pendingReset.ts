/** What the browser keeps, sealed, from asking for a new password to having it: so no address shows a token. */
import type { Cookies } from '../cookies.js'
import type { Flow } from '../page.js'

/** How far somebody has come; `flow` is what that person was doing before. */
export type Reset =
  | { state: 'asked'; flow: Flow }
  /** A mailed link was opened. It may lack the user name: then the person is asked for it. */
  | { state: 'linked'; flow: Flow; username: string; token: string }
  | { state: 'done'; flow: Flow; username: string }

/** Long enough to find a mail, or to think of a password. */
const SECONDS: Readonly<Record<Reset['state'], number>> = { asked: 3600, linked: 3600, done: 300 }

export const rememberReset = (cookies: Cookies, reset: Reset): void => cookies.set('reset', JSON.stringify(reset), SECONDS[reset.state])

export function resetIn(cookies: Cookies): Reset | undefined {
  const stored = cookies.get('reset')
  return stored === undefined ? undefined : (JSON.parse(stored) as Reset)
}
