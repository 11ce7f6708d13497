/** Account views for the operator. Also used for a closed store, without a running node (server/readOnlyNode.ts). */
import { readRetention } from '../../../store/accounts/auditRetention.js'
import { listAccesses } from '../../../store/accesses/accesses.js'
import { isUnnamed, listUsernames } from '../../../store/accounts/users.js'
import { emailsOf } from '../../../store/accounts/emails.js'
import { findEvent } from '../../../store/events/events.js'
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { primaryOf, publicEntry } from '../../../store/model/emails.js'
import { apiEndpoint } from '../../apiEndpoint.js'
import type { Result } from '../../method.js'
import type { LoadedAccount } from '../../accountCache.js'
import type { Node } from '../../node.js'
import { storageUsedOf } from '../../storageUsed.js'
import { loadedOf } from './loaded.js'

/** The parts of a node that the account views need. */
export type ReadingNode = Pick<Node, 'store' | 'config' | 'usage' | 'accounts' | 'publicBase'>

/** Returns a user as the command line lists it. */
export async function describe(node: ReadingNode, { account, user }: LoadedAccount): Promise<Result> {
  const accesses = await listAccesses(account, node.store.seal)
  const used = accesses.map(({ access }) => node.usage.read(account, access.id).lastUsed ?? 0)
  const emails = emailsOf(node.store.db, account.prefix, user)
  const language = findEvent(node.store.db, account.prefix, ':_system:language')?.content
  const lastUsed = Math.max(0, ...used)
  return {
    username: user.username,
    id: user.id,
    unnamed: isUnnamed(user),
    formerUsernames: user.formerUsernames ?? [],
    email: primaryOf(emails)?.value ?? null,
    emails: emails.map(publicEntry),
    language: language ?? null,
    mfa: readEnrolment(node.store.db, account.prefix)?.method ?? null,
    created: user.created,
    lastUsed: lastUsed === 0 ? null : lastUsed,
    accesses: accesses.length,
    streams: account.tree.size,
    storageUsed: await storageUsedOf(account),
    auditSince: readRetention(account).since ?? null,
    relocated: user.relocated ?? null,
    apiEndpoint: apiEndpoint(node, user.username),
  }
}

export const accountReading = {
  async 'users.list'(node: ReadingNode): Promise<Result> {
    const users = []
    for (const { username } of await listUsernames(node.store.db)) {
      users.push(await describe(node, await loadedOf(node, { username })))
    }
    return { users }
  },
  async 'users.show'(node: ReadingNode, params: Record<string, unknown>): Promise<Result> {
    return { user: await describe(node, await loadedOf(node, params)) }
  },
}
