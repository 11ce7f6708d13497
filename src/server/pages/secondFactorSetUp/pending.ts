/**
 * An enrolment of a second factor that is not yet confirmed. Its token is in an encrypted cookie, everything else in the
 * memory of the node.
 */
import type { PendingEnrolment } from '../../api/mfa/sessions.js'
import type { Cookies } from '../cookies.js'
import type { Visit } from '../page.js'
import type { Session } from '../flow.js'

export const rememberPending = (cookies: Cookies, mfaToken: string): void => cookies.set('enrol', mfaToken)

export const dropPending = (cookies: Cookies): void => cookies.remove('enrol')

/** Returns the token in the cookie; its session decides whether it is still valid. */
export const pendingToken = (cookies: Cookies): string => cookies.get('enrol') ?? ''

/** Returns the pending enrolment of the signed-in owner in this browser; undefined when there is none. */
export function pendingIn({ node, cookies, session }: Visit & { session: Session }): PendingEnrolment | undefined {
  const pending = node.mfaSessions.find(pendingToken(cookies), session.account.prefix)
  return pending?.kind === 'enroll' ? pending : undefined
}

/** Masks a phone number except for its first and last three characters. */
export const maskedPhone = (phone = ''): string => `${phone.slice(0, 3)}…${phone.slice(-3)}`
