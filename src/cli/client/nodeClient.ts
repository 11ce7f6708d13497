/** The way from a command to the methods of a node, whether it runs or not. */

/** Whose authority a call has: an account owner's, that of an access of the account, or without a user the operator's. */
export interface Authority {
  user?: string
  /** Id of an access of the user's account. */
  access?: string
}

export interface NodeClient {
  /** `socket`: a running node answers. `remote`: one of another machine. `offline`: the store is opened by this process. */
  readonly kind: 'socket' | 'remote' | 'offline'
  /**
   * Calls a method by its id and answers its result object.
   * @throws Failure as the method gave it; CommandError when no answer comes.
   */
  call(method: string, params: unknown, as: Authority): Promise<Record<string, unknown>>
  /**
   * The items of one list of a result as JSON texts, page by page: a long list is never held in one piece.
   * @throws like `call`, at the first page or on the way.
   */
  texts(method: string, params: unknown, as: Authority, list: string): AsyncIterable<string[]>
  /** For a node that cannot reach the files of this machine: what goes there and comes from there as bytes. */
  readonly transfers?: Transfers
  /** What a running node tells while it goes on, one object at a time, such as `node.events`. */
  lines?(method: string, params: Readonly<Record<string, string>>, as: Authority): AsyncIterable<unknown>
  close(): Promise<void>
}

export interface Transfers {
  /**
   * Calls a method with a body of frames (server/base/frames.ts), made as it goes out; answers its result.
   * @throws Failure as the method gave it; CommandError when no answer comes; what making the frames threw
   */
  send(method: string, frames: AsyncIterable<Uint8Array>): Promise<Record<string, unknown>>
  /** Calls a method whose result is bytes. @throws like `send`, at once or while they are read */
  receive(method: string, params: unknown, as: Authority): Promise<Received>
}

export interface Received {
  /** Headers of the answer, by their names in small letters. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** To be read to their end, or left. */
  bytes: AsyncIterable<Buffer>
}

/** A way to what the operator is shown of accounts: users.list and users.show. */
export type AccountsClient = Pick<NodeClient, 'call' | 'close'>
