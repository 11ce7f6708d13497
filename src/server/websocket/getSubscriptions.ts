import type { Result } from '../method.js'
import type { Connection } from './connection.js'
import { malformed, objectOf, scopesOf } from './subscriptions.js'

/**
 * `getSubscriptions` (specification, "Events"; data supplement 9.4): the connection's scopes, with the queries as they
 * were sent. Takes null, an empty object or nothing.
 */
export function getSubscriptions(connection: Connection, content: unknown): Result {
  if (content != null && Object.keys(objectOf(content)).length > 0) throw malformed('This takes no parameters.')
  return { scopes: scopesOf(connection) }
}
