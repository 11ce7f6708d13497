/**
 * A client's connection to an account: a socket in a namespace. This value is used throughout `websocket`; only server.ts and the
 * files that it names use socket.io itself. Websocket-only messages, such as `subscribe`, are OwnMessage functions in
 * ownMessages.ts. They take precedence over methods, run for a connection whose access was just re-validated (`caller` is fresh),
 * and return the acknowledgement. They throw failures of the catalogue. `scopes` holds the subscriptions of a connection. While
 * set, the connection receives `notificationsChanged` with the keys from `match`, and no coarse messages. When the account's
 * accesses change, `readmitted` replaces it. It ends with the connection.
 */
import type { Namespace } from 'socket.io'
import type { Account } from '../../store/engine/account.js'
import type { AnswerReader } from '../call/answers/answerReader.js'
import type { Authenticated } from '../call/caller.js'
import type { Credentials } from '../auth/authenticate.js'
import type { Origin, Result } from '../call/method.js'
import type { Node } from '../index.js'
import type { Changes } from '../notifications/notifier.js'
import type { ScopeMap } from '../notifications/scopes.js'
import type { AccountRequest } from '../dispatch/relocation.js'

/** Subscriptions of a connection. */
export interface ConnectionScopes {
  /** Scopes as sent by the client. */
  readonly requested: ScopeMap
  /** Returns the keys of the scopes that match `part` of the changes, in order. */
  match(changes: Changes, part: Changes): string[]
  /** Returns the scopes for the connection's current access: itself if unchanged, undefined if none remain. */
  readmitted(connection: Connection): ConnectionScopes | undefined
}

export interface Connection {
  readonly node: Node
  readonly account: Account
  /** Address under which the client called the account. */
  readonly request: AccountRequest
  readonly credentials: Credentials
  readonly origin: Origin
  /** Access as of the last validation; it does not change while a message is handled. */
  caller: Authenticated
  scopes: ConnectionScopes | undefined
  readonly wire: Wire
  /** Number of unanswered calls. */
  pending: number
}

/** Transport of a connection. */
export interface Wire {
  /** Id of the socket. */
  readonly id: string
  readonly namespace: Namespace
  send(message: string, content: unknown): void
  /** True when the client lags too far behind for single notifications. */
  isBehind(): boolean
  /** True when the client is slow and this message is still queued for it. */
  isQueued(message: string): boolean
  /** Resolves when the client can receive more, or has disconnected. */
  room(): Promise<void>
  /** Returns the client as the reader of one call's response; the caller releases it. */
  reader(): AnswerReader
  /** Pauses messages from the client, if the transport permits. */
  pause(): void
  resume(): void
  /** Ends the connection; the client does not reconnect by itself. */
  end(): void
}

/** A websocket-only message. `content` is sent by the client. */
export type OwnMessage = (connection: Connection, content: unknown) => Result | Promise<Result>
