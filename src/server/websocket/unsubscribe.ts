import type { Result } from '../call/method.js'
import { noScopes } from '../notifications/scopes.js'
import type { Connection } from './connection.js'
import { acknowledged, malformed, objectOf, scopesOf, setScopes } from './subscriptions.js'

/**
 * The message `unsubscribe` (docs/interface/notifications.md#subscriptions): `{ key }`, `{ keys: [...] }` or `{ all: true }`.
 * Unknown keys are ignored.
 */
export function unsubscribe(connection: Connection, content: unknown): Result {
  const removed = keysOf(objectOf(content))
  const scopes = removed === 'all' ? noScopes() : scopesOf(connection)
  if (removed !== 'all') for (const key of removed) delete scopes[key]
  setScopes(connection, scopes)
  return acknowledged(connection)
}

function keysOf(content: Record<string, unknown>): readonly string[] | 'all' {
  const { key, keys, all } = content
  if (Object.keys(content).length === 1) {
    if (typeof key === 'string') return [key]
    if (Array.isArray(keys) && keys.every((one) => typeof one === 'string')) return keys
    if (all === true) return 'all'
  }
  throw malformed('Pass one of key, keys or all: true.')
}
