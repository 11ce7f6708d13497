import type { Result } from '../method.js'
import { addScope } from '../notifications/scopes.js'
import type { Connection } from './connection.js'
import { acknowledged, malformed, objectOf, scopesOf, setScopes } from './subscriptions.js'

/**
 * `subscribe` (specification, "Events"; data supplement 9.4): `{ key, kind?, query? }`, or several as
 * `{ scopes: { <key>: { kind?, query? } } }`. With one that is refused nothing changes: a client that gets an error has the
 * scopes, or the coarse messages, that it had before.
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
    if (Object.keys(scope).length > 0) throw malformed('With scopes, kind and query belong to each of them.')
    return Object.entries(objectOf(scopes))
  }
  if (scopes !== undefined) throw malformed('Give either key or scopes, not both.')
  if (typeof key !== 'string') throw malformed('Give the key of a scope, or scopes by their keys.')
  return [[key, scope]]
}
