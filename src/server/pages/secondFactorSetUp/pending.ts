/** A second factor that waits for its confirmation: the browser keeps its token, sealed; the node keeps the rest. */
import type { PendingEnrolment } from '../../mfa/sessions.js'
import type { Cookies } from '../cookies.js'
import type { Session, Visit } from '../page.js'

export const rememberPending = (cookies: Cookies, mfaToken: string): void => cookies.set('enrol', mfaToken)

export const dropPending = (cookies: Cookies): void => cookies.remove('enrol')

/** The token that a browser keeps; whether it still counts, its session knows. */
export const pendingToken = (cookies: Cookies): string => cookies.get('enrol') ?? ''

/** The factor that the signed-in owner is setting up in this browser. */
export function pendingIn({ node, cookies, session }: Visit & { session: Session }): PendingEnrolment | undefined {
  const pending = node.mfaSessions.find(pendingToken(cookies), session.account.prefix)
  return pending?.kind === 'enroll' ? pending : undefined
}

/** A phone number of which the last digits alone are told. */
export const maskedPhone = (phone = ''): string => `${phone.slice(0, 3)}…${phone.slice(-3)}`
