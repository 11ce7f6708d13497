/** Second step of a login with a correct password (docs/interface/mfa.md#login). */
import { readEnrolment } from '../../../store/accounts/credentials.js'
import type { MfaMethod } from '../../../store/model/mfa.js'
import { Failure } from '../../../store/model/failure.js'
import type { OpenCall, Result } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { offeredMethods } from './offer.js'
import { newMfaToken, type PendingLogin, type MfaDeps, type MfaSessions } from './sessions.js'
import { sendCode } from './sms.js'

/**
 * Returns the login result that replaces the token: the token of a session, completed by `complete` once the factor is verified.
 * Undefined for accounts without a factor. Writes only the counts of text messages.
 * @throws Failure `mfa-method-inactive`, `too-many-requests`, `too-many-attempts`, `invalid-operation`
 */
export async function secondStep(call: OpenCall<MfaDeps>, complete: PendingLogin['complete']): Promise<Result | undefined> {
  const { node, account, user } = call
  if (!node.config.get('services.mfa.active')) return undefined
  const enrolment = readEnrolment(node.store.db, account.prefix)
  if (enrolment === undefined) return undefined
  const { method, content } = enrolment
  if (!offeredMethods(node.config).includes(method)) return withoutFactor(call, method)
  const token = newMfaToken()
  node.mfaSessions.assertCapacity({ kind: 'login', account: account.prefix })
  const sent = method === 'sms' ? await sendCode(node, account, content) : undefined
  node.mfaSessions.open({
    kind: 'login',
    token,
    account: account.prefix,
    enrolment: enrolment.id,
    passwordHash: user.passwordHash,
    complete,
    ...(sent === undefined ? {} : { sent, requestedAt: sent.at }),
  })
  return { mfaToken: token, mfaMethod: method }
}

/** Handles a login for a factor that is no longer offered: rejected, unless the operator permits it. */
function withoutFactor({ node, account, user }: OpenCall<MfaDeps>, method: MfaMethod): undefined {
  const mayPass = node.config.get('services.mfa.allowLoginWhenMethodInactive')
  if (isFirstInAWhile(node, account.prefix)) {
    node.log.warn(mayPass ? 'login without second factor: its method is not offered' : 'login rejected: the method of its second factor is not offered', {
      user: user.username,
      method,
    })
  }
  if (mayPass) return undefined
  throw new Failure('mfa-method-inactive', `The second factor of this account, ${method}, is not offered by this node.`)
}

const warned = new WeakMap<MfaSessions, Map<string, number>>()

/** Limits warnings to one per account in each window of wrong codes. */
function isFirstInAWhile(node: Context & MfaDeps, account: string): boolean {
  const known = warned.get(node.mfaSessions) ?? new Map<string, number>()
  warned.set(node.mfaSessions, known)
  const now = node.clock.now()
  const before = known.get(account)
  if (before !== undefined && before + node.config.get('services.mfa.attempts.perAccountWindowSeconds') > now) return false
  known.set(account, now)
  return true
}
