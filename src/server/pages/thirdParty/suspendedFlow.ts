/** Encrypted cookie with the flow to resume after a third-party login, and a mark that the redirect must return. */
import { randomBytes } from 'node:crypto'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import type { Cookies } from '../cookies.js'
import type { Flow } from '../flow.js'

interface SuspendedFlow {
  mark: string
  flow: Flow
}

const MARK_BYTES = 18
/** Lifetime in seconds, the same as that of the signed state. */
const TTL = 600
/** Maximum length in characters: cookies hold 4096 bytes, and encryption adds a third. */
const MAX_FLOW_LENGTH = 2500

/** Checks whether a flow fits into a cookie. */
export const canBeStored = (flow: Flow): boolean => JSON.stringify(flow).length <= MAX_FLOW_LENGTH

/** Stores the flow and returns its mark. */
export function suspendFlow(cookies: Cookies, flow: Flow): string {
  const mark = randomBytes(MARK_BYTES).toString('base64url')
  cookies.set('away', JSON.stringify({ mark, flow } satisfies SuspendedFlow), TTL)
  return mark
}

/** Returns the flow of a mark, once; undefined when it was started in another browser or has expired. */
export function resumeFlow(cookies: Cookies, mark: string | undefined): Flow | undefined {
  const stored = cookies.get('away')
  if (stored === undefined || mark === undefined) return undefined
  const suspended = JSON.parse(stored) as SuspendedFlow
  if (!constantTimeEqual(suspended.mark, mark)) return undefined
  cookies.remove('away')
  return suspended.flow
}
