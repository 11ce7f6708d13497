/**
 * One connection of a client to an account: a socket in a namespace, and what it stands for. Everything under
 * `realtime` works on this value; socket.io itself is known to server.ts and the files that it names.
 *
 * Messages of the websocket's own, such as `subscribe`, are values of the type OwnMessage in the list ownMessages.ts:
 * they are looked up before methods, run for a connection whose access has just been admitted (`caller` is fresh), and
 * their result is the acknowledgement as it is. They throw failures of the catalogue.
 *
 * What a connection has subscribed to is in `scopes`. While it is set, the connection gets `notificationsChanged` with
 * the keys that `match` answers, and none of the messages that go to everybody. When the account's accesses change, it
 * is replaced by what `readmitted` makes of it. It goes with the connection.
 */
import type { Namespace } from 'socket.io'
import type { Account } from '../../store/engine/account.js'
import type { AnswerReader } from '../answers/answerReader.js'
import type { Authenticated } from '../guard/authenticate.js'
import type { Credentials } from '../guard/token.js'
import type { Origin, Result } from '../method.js'
import type { Node } from '../node.js'
import type { Changes } from '../notifications/notifier.js'
import type { ScopeMap } from '../notifications/scopes.js'
import type { Asked } from '../relocation.js'

/** What a connection has subscribed to. */
export interface ConnectionScopes {
  /** The scopes, as the client gave them. */
  readonly asked: ScopeMap
  /** The keys of the scopes that `part` of these changes concerns, in order. */
  match(changes: Changes, part: Changes): string[]
  /** What remains for the connection's access as it is now; the same while that is, undefined when nothing does. */
  readmitted(connection: Connection): ConnectionScopes | undefined
}

export interface Connection {
  readonly node: Node
  readonly account: Account
  /** The address by which the client called the account. */
  readonly asked: Asked
  readonly credentials: Credentials
  readonly origin: Origin
  /** The access, as it was when it was last looked at: it does not change while a message is handled. */
  caller: Authenticated
  scopes: ConnectionScopes | undefined
  readonly wire: Wire
  /** How many calls have come and are not answered. */
  pending: number
}

/** What carries a connection. */
export interface Wire {
  /** The socket's own id. */
  readonly id: string
  readonly namespace: Namespace
  send(message: string, content: unknown): void
  /** Whether more waits for the client than it can be told of one by one. */
  isBehind(): boolean
  /** Whether the client is behind and this very message still waits for it. */
  holds(message: string): boolean
  /** Resolves when the client has taken enough of what it was sent to be sent more, or is gone. */
  room(): Promise<void>
  /** The client as who waits for the answer of one call; to be released. */
  reader(): AnswerReader
  /** Takes no more messages from the client for a while, where the transport can. */
  pause(): void
  resume(): void
  /** Ends the connection; the client does not come back by itself. */
  end(): void
}

/** A message that only a websocket has. `content` is what the client sent with it. */
export type OwnMessage = (connection: Connection, content: unknown) => Result | Promise<Result>
