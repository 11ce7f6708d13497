/** Subscriptions of a connection, and their changes (docs/interface/notifications.md#subscriptions). */
import { Failure } from '../../store/model/failure.js'
import { isJsonObject } from '../../store/model/json.js'
import type { Result } from '../call/method.js'
import { compileScopes, noScopes, type ScopeMap } from '../notifications/scopes.js'
import type { Connection, ConnectionScopes } from './connection.js'

/** Returns a copy of the scopes of a connection, to be modified and set. */
export const scopesOf = ({ scopes }: Connection): ScopeMap => Object.assign(noScopes(), scopes?.requested)

/** Sets the scopes of a connection, without those its access may not have. Without scopes it receives coarse messages. */
export function setScopes(connection: Connection, input: ScopeMap): void {
  connection.scopes = subscribed(connection, input)
}

function subscribed(connection: Connection, input: ScopeMap): ConnectionScopes | undefined {
  const { dropped, match } = compileScopes(connection, input)
  const stored: ScopeMap = Object.assign(noScopes(), input)
  for (const key of dropped) delete stored[key]
  if (Object.keys(stored).length === 0) return undefined
  const { serial } = connection.caller.access
  const scopes: ConnectionScopes = {
    requested: stored,
    match,
    // A call may have refreshed the access already, so the serial that the scopes were compiled for decides.
    readmitted: (again) => (again.caller.access.serial === serial ? scopes : subscribed(again, stored)),
  }
  return scopes
}

/** Returns the acknowledgement of `subscribe` and `unsubscribe`: the current keys of the connection. */
export const acknowledged = (connection: Connection): Result => ({ ok: true, keys: Object.keys(scopesOf(connection)) })

/**
 * Returns the content of a message as an object.
 * @throws Failure `invalid-request-structure`
 */
export function objectOf(content: unknown): Record<string, unknown> {
  if (isJsonObject(content)) return { ...content }
  throw malformed('Expected an object.')
}

/** Returns the failure for malformed content. */
export const malformed = (message: string): Failure => new Failure('invalid-request-structure', message)
