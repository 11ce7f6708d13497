/** Lists and ends the live sessions of an account (docs/interface/auth.md#sessions). */
import { findAccess, listSessions, putSession, sessionExpiry } from '../../../store/accesses/accesses.js'
import type { Account, Transaction } from '../../../store/engine/account.js'
import type { Context } from '../../call/context.js'

/** A live session; times in seconds since 1970. */
interface LiveSession {
  /** Id of its personal access. */
  id: string
  /** Id of the app that logged in. */
  app: string
  since: number
  lastUsed: number | null
  expires: number
}

/** Lists the live sessions of an account, the latest login first. */
export async function liveSessions(node: Pick<Context, 'clock' | 'store' | 'usage'>, account: Account): Promise<LiveSession[]> {
  const now = node.clock.now()
  const found: LiveSession[] = []
  for (const id of await listSessions(account)) {
    const expires = sessionExpiry(account.db, account.prefix, id) ?? 0
    const access = findAccess(account.db, node.store.seal, account.prefix, id)?.access
    if (access === undefined || expires <= now) continue
    const lastUsed = node.usage.read(account, id).lastUsed ?? null
    // Only a login modifies the access of a session.
    found.push({ id, app: access.name, since: access.modified, lastUsed, expires })
  }
  return found.sort((a, b) => b.since - a.since)
}

/** Stages the end of sessions by the ids of their accesses; returns the ids of those that were open. */
export function endSessionsOf(t: Transaction, ids: readonly string[]): string[] {
  const open = ids.filter((id) => sessionExpiry(t, t.account, id) !== undefined)
  for (const id of open) putSession(t, id, undefined)
  return open
}
