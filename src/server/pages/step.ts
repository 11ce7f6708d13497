/** State between the two steps of a login, encrypted in a cookie of the browser. */
import type { MfaMethod } from '../../store/model/mfa.js'
import type { Cookies } from './cookies.js'

export interface PendingLogin {
  /** Prefix of the account whose password was correct. */
  account: string
  /** Token of the login that waits for its second factor. */
  mfaToken: string
  method: MfaMethod
}

export const rememberPendingLogin = (cookies: Cookies, step: PendingLogin): void => cookies.set('step', JSON.stringify(step))

/**
 * Returns the pending login of this browser; undefined when there is none. It may have expired: `node.mfaSessions`
 * decides that.
 */
export function stepIn(cookies: Cookies): PendingLogin | undefined {
  const stored = cookies.get('step')
  return stored === undefined ? undefined : (JSON.parse(stored) as PendingLogin)
}
