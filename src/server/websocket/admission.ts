/** Who may connect: the account that a namespace names, and the access of the token shown (data supplement 9.2). */
import { Failure } from '../../store/model/failure.js'
import { resolveAccount } from '../resolveCall.js'
import { authenticate } from '../guard/authenticate.js'
import { ProofRefused } from '../guard/dpop.js'
import { authOf, credentialsOf } from '../guard/token.js'
import type { Origin } from '../method.js'
import type { Node } from '../node.js'
import type { Connection, Wire } from './connection.js'
import type { Transmitter } from './wire.js'

/** What the request showed that opened a transport, for all that is connected over it. */
export interface Opening {
  origin: Origin
  authorization?: string
  /** The `auth` of its query. */
  auth?: string
  /** How many connections go over the transport. */
  connections: number
  readonly transmitter: Transmitter
}

const MAX_NAMESPACE_LENGTH = 200

/** The user name that a namespace names, with its last segment; undefined when it names none. */
export function usernameOf(namespace: string): string | undefined {
  if (namespace.length > MAX_NAMESPACE_LENGTH) return undefined
  const path = namespace.endsWith('/') ? namespace.slice(0, -1) : namespace
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return /^[a-z0-9-]+$/.test(name) ? name : undefined
}

/**
 * Connects an access to the account of a namespace. `own` is the token that the client gave for this namespace, which
 * comes before that of the connection's address. Throws what a call without a method would: `invalid-access-token`,
 * `forbidden` for an expired access, `unknown-resource`, `user-account-relocated`.
 */
export async function admit(
  node: Node,
  namespace: string,
  { origin, authorization, auth }: Opening,
  own: unknown,
  wire: Wire,
): Promise<Connection> {
  const username = usernameOf(namespace)
  if (username === undefined) throw new Failure('unknown-resource', 'A namespace ends with the name of a user.')
  const input = { username, path: '/', query: '' }
  const loaded = await resolveAccount(node, input)
  const { account } = loaded
  const settling = account.settledStructure()
  if (settling !== undefined) await settling
  const credentials = credentialsOf(authorization, typeof own === 'string' && own !== '' ? own : auth)
  if (credentials?.isDpop === true) throw new ProofRefused()
  const caller = authenticate(node, loaded, credentials?.token)
  const displayed = credentials ?? { token: '' }
  return { node, account, asked: input, credentials: displayed, origin, caller, scopes: undefined, wire, pending: 0 }
}

/** What a request shows, for the connections that it opens. */
export function openingOf(origin: Origin, transmitter: Transmitter, authorization: string | undefined, url = ''): Opening {
  const opening: Opening = { origin: { ...origin, transport: 'socket', source: 'socket.io' }, connections: 0, transmitter }
  if (authorization !== undefined) opening.authorization = authorization
  const auth = authOf(url.slice(url.indexOf('?') + 1))
  if (auth !== undefined) opening.auth = auth
  return opening
}
