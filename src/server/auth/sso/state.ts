/** The cookie that a browser has while it is at a third party (accounts supplement 14). */
import { parseCookies } from '../../base/parseCookies.js'
import type { Node } from '../../node.js'
import { readState, signState, stateKeyOf } from '../../signedState.js'
import type { ThirdParties } from './wiring.js'

const NAME = 'coffer_sso_state'
const LABEL = 'sso-state'
/** Seconds for which a person may be away. */
const TTL = 600

export interface State {
  provider: string
  /** What the third party must bring back. */
  state: string
  /** What its token must hold. */
  nonce: string
  /** What proves to it that who asks for the token is who began (RFC 7636). */
  pkceVerifier: string
  /** What the page that began wants back. */
  ssoReturn?: string
}

/** The `Set-Cookie` header that keeps a state. */
export function stateCookie(node: Node, thirdParties: ThirdParties, state: State): string {
  const value = signState(state, stateKeyOf(node, LABEL), { now: node.clock.now(), ttl: TTL })
  return `${NAME}=${value}; Max-Age=${TTL}${attributesOf(thirdParties)}`
}

/** The `Set-Cookie` header that ends it. */
export const noStateCookie = (thirdParties: ThirdParties): string => `${NAME}=; Max-Age=0${attributesOf(thirdParties)}`

/** The state of a browser that comes back from a third party; undefined when it is altered, too old, or of another one. */
export function stateIn(node: Node, header: string | undefined, provider: string): State | undefined {
  const read = readState(parseCookies(header).get(NAME), stateKeyOf(node, LABEL), node.clock.now())
  if ('verdict' in read) return undefined
  // Nobody else has the key: it is as it was signed.
  const state = read.payload as unknown as State
  return state.provider === provider ? state : undefined
}

function attributesOf({ base }: ThirdParties): string {
  const { pathname, protocol } = new URL(base)
  return `; Path=${pathname.replace(/\/$/, '')}/auth/sso/; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`
}
