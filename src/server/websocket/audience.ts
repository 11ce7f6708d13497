/** Connections by account, and delivery of change notifications to them. An account is followed while it has connections. */
import type { Namespace } from 'socket.io'
import { accessIdOf } from '../../store/model/access.js'
import { messagesOf, type Changes, type Notifier } from '../notifications/notifier.js'
import type { Connection } from './connection.js'

interface Listeners {
  connections: Set<Connection>
  leave(): void
}

interface Audience {
  join(connection: Connection): void
  leave(connection: Connection): void
  /** Iterates over all connections. */
  all(): Iterable<Connection>
}

/** Creates the audience. `concern` receives each change of an account and its connections before they are notified. */
export function createAudience(
  notifier: Notifier,
  onChanges: (connections: ReadonlySet<Connection>, changes: Changes) => void,
): Audience {
  const accounts = new Map<string, Listeners>()

  function listenersOf(account: string): Listeners {
    const connections = new Set<Connection>()
    const leave = notifier.follow(account, (changes) => {
      onChanges(connections, changes)
      notify(connections, changes)
    })
    const audience = { connections, leave }
    accounts.set(account, audience)
    return audience
  }

  return {
    join(connection) {
      const { prefix } = connection.account
      const listeners = accounts.get(prefix) ?? listenersOf(prefix)
      listeners.connections.add(connection)
    },
    leave(connection) {
      const { prefix } = connection.account
      const listeners = accounts.get(prefix)
      if (listeners?.connections.delete(connection) !== true || listeners.connections.size > 0) return
      listeners.leave()
      accounts.delete(prefix)
    },
    *all() {
      for (const { connections } of accounts.values()) yield* connections
    },
  }
}

/** Notifies the connections of one account of changes. */
function notify(connections: ReadonlySet<Connection>, changes: Changes): void {
  const parts = [...apart(changes)]
  for (const { scopes, wire } of connections) {
    if (scopes === undefined) continue
    let handled = 0
    for (const part of parts) {
      // A slow client receives all remaining changes at once.
      const isRest = wire.isBehind()
      const keys = scopes.match(changes, isRest ? changes.slice(handled) : part)
      if (keys.length > 0) wire.send('notificationsChanged', { keys })
      if (isRest) break
      handled += part.length
    }
  }
  for (const part of parts) {
    for (const message of messagesOf(part)) broadcast(connections, message)
  }
  for (const { kind, action, about } of changes) {
    if (kind !== 'access' || action !== 'update') continue
    const { before, after } = about?.access ?? {}
    if (after === undefined || before?.serial === after.serial) continue
    broadcast(connections, 'accessUpdated', { type: 'access-updated', accessId: accessIdOf(after), serial: after.serial })
  }
}

/** Splits a batch of changes into single ones: two creations yield two notifications (docs/interface/conventions.md#batch). */
function* apart(changes: Changes): Generator<Changes> {
  let begin = 0
  for (let at = 1; at <= changes.length; at++) {
    if (at < changes.length && changes[at]?.begins !== true) continue
    yield changes.slice(begin, at)
    begin = at
  }
}

/**
 * Sends a message to all connections without scopes, serialized once per namespace. A slow client that has not yet received the
 * same message gets no duplicate, which would carry no information.
 */
function broadcast(connections: ReadonlySet<Connection>, message: string, content?: unknown): void {
  const excepted = new Map<Namespace, string[]>()
  for (const { scopes, wire } of connections) {
    const ids = excepted.get(wire.namespace) ?? []
    if (ids.length === 0) excepted.set(wire.namespace, ids)
    if (scopes !== undefined || (content === undefined && wire.isQueued(message))) ids.push(wire.id)
  }
  for (const [namespace, ids] of excepted) {
    const others = namespace.except(ids)
    if (content === undefined) others.emit(message)
    else others.emit(message, content)
  }
}
