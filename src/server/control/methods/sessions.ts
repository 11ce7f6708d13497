/** Operator methods that list and end login sessions. */
import { findAccess, listSessions, putSession, sessionExpiry } from '../../../store/accesses/accesses.js'
import type { Account } from '../../../store/engine/account.js'
import { listUsernames } from '../../../store/accounts/users.js'
import type { NodeMethod } from '../control.js'
import type { LoadedAccount } from '../../accountCache.js'
import type { Node } from '../../node.js'
import { loadedOf } from './loaded.js'
import { operatorRecord } from '../operatorRecord.js'

/** A live session as the command line lists it; times in seconds. */
interface Session extends Record<string, unknown> {
  /** Id of its personal access. */
  id: string
  username: string
  /** The app that logged in. */
  app: string
  since: number
  lastUsed: number | null
  expires: number
}

async function sessionsOf(node: Node, { account, user: { username } }: LoadedAccount): Promise<Session[]> {
  const now = node.clock.now()
  const found: Session[] = []
  for (const id of await listSessions(account)) {
    const expires = sessionExpiry(account.db, account.prefix, id) ?? 0
    const access = findAccess(account.db, node.store.seal, account.prefix, id)?.access
    if (access === undefined || expires <= now) continue
    const lastUsed = node.usage.read(account, id).lastUsed ?? null
    // Only a login modifies the access of a session.
    found.push({ id, username, app: access.name, since: access.modified, lastUsed, expires })
  }
  return found.sort((a, b) => b.since - a.since)
}

async function endSessions(node: Node, account: Account, ids: readonly string[]): Promise<void> {
  const trail = operatorRecord(node, account, 'auth.logout')
  await account.write((t) => {
    const live = ids.filter((id) => sessionExpiry(t, t.account, id) !== undefined)
    for (const id of live) putSession(t, id, undefined)
    if (live.length > 0) trail?.stage(t)
  })
  if (trail?.isStaged === true) trail.succeeded()
}

export const sessionMethods: Readonly<Record<string, NodeMethod>> = {
  /** Lists sessions of one account by `username`, or of all. */
  async 'sessions.list'(node, params) {
    const named = params['username'] === undefined ? await listUsernames(node.store.db) : [params]
    const sessions = []
    for (const one of named) sessions.push(...(await sessionsOf(node, await loadedOf(node, { ...one }))))
    return { sessions }
  },
  /** Ends the sessions of `ids`, or all of the account; returns those that were live. */
  async 'sessions.end'(node, params) {
    const loaded = await loadedOf(node, params)
    const { ids } = params
    const live = await sessionsOf(node, loaded)
    const ended = Array.isArray(ids) ? live.filter(({ id }) => ids.includes(id)) : live
    await endSessions(node, loaded.account, ended.map(({ id }) => id))
    return { sessions: ended }
  },
}
