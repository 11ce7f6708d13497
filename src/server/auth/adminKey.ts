/** Checks the operator key (setting `auth.adminAccessKey`) in constant time. */
import { constantTimeEqualDigests } from '../../store/model/constantTimeEqual.js'
import { Failure } from '../../store/model/failure.js'
import type { Origin } from '../call/method.js'
import type { Context } from '../call/context.js'

/** Checks whether an `Authorization` header is the admin key itself. */
export function isAdminKey(node: Context, authorization: string | undefined): boolean {
  const key = node.config.get('auth.adminAccessKey')
  if (key === null || authorization === undefined) return false
  return constantTimeEqualDigests(authorization, key)
}

/** Throws the failure `as` when an operator route is called without the admin key. */
export function assertAdmin(node: Context, origin: Origin, authorization: string | undefined, as: 'unknown-resource' | 'forbidden' = 'unknown-resource'): void {
  if (isAdminKey(node, authorization)) return
  node.log.warn('operator route refused: no admin key, or a wrong one', { ip: origin.ip })
  throw new Failure(as)
}
