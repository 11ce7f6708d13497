/**
 * Signed state of a pending authorization, from authorize to the decision of a person
 * (docs/interface/oauth.md#authorization-request, docs/interface/oauth.md#consent).
 */
import type { Context } from '../../call/context.js'
import { readState, signState, stateKeyOf } from '../../auth/signedState.js'
import { findClient, type OAuthClient } from './clients.js'
import { OAuthError } from './errors.js'
import type { OAuthOffer } from './offer.js'

/** Lifetime in seconds. */
const STATE_TTL = 300

const LABEL = 'pryv-oauth2-signed-state-v1'

const keyOf = (node: Context): Buffer => stateKeyOf(node, LABEL)

export interface Authorization {
  clientId: string
  redirectUri: string
  /** State parameter of the client. */
  state: string
  codeChallenge: string
  codeChallengeMethod: 'S256'
  scope: string[]
  /** User name that the client expects. */
  userIdHint?: string
  offer?: OAuthOffer
}

export const signedAuthorization = (node: Context, authorization: Authorization): string =>
  signState(authorization, keyOf(node), { now: node.clock.now(), ttl: STATE_TTL })

/**
 * Returns the authorization in a signed state.
 * @throws OAuthError `invalid_request`: "signed state <verdict>"
 */
export function readAuthorization(node: Context, state: string): Authorization {
  const read = readState(state, keyOf(node), node.clock.now())
  if ('verdict' in read) throw new OAuthError('invalid_request', `signed state ${read.verdict}`)
  // The signature guarantees the shape.
  return read.payload as unknown as Authorization
}

/** Returns the time of the authorization request, in whole seconds; undefined for an invalid state. */
export function requestedAt(node: Context, state: string): number | undefined {
  const read = readState(state, keyOf(node), node.clock.now())
  return 'verdict' in read ? undefined : Number(read.payload['iat'])
}

/** Returns the client of a signed state; undefined for an invalid state or a removed client. */
export function clientIn(node: Context, state: string): Promise<OAuthClient | undefined> {
  const read = readState(state, keyOf(node), node.clock.now())
  return 'verdict' in read ? Promise.resolve(undefined) : findClient(node, String(read.payload['clientId']))
}
