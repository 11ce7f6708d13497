/**
 * Interface of commands to the methods of a node, running or not. Calls are typed by the schemas of the methods; only types are
 * imported, so that commands load no code of the server.
 *
 * Commands read members of results without checks: the command line and the node are of one version, and tests compare every result
 * with its schema. Over remote control, the node can have another version. Its results are then compared with the schemas of this
 * version (otherVersion.ts), and a missing member is an error instead of a wrong output.
 */
import type { OperatorMethods } from '../../server/control/operatorMethods.js'
import type { ApiMethods } from '../../server/api/methods.js'
import type { AccountChoice } from './defaultAccount.js'

/** Parameters of a method by its id; anything for a method without declared types. */
export type ParamsOf<M extends string> = M extends keyof OperatorMethods ? OperatorMethods[M]['input'] : unknown

/** Result of a method by its id, as JSON; unknown members for a method without declared types. */
export type ResultOf<M extends string> = M extends keyof OperatorMethods
  ? OperatorMethods[M]['output']
  : M extends keyof ApiMethods
    ? ApiMethods[M]['output']
    : Record<string, unknown>

/** Authority of a call: an account's owner, an access of the account, or the operator if no user is given. */
export interface Authority {
  user?: string
  /** Id of an access of the user's account. */
  access?: string
}

/** Authority within an account: of its owner, or of one of its accesses. */
export type AccountAuthority = Authority & { user: string }

/** Calls a method by its id and returns its result object. */
type Call = (method: string, params: unknown, as: Authority) => Promise<Record<string, unknown>>

export interface NodeClient {
  /** `socket`: a local running node. `remote`: a node of another machine. `offline`: this process opened the store. */
  readonly kind: 'socket' | 'remote' | 'offline'
  /**
   * Calls a method by its id and returns its result object.
   * @throws Failure of the method; CommandError when there is no response
   */
  call<M extends string>(method: M, params: ParamsOf<M>, as: Authority): Promise<ResultOf<M>>
  /** Calls a method whose id comes from the user. Throws as `call` does. */
  callAny: Call
  /**
   * Yields the items of one list of a result as JSON texts, page by page, so that long lists are never in memory at once.
   * @throws like `call`, on the first page or later
   */
  texts(method: string, params: unknown, as: Authority, list: string): AsyncIterable<string[]>
  /** Selects the account of calls without `--user`; absent for internal connections. */
  readonly choice?: AccountChoice
  /** Byte transfers, for a node that cannot access the files of this machine. */
  readonly transfers?: Transfers
  /** Streams messages of a running node, one object at a time, such as `node.events`. */
  lines?(method: string, params: Readonly<Record<string, string>>, as: Authority): AsyncIterable<unknown>
  close(): Promise<void>
}

export interface Transfers {
  /**
   * Calls a method with a streamed body of frames (server/base/frames.ts); returns its result.
   * @throws Failure of the method; CommandError when there is no response; errors of the frame generator
   */
  send(method: string, frames: AsyncIterable<Uint8Array>): Promise<Record<string, unknown>>
  /**
   * Calls a method whose result is bytes.
   * @throws like `send`, immediately or while reading
   */
  receive(method: string, params: unknown, as: Authority): Promise<Received>
}

interface Received {
  /** Response headers, by lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Must be read to the end or closed. */
  bytes: AsyncIterable<Buffer>
}

/** Client for the account methods of the operator: users.list, users.show and users.names. */
export type AccountsClient = Pick<NodeClient, 'call' | 'close' | 'choice'>

/**
 * Types the calls of a connection.
 * @param check validates the result of a typed call, for a node of another version
 */
export function typedClient<C extends { call: Call }>(
  connection: C,
  check?: (method: string, result: unknown) => Promise<void>,
): Omit<C, 'call'> & Pick<NodeClient, 'call' | 'callAny'> {
  const { call } = connection
  const checked: Call = async (method, params, as) => {
    const result = await call(method, params, as)
    await check?.(method, result)
    return result
  }
  return { ...connection, callAny: call, call: (check === undefined ? call : checked) as NodeClient['call'] }
}
