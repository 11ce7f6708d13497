import { isAlias } from '../../store/model/access.js'

/** Names that no account may have: they mean parts of the node, or would pass for them. */
const RESERVED = new Set([
  'access',
  'account',
  'admin',
  'administrator',
  'assets',
  'coffer',
  'email',
  'hostings',
  'login',
  'oauth2',
  'openapi',
  'previews',
  'register',
  'registration',
  'series',
  'service',
  'static',
  'support',
  'system',
  'users',
])

/**
 * Whether a name is kept by the node; the product's own name is, with everything that begins with it, and so are names
 * of the form that aliases of accesses have.
 */
export function isReservedUsername(username: string): boolean {
  const name = username.toLowerCase()
  return RESERVED.has(name) || name.startsWith('coffer') || isAlias(name)
}
