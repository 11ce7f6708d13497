/** What the second step of signing in continues: kept in the browser, sealed, between the two pages. */
import type { MfaMethod } from '../../store/model/mfa.js'
import type { Cookies } from './cookies.js'

export interface Step {
  /** Prefix of the account whose password was right. */
  account: string
  /** Of the login that waits for its second factor. */
  mfaToken: string
  method: MfaMethod
}

export const rememberStep = (cookies: Cookies, step: Step): void => cookies.set('step', JSON.stringify(step))

/** The step that waits; undefined when there is none. Whether it still counts, its session knows. */
export function stepIn(cookies: Cookies): Step | undefined {
  const stored = cookies.get('step')
  return stored === undefined ? undefined : (JSON.parse(stored) as Step)
}
