/** Account views for the operator. Also used for a closed store, without a running node (server/launch/readOnlyNode.ts). */
import * as z from 'zod'
import { readRetention } from '../../../store/accounts/auditRetention.js'
import { listAccesses } from '../../../store/accesses/accesses.js'
import { isUnnamed, listUsernames } from '../../../store/accounts/users.js'
import { emailsOf } from '../../../store/accounts/emails.js'
import { findEvent } from '../../../store/events/events.js'
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { mfaMethods } from '../../../store/model/mfa.js'
import { primaryOf, publicEntry } from '../../../store/model/emails.js'
import { countPeopleStreams } from '../../../store/model/peopleStreams.js'
import { AccountView } from '../../api/account/view.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { ReadingNode } from '../../launch/readOnlyNode.js'
import { storageUsedOf } from '../../dispatch/quota.js'
import { operatorMethod, type OperatorCall } from '../operatorMethod.js'
import { loadedOf, OfAccount } from './loaded.js'

export const Relocated = z.object({
  url: z.string().describe('New address of the account.'),
  until: z.number().describe('End of the redirect, in seconds since 1970.'),
})

const { email, emails, storageUsed } = AccountView.shape

/** An account as the command line lists it. */
export const UserView = z.object({
  username: z.string().describe('User name; the id of an account without one.'),
  id: z.string().describe('Id of the account.'),
  unnamed: z.boolean().describe('true for an account without a user name.'),
  formerUsernames: z.array(z.string()).describe('Former names, which still lead to the account.'),
  email,
  emails,
  language: z.string().nullable().describe('Language, such as en; null for none.'),
  mfa: z.enum(mfaMethods).nullable().describe('Method of the second factor; null for none.'),
  created: z.number().describe('Time of creation, in seconds since 1970.'),
  lastUsed: z.number().nullable().describe('Last use of any access, in seconds since 1970; null for none.'),
  accesses: z.number().describe('Number of accesses.'),
  streams: z.number().describe('Number of streams, without trashed ones and those of the system.'),
  storageUsed,
  auditSince: z.number().nullable().describe('Time from which audit records are complete, in seconds since 1970; null when none was removed.'),
  relocated: Relocated.nullable().describe('Redirect to another server; null for none.'),
  apiEndpoint: z.string().describe('Address of the account.'),
})

/** Returns a user as the command line lists it. */
export async function describe(node: ReadingNode, { account, user }: LoadedAccount): Promise<z.output<typeof UserView>> {
  const accesses = await listAccesses(account, node.store.seal)
  const used = accesses.map(({ access }) => node.usage.read(account, access.id).lastUsed ?? 0)
  const list = emailsOf(node.store.db, account.prefix, user)
  const language = findEvent(node.store.db, account.prefix, ':_system:language')?.content
  const lastUsed = Math.max(0, ...used)
  return {
    username: user.username,
    id: user.id,
    unnamed: isUnnamed(user),
    formerUsernames: user.formerUsernames ?? [],
    email: primaryOf(list)?.value ?? null,
    emails: list.map(publicEntry),
    language: typeof language === 'string' ? language : null,
    mfa: readEnrolment(node.store.db, account.prefix)?.method ?? null,
    created: user.created,
    lastUsed: lastUsed === 0 ? null : lastUsed,
    accesses: accesses.length,
    streams: countPeopleStreams(account.tree),
    storageUsed: await storageUsedOf(account),
    auditSince: readRetention(account).since ?? null,
    relocated: user.relocated ?? null,
    apiEndpoint: apiEndpoint(node, user.username),
  }
}

export const listUsers = operatorMethod({
  id: 'users.list',
  summary: 'Lists the accounts of the node.',
  input: z.strictObject({}),
  output: () => z.object({ users: z.array(UserView).describe('The accounts, by user name.') }),
  fails: [],
  async run({ node }: OperatorCall<ReadingNode>) {
    const users = []
    for (const { username } of await listUsernames(node.store.db)) {
      users.push(await describe(node, await loadedOf(node, { username })))
    }
    return { users }
  },
})

export const showUser = operatorMethod({
  id: 'users.show',
  summary: 'Returns one account.',
  input: z.strictObject(OfAccount),
  output: () => z.object({ user: UserView.describe('The account.') }),
  fails: ['unknown-user'],
  async run({ node }: OperatorCall<ReadingNode>, input) {
    return { user: await describe(node, await loadedOf(node, input)) }
  },
})
