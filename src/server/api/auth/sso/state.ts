/** Signed state cookie of a browser during sign-in at an identity provider (docs/interface/sso.md#flow). */
import { parseCookies } from '../../../base/parseCookies.js'
import type { Context } from '../../../call/context.js'
import { readState, signState, stateKeyOf } from '../../../auth/signedState.js'
import type { ThirdParties } from './wiring.js'

const NAME = 'coffer_sso_state'
const LABEL = 'sso-state'
/** Maximum duration of a sign-in in seconds. */
const TTL = 600

export interface State {
  provider: string
  /** State parameter that the provider must return. */
  state: string
  /** Nonce that the ID token must contain. */
  nonce: string
  /** PKCE code verifier (RFC 7636). */
  pkceVerifier: string
  /** Value to return to the page that started the sign-in. */
  ssoReturn?: string
}

/** Returns the `Set-Cookie` header that stores a state. */
export function stateCookie(node: Context, thirdParties: ThirdParties, state: State): string {
  const value = signState(state, stateKeyOf(node, LABEL), { now: node.clock.now(), ttl: TTL })
  return `${NAME}=${value}; Max-Age=${TTL}${attributesOf(thirdParties)}`
}

/** Returns the `Set-Cookie` header that deletes it. */
export const noStateCookie = (thirdParties: ThirdParties): string => `${NAME}=; Max-Age=0${attributesOf(thirdParties)}`

/** Reads the state from a `Cookie` header; undefined when it is altered, expired, or for another provider. */
export function stateIn(node: Context, header: string | undefined, provider: string): State | undefined {
  const read = readState(parseCookies(header).get(NAME), stateKeyOf(node, LABEL), node.clock.now())
  if ('verdict' in read) return undefined
  // The signature is verified, so the payload has the signed type.
  const state = read.payload as unknown as State
  return state.provider === provider ? state : undefined
}

function attributesOf({ base }: ThirdParties): string {
  const { pathname, protocol } = new URL(base)
  return `; Path=${pathname.replace(/\/$/, '')}/auth/sso/; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`
}
