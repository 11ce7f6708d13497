/** Operator methods for the second factor of an account. */
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { publicEnrolment } from '../../../store/model/mfa.js'
import { callOpen } from '../../call.js'
import type { NodeMethod } from '../control.js'
import { confirm } from '../../mfa/confirm.js'
import { offeredMethods } from '../../mfa/offer.js'
import { terminalOrigin } from '../terminalCaller.js'
import { loadedOf } from './loaded.js'

export const mfaMethods: Readonly<Record<string, NodeMethod>> = {
  async 'users.mfa'(node, params) {
    const { account, user } = await loadedOf(node, params)
    const enrolment = readEnrolment(node.store.db, account.prefix)
    const mfa = enrolment === undefined ? null : publicEnrolment(enrolment)
    return { username: user.username, mfa, methods: offeredMethods(node.config) }
  },
  /** Calls `mfa.confirm` with its token as a parameter, since terminal calls have no `Authorization` header. */
  async 'users.confirmMfa'(node, params) {
    const { account, user } = await loadedOf(node, params)
    const origin = terminalOrigin(node)
    const call = { node, origin, account, user, authorization: String(params['mfaToken'] ?? '') }
    return callOpen(call, confirm, { code: params['code'] })
  },
}
