import type { Result } from '../call/method.js'
import { addScope } from '../notifications/scopes.js'
import type { Connection } from './connection.js'
import { acknowledged, malformed, objectOf, scopesOf, setScopes } from './subscriptions.js'

/**
 * The message `subscribe` (docs/interface/notifications.md#subscriptions): `{ key, kind?, query? }`, or several as `{ scopes: {
 * <key>: { kind?, query? } } }`. If one is rejected nothing changes: the client keeps its previous scopes or coarse messages.
 */
export function subscribe(connection: Connection, content: unknown): Result {
  const input = entriesOf(objectOf(content))
  const scopes = scopesOf(connection)
  for (const [key, scope] of input) addScope(connection, scopes, key, scope)
  setScopes(connection, scopes)
  return acknowledged(connection)
}

function entriesOf({ key, scopes, ...scope }: Record<string, unknown>): [string, unknown][] {
  if (key === undefined && scopes !== undefined) {
    if (Object.keys(scope).length > 0) throw malformed('With scopes, kind and query belong into each scope.')
    return Object.entries(objectOf(scopes))
  }
  if (scopes !== undefined) throw malformed('Pass either key or scopes, not both.')
  if (typeof key !== 'string') throw malformed('Pass the key of a scope, or scopes by key.')
  return [[key, scope]]
}
