/**
 * Confirmations of the signed-in person that hold for some time: an encrypted cookie, bound to the session in which the password or
 * a key was entered, so that signing out ends them.
 */
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { secretDigest } from '../../base/secretDigest.js'
import type { CookieName } from '../cookies.js'
import type { ConsoleVisit } from './consolePage.js'

interface Confirmation {
  /** Digest of the token of the session. */
  session: string
  /** Digest of what was confirmed besides; empty for nothing. */
  of: string
  /** Seconds since 1970. */
  until: number
}

const sessionDigest = ({ person }: ConsoleVisit): string => secretDigest(person.caller.token.reveal())

/** Stores a confirmation in the browser for some seconds; `of` binds it to a further secret, as its digest. */
export function confirm(visit: ConsoleVisit, cookie: CookieName, seconds: number, of = ''): void {
  const confirmation: Confirmation = { session: sessionDigest(visit), of, until: visit.node.clock.now() + seconds }
  visit.cookies.set(cookie, JSON.stringify(confirmation), seconds)
}

/** Returns the end of a confirmation of this session, in seconds since 1970; undefined without one. */
export function confirmedUntil(visit: ConsoleVisit, cookie: CookieName, of = ''): number | undefined {
  const stored = visit.cookies.get(cookie)
  if (stored === undefined) return undefined
  const confirmation = JSON.parse(stored) as Confirmation
  const isOfSession = constantTimeEqual(confirmation.session, sessionDigest(visit))
  return constantTimeEqual(confirmation.of, of) && isOfSession && confirmation.until > visit.node.clock.now() ? confirmation.until : undefined
}
