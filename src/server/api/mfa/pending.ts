/** Look-up of the pending MFA session of a call, whose token comes in place of the access token. */
import { sessionExpiry } from '../../../store/accesses/accesses.js'
import type { Account } from '../../../store/engine/account.js'
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { readUser } from '../../../store/accounts/users.js'
import { credentialsOf } from '../../auth/authenticate.js'
import type { OpenCall } from '../../call/method.js'
import { offeredMethods } from './offer.js'
import { mfaIsOff, noMfaSession } from './refusals.js'
import type { PendingEnrolment, PendingLogin, PendingSession, MfaDeps } from './sessions.js'

/**
 * Returns the session of a call's token. A session ends when the password changes, when the factor of a login changes, or when
 * the initiator of an enrolment logs out.
 * @throws Failure `unavailable-method`, `forbidden`
 */
export function sessionOf({ node, account, authorization, queryAuth }: OpenCall<MfaDeps>): PendingSession {
  if (offeredMethods(node.config).length === 0) throw mfaIsOff()
  const token = credentialsOf(authorization, queryAuth)?.token
  const session = token === undefined ? undefined : node.mfaSessions.find(token, account.prefix)
  if (session === undefined) throw noMfaSession()
  if (!isStale(account, session)) return session
  node.mfaSessions.end(session)
  throw noMfaSession()
}

function isStale({ db, prefix }: Account, session: PendingSession): boolean {
  if (readUser(db, prefix)?.passwordHash !== session.passwordHash) return true
  if (session.kind === 'login') return readEnrolment(db, prefix)?.id !== session.enrolment
  return session.access !== undefined && sessionExpiry(db, prefix, session.access) === undefined
}

/** Returns the pending login of the call; see `sessionOf`. */
export function loginOf(call: OpenCall<MfaDeps>): PendingLogin {
  const session = sessionOf(call)
  if (session.kind !== 'login') throw noMfaSession()
  return session
}

/** Returns the pending enrolment of the call; see `sessionOf`. */
export function enrolmentOf(call: OpenCall<MfaDeps>): PendingEnrolment {
  const session = sessionOf(call)
  if (session.kind !== 'enroll') throw noMfaSession()
  return session
}
