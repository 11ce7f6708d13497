/** What goes on when somebody comes back from a third party: kept in the browser, sealed, with a mark that comes back too. */
import { randomBytes } from 'node:crypto'
import { constantTimeEqual } from '../../base/constantTimeEqual.js'
import type { Cookies } from '../cookies.js'
import type { Flow } from '../page.js'

interface Away {
  mark: string
  flow: Flow
}

const MARK_BYTES = 18
/** As long as the state of the way there is good, in seconds. */
const TTL = 600
/** Characters: browsers take cookies of 4096 bytes, and sealing makes them longer by a third. */
const MOST = 2500

/** Whether it fits into a cookie. */
export const canBeStored = (flow: Flow): boolean => JSON.stringify(flow).length <= MOST

/** Keeps what somebody is doing; answers the mark. */
export function rememberAway(cookies: Cookies, flow: Flow): string {
  const mark = randomBytes(MARK_BYTES).toString('base64url')
  cookies.set('away', JSON.stringify({ mark, flow } satisfies Away), TTL)
  return mark
}

/** What whoever comes back with a mark was doing, once; undefined when it was begun in another browser, or is over. */
export function backFrom(cookies: Cookies, mark: string | undefined): Flow | undefined {
  const stored = cookies.get('away')
  if (stored === undefined || mark === undefined) return undefined
  const away = JSON.parse(stored) as Away
  if (!constantTimeEqual(away.mark, mark)) return undefined
  cookies.remove('away')
  return away.flow
}
