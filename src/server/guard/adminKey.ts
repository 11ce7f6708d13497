/** The operator's key (setting `auth.adminAccessKey`), compared in constant time. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { Failure } from '../../store/model/failure.js'
import type { Origin } from '../method.js'
import type { Node } from '../node.js'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Whether an `Authorization` header is the admin key itself. */
export function isAdminKey(node: Node, authorization: string | undefined): boolean {
  const key = node.config.get('auth.adminAccessKey')
  if (key === null || authorization === undefined) return false
  return timingSafeEqual(digest(authorization), digest(key))
}

/** Refuses a call to an operator route without the admin key: as if nothing were there, where its text does not say otherwise (accounts supplement 15, 19). */
export function assertAdmin(node: Node, origin: Origin, authorization: string | undefined, as: 'unknown-resource' | 'forbidden' = 'unknown-resource'): void {
  if (isAdminKey(node, authorization)) return
  node.log.warn('operator route refused: no admin key, or a wrong one', { ip: origin.ip })
  throw new Failure(as)
}
