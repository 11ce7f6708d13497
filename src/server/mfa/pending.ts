/** Which pending session a call is for: its token comes where other calls bring their access token. */
import { readEnrolment } from '../../store/mfa.js'
import { readUser } from '../../store/users.js'
import { credentialsOf } from '../guard/token.js'
import type { OpenCall } from '../method.js'
import { offeredMethods } from './offer.js'
import { mfaIsOff, noMfaSession } from './refusals.js'
import type { PendingEnrolment, PendingLogin, PendingSession } from './sessions.js'

/**
 * The session of a call's token. A login whose factor or password is another by now has ended.
 * @throws Failure `unavailable-method`, `forbidden`
 */
export function sessionOf({ node, account, authorization, queryAuth }: OpenCall): PendingSession {
  if (offeredMethods(node.config).length === 0) throw mfaIsOff()
  const token = credentialsOf(authorization, queryAuth)?.token
  const session = token === undefined ? undefined : node.mfaSessions.find(token, account.prefix)
  if (session === undefined) throw noMfaSession()
  if (session.kind === 'enroll') return session
  const { db, prefix } = account
  const isStale =
    readEnrolment(db, prefix)?.id !== session.enrolment || readUser(db, prefix)?.passwordHash !== session.passwordHash
  if (!isStale) return session
  node.mfaSessions.end(session)
  throw noMfaSession()
}

/** The login that waits for the call's code; see `sessionOf`. */
export function loginOf(call: OpenCall): PendingLogin {
  const session = sessionOf(call)
  if (session.kind !== 'login') throw noMfaSession()
  return session
}

/** The new factor that waits for the call's confirmation; see `sessionOf`. */
export function enrolmentOf(call: OpenCall): PendingEnrolment {
  const session = sessionOf(call)
  if (session.kind !== 'enroll') throw noMfaSession()
  return session
}
