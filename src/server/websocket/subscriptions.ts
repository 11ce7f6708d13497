/** What a connection has subscribed to, and how that changes (data supplement 9.4). */
import { Failure } from '../../store/model/failure.js'
import type { Result } from '../method.js'
import { compileScopes, noScopes, type ScopeMap } from '../notifications/scopes.js'
import type { Connection, ConnectionScopes } from './connection.js'

/** A copy of the scopes of a connection, to be changed and given back. */
export const scopesOf = ({ scopes }: Connection): ScopeMap => Object.assign(noScopes(), scopes?.asked)

/** Gives a connection its scopes, less what its access may not have. Without any it gets the messages for everybody. */
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
    asked: stored,
    match,
    // A call may have brought the access up to date already: what counts is which one the scopes were compiled for.
    readmitted: (again) => (again.caller.access.serial === serial ? scopes : subscribed(again, stored)),
  }
  return scopes
}

/** What `subscribe` and `unsubscribe` are acknowledged with: the keys that the connection has now. */
export const acknowledged = (connection: Connection): Result => ({ ok: true, keys: Object.keys(scopesOf(connection)) })

/**
 * The content of a message as an object.
 * @throws Failure `invalid-request-structure`
 */
export function objectOf(content: unknown): Record<string, unknown> {
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return { ...content }
  throw malformed('An object is expected.')
}

/** The refusal of a message whose content has another form. */
export const malformed = (message: string): Failure => new Failure('invalid-request-structure', message)
