/**
 * Closes connections whose access is no longer valid (docs/interface/notifications.md#connecting). Reacts at once to journal
 * entries about accesses, sessions or the user, and to revocations of OAuth clients; within a second to expiry. Re-validates all
 * connections every half minute.
 */
import { setImmediate as yieldTurn } from 'node:timers/promises'
import { concernsCallers } from '../../store/engine/journal.js'
import { resolveAccount } from '../dispatch/call.js'
import { stillValid } from '../auth/authenticate.js'
import type { LoadedAccount } from '../call/accountCache.js'
import type { Changes } from '../notifications/notifier.js'
import type { Connection } from './connection.js'

const TICK_MS = 1000
/** Ticks between full re-validations. */
const ROUND = 30
/** Connections validated before yielding to the event loop. */
const TURN = 100

interface Watch {
  /** Starts to watch, until no connection remains. */
  begin(): void
  /** Re-validates connections of an account after its changes. */
  accountChanged(connections: Iterable<Connection>, changes: Changes): void
  /** Re-validates connections affected by revocations of OAuth clients and keys. */
  revoked(): void
  stop(): void
}

export function createWatch(allConnections: () => Iterable<Connection>): Watch {
  let timer: NodeJS.Timeout | undefined
  let ticks = 0

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  function tick(): void {
    ticks += 1
    const all = [...allConnections()]
    if (all.length === 0) return stop()
    if (ticks % ROUND === 0) return void revalidateAll(all)
    for (const connection of all) if (isOver(connection)) revalidate(connection)
  }

  return {
    begin() {
      timer ??= setInterval(tick, TICK_MS).unref()
    },
    accountChanged(connections, changes) {
      // A new access does not affect existing ones.
      if (!changes.some(({ kind, action }) => concernsCallers(kind) && !(kind === 'access' && action === 'create'))) return
      for (const connection of [...connections]) revalidate(connection)
    },
    revoked() {
      for (const connection of [...allConnections()]) if (connection.caller.boundAccess !== undefined) revalidate(connection)
    },
    stop,
  }
}

async function revalidateAll(connections: readonly Connection[]): Promise<void> {
  for (const [at, connection] of connections.entries()) {
    revalidate(connection)
    if (at % TURN === TURN - 1) await yieldTurn()
  }
}

function isOver({ node, caller }: Connection): boolean {
  const { expires = Infinity, sessionExpires = Infinity } = caller
  return Math.min(expires, sessionExpires) <= node.clock.now()
}

/** Re-validates the access of a connection: closes the connection, or updates it. */
export function revalidate(connection: Connection): void {
  const { node, request: input } = connection
  try {
    const loaded = resolveAccount(node, input)
    if (!(loaded instanceof Promise)) return update(connection, loaded)
    loaded.then((found) => update(connection, found)).catch(() => connection.wire.end())
  } catch {
    connection.wire.end()
  }
}

function update(connection: Connection, loaded: LoadedAccount): void {
  const { node, account, credentials } = connection
  // The name may belong to another account by now.
  if (loaded.account.prefix !== account.prefix) return connection.wire.end()
  connection.caller = stillValid(node, loaded, credentials.token)
  connection.scopes = connection.scopes?.readmitted(connection)
}
