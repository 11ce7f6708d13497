import type { Result } from '../call/method.js'
import type { Connection } from './connection.js'
import { malformed, objectOf, scopesOf } from './subscriptions.js'

/**
 * The message `getSubscriptions` (docs/interface/notifications.md#subscriptions): returns the connection's scopes with the
 * original queries. Takes null, an empty object or nothing.
 */
export function getSubscriptions(connection: Connection, content: unknown): Result {
  if (content != null && Object.keys(objectOf(content)).length > 0) throw malformed('getSubscriptions takes no parameters.')
  return { scopes: scopesOf(connection) }
}
