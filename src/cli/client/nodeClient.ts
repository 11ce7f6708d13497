/** Interface of commands to the methods of a node, running or not. */

/** Authority of a call: an account's owner, an access of the account, or the operator if no user is given. */
export interface Authority {
  user?: string
  /** Id of an access of the user's account. */
  access?: string
}

export interface NodeClient {
  /** `socket`: a local running node. `remote`: a node of another machine. `offline`: this process opened the store. */
  readonly kind: 'socket' | 'remote' | 'offline'
  /**
   * Calls a method by its id and returns its result object.
   * @throws Failure of the method; CommandError when there is no response
   */
  call(method: string, params: unknown, as: Authority): Promise<Record<string, unknown>>
  /**
   * Yields the items of one list of a result as JSON texts, page by page, so that long lists are never in memory at once.
   * @throws like `call`, on the first page or later
   */
  texts(method: string, params: unknown, as: Authority, list: string): AsyncIterable<string[]>
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

export interface Received {
  /** Response headers, by lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Must be read to the end or closed. */
  bytes: AsyncIterable<Buffer>
}

/** Client for the account methods of the operator: users.list and users.show. */
export type AccountsClient = Pick<NodeClient, 'call' | 'close'>
