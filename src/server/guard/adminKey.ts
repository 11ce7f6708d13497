/** The operator's key (setting `auth.adminAccessKey`), compared in constant time. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Node } from '../node.js'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Whether an `Authorization` header is the admin key itself. */
export function isAdminKey(node: Node, authorization: string | undefined): boolean {
  const key = node.config.get('auth.adminAccessKey')
  if (key === null || authorization === undefined) return false
  return timingSafeEqual(digest(authorization), digest(key))
}
