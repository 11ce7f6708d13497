/** The way from a command to the methods of a node, whether it runs or not. */

/** Whose authority a call has: an account owner's, that of an access of the account, or without a user the operator's. */
export interface Authority {
  user?: string
  /** Id of an access of the user's account. */
  access?: string
}

export interface Door {
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
  /** What a running node tells while it goes on, one object at a time, such as `node.events`. */
  lines?(method: string, params: Readonly<Record<string, string>>, as: Authority): AsyncIterable<unknown>
  close(): Promise<void>
}

/** A way to what the operator is shown of accounts: users.list and users.show. */
export type AccountsDoor = Pick<Door, 'call' | 'close'>
