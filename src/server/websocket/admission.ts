/**
 * Admission of connections: resolves the account of a namespace and the access of the token
 * (docs/interface/notifications.md#connecting).
 */
import { Failure } from '../../store/model/failure.js'
import { resolveAccount } from '../dispatch/call.js'
import { authenticate, authOf, credentialsOf, ProofRefused } from '../auth/authenticate.js'
import type { Origin } from '../call/method.js'
import type { Node } from '../index.js'
import type { Connection, Wire } from './connection.js'
import type { Transmitter } from './wire.js'

/** Data of the request that opened a transport, for all its connections. */
export interface Opening {
  origin: Origin
  authorization?: string
  /** Query parameter `auth`. */
  auth?: string
  /** Number of connections over the transport. */
  connections: number
  readonly transmitter: Transmitter
}

const MAX_NAMESPACE_LENGTH = 200

/** Returns the user name in the last segment of a namespace; undefined when there is none. */
function usernameOf(namespace: string): string | undefined {
  if (namespace.length > MAX_NAMESPACE_LENGTH) return undefined
  const path = namespace.endsWith('/') ? namespace.slice(0, -1) : namespace
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return /^[a-z0-9-]+$/.test(name) ? name : undefined
}

/**
 * Connects an access to the account of a namespace. `own` is the token sent for this namespace, which takes precedence over that
 * of the transport's URL.
 * @throws the errors of a call without a method: `invalid-access-token`, `forbidden` for an expired access, `unknown-resource`,
 * `user-account-relocated`
 */
export async function admit(
  node: Node,
  namespace: string,
  { origin, authorization, auth }: Opening,
  own: unknown,
  wire: Wire,
): Promise<Connection> {
  const username = usernameOf(namespace)
  if (username === undefined) throw new Failure('unknown-resource', 'A namespace must end with a user name.')
  const input = { username, path: '/', query: '' }
  const loaded = await resolveAccount(node, input)
  const { account } = loaded
  const settling = account.settledStructure()
  if (settling !== undefined) await settling
  const credentials = credentialsOf(authorization, typeof own === 'string' && own !== '' ? own : auth)
  if (credentials?.isDpop === true) throw new ProofRefused()
  const caller = authenticate(node, loaded, credentials?.token)
  const shownCredentials = credentials ?? { token: '' }
  return { node, account, request: input, credentials: shownCredentials, origin, caller, scopes: undefined, wire, pending: 0 }
}

/** Returns the data of a request for the connections that it opens. */
export function openingOf(origin: Origin, transmitter: Transmitter, authorization: string | undefined, url = ''): Opening {
  const opening: Opening = { origin: { ...origin, transport: 'socket', source: 'socket.io' }, connections: 0, transmitter }
  if (authorization !== undefined) opening.authorization = authorization
  const auth = authOf(url.slice(url.indexOf('?') + 1))
  if (auth !== undefined) opening.auth = auth
  return opening
}
