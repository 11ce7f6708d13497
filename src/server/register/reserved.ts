import { isAlias } from '../../store/model/access.js'
import { isPlatformSegment } from '../platformSegments.js'

/** Names that no account may have, beside the node's own path segments: they would pass for parts of the node. */
const RESERVED = new Set([
  'account',
  'administrator',
  'email',
  'hostmaster',
  'login',
  'openapi',
  'postmaster',
  'previews',
  'register',
  'registration',
  'series',
  'static',
  'support',
  'webmaster',
])

/**
 * Whether a name is kept by the node; the product's own name is, with everything that begins with it, and so are names
 * of the form that aliases of accesses have.
 */
export function isReservedUsername(username: string): boolean {
  const name = username.toLowerCase()
  return RESERVED.has(name) || isPlatformSegment(name) || name.startsWith('coffer') || isAlias(name)
}
