/** State between the two steps of a login, encrypted in a cookie of the browser. */
import type { MfaMethod } from '../../store/model/mfa.js'
import type { Cookies } from './cookies.js'

export interface Step {
  /** Prefix of the account whose password was correct. */
  account: string
  /** Token of the login that waits for its second factor. */
  mfaToken: string
  method: MfaMethod
}

export const rememberStep = (cookies: Cookies, step: Step): void => cookies.set('step', JSON.stringify(step))

/** Returns the pending step; undefined when there is none. Its session decides whether it is still valid. */
export function stepIn(cookies: Cookies): Step | undefined {
  const stored = cookies.get('step')
  return stored === undefined ? undefined : (JSON.parse(stored) as Step)
}
